import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import type { JSX } from 'preact';
import { compact, margin, maxLabels, nameOf, round, type ShapeProps, width } from './chart-data.ts';

/** Measurements by time, one line for each series. A category without a value is a gap. */
export function Lines({ data, height }: ShapeProps): JSX.Element {
  const { points, series, band } = data;
  const x = scalePoint<number>(
    points.map((_point, index) => index),
    [margin.left, width - margin.right],
  ).padding(0.5);
  const values = points.flatMap(one => one.values).filter(value => value !== null);
  const limits = [band?.low, band?.high].filter(value => typeof value === 'number');
  const shown = [...values, ...limits];
  const min = shown.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = shown.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  // A single value is in the middle.
  const y = scaleLinear(
    [min === max ? min - 1 : min, min === max ? max + 1 : max],
    [height - margin.bottom, margin.top],
  );
  y.nice(4);
  const step = Math.ceil(points.length / maxLabels);
  const xOf = (index: number): number => x(index) ?? 0;
  const [bottom = 0, top = 0] = y.domain();
  return (
    <>
      {band && (
        <rect
          class="band"
          x={margin.left}
          width={width - margin.left - margin.right}
          y={round(y(band.high ?? top))}
          height={round(y(band.low ?? bottom) - y(band.high ?? top))}
        />
      )}
      {y.ticks(4).map(tick => (
        <g key={tick}>
          <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
          <text x={margin.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
            {compact.format(tick)}
          </text>
        </g>
      ))}
      {series.map((name, at) => {
        const path = line<(typeof points)[number]>(
          (_one, index) => round(xOf(index)),
          one => round(y(one.values[at] ?? 0)),
        ).defined(one => one.values[at] != null)([...points]);
        return (
          <g key={name}>
            <path class={`line-${at}`} d={path ?? ''} />
            {points.map((one, index) => {
              const value = one.values[at];
              if (value == null) return null;
              return (
                <circle key={index} class={`series-${at}`} cx={round(xOf(index))} cy={round(y(value))} r="3.5">
                  <title>{nameOf(points, series, { point: index, series: at })}</title>
                </circle>
              );
            })}
          </g>
        );
      })}
      {points.map(({ label }, index) =>
        index % step === 0 ? (
          <text key={label} x={round(xOf(index))} y={height - 8} text-anchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </>
  );
}

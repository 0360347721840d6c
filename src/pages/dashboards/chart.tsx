import { scaleBand, scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import type { JSX } from 'preact';
import { type ChartData, compact, margin, maxLabels, nameOf, round, type ShapeProps, width } from './chart-data.ts';
import { Lines } from './line-chart.tsx';
import { ScrollRegion } from './scroll-region.tsx';

const timeHeight = 240;
const barHeight = 30;
/** Width of the names of bars; longer ones are cut. */
const nameWidth = 250;
const maxNameLength = 38;

interface Rectangle {
  series: number;
  point: number;
  from: number;
  to: number;
}

/** The values of all points, one on top of the other. */
function rectanglesOf({ series, points }: ChartData): Rectangle[] {
  const keys = series.map((_name, index) => index);
  const layers = stack<ChartData['points'][number], number>()
    .keys(keys)
    .value(({ values }, index) => values[index] ?? 0)([...points]);
  return layers.flatMap(layer =>
    layer.map(([from, to], point) => ({ series: layer.key, point, from, to })).filter(({ from, to }) => to > from),
  );
}

/** A chart as SVG. Colours come from the style sheet, because the policy of the pages allows no other style. */
export function Chart({ data }: { data: ChartData }): JSX.Element {
  const { id, title, summary, series, points, shape, band } = data;
  const sums = points.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  const max = sums.reduce((most, sum) => Math.max(most, sum), data.max ?? 1);
  const height = shape === 'bars' ? points.length * barHeight + margin.top + margin.bottom : timeHeight;
  const Shape = shapes[shape];
  return (
    <figure class="chart">
      <ScrollRegion label={title} startsAtEnd={shape !== 'bars'}>
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={`${id}-title ${id}-summary`}>
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-summary`}>{summary}</desc>
          <Shape data={data} max={max} height={height} />
        </svg>
      </ScrollRegion>
      <figcaption>
        <ul class="legend">
          {series.map((name, index) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" width="12" height="12" aria-hidden="true">
                <rect width="10" height="10" class={`series-${index}`} />
              </svg>{' '}
              {name}
            </li>
          ))}
          {band && (
            <li>
              <svg viewBox="0 0 10 10" width="12" height="12" aria-hidden="true">
                <rect width="10" height="10" class="band" />
              </svg>{' '}
              {band.label}
            </li>
          )}
        </ul>
      </figcaption>
    </figure>
  );
}

function Columns({ data, max, height }: ShapeProps): JSX.Element {
  const { points, series } = data;
  const x = scaleBand<number>(
    points.map((_point, index) => index),
    [margin.left, width - margin.right],
  ).padding(0.15);
  const y = scaleLinear([0, max], [height - margin.bottom, margin.top]).nice(4);
  const step = Math.ceil(points.length / maxLabels);
  return (
    <>
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map(tick => (
          <g key={tick}>
            <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
            <text x={margin.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {compact.format(tick)}
            </text>
          </g>
        ))}
      {rectanglesOf(data).map(one => (
        <rect
          key={`${one.point}-${one.series}`}
          class={`series-${one.series}`}
          x={round(x(one.point) ?? 0)}
          width={round(x.bandwidth())}
          y={round(y(one.to))}
          height={round(y(one.from) - y(one.to))}
        >
          <title>{nameOf(points, series, one)}</title>
        </rect>
      ))}
      {points.map(({ label }, index) =>
        index % step === 0 ? (
          <text key={label} x={round((x(index) ?? 0) + x.bandwidth() / 2)} y={height - 8} text-anchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </>
  );
}

function Bars({ data, max, height }: ShapeProps): JSX.Element {
  const { points, series } = data;
  const y = scaleBand<number>(
    points.map((_point, index) => index),
    [margin.top, height - margin.bottom],
  ).padding(0.25);
  const x = scaleLinear([0, max], [nameWidth, width - margin.right]).nice(4);
  return (
    <>
      {x
        .ticks(4)
        .filter(Number.isInteger)
        .map(tick => (
          <g key={tick}>
            <line class="grid" x1={x(tick)} x2={x(tick)} y1={margin.top} y2={height - margin.bottom} />
            <text x={x(tick)} y={height - 8} text-anchor="middle">
              {compact.format(tick)}
            </text>
          </g>
        ))}
      {points.map(({ label }, index) => (
        <text
          key={label}
          class="name"
          x={nameWidth - 8}
          y={round((y(index) ?? 0) + y.bandwidth() / 2)}
          dy="0.32em"
          text-anchor="end"
        >
          {shorten(label)}
        </text>
      ))}
      {rectanglesOf(data).map(one => (
        <rect
          key={`${one.point}-${one.series}`}
          class={`series-${one.series}`}
          x={round(x(one.from))}
          width={round(x(one.to) - x(one.from))}
          y={round(y(one.point) ?? 0)}
          height={round(y.bandwidth())}
        >
          <title>{nameOf(points, series, one)}</title>
        </rect>
      ))}
    </>
  );
}

function shorten(label: string): string {
  const characters = [...label];
  if (characters.length <= maxNameLength) return label;
  // The end differs more than the start: `/repositories/:repository_id/…`.
  return `…${characters.slice(1 - maxNameLength).join('')}`;
}

const shapes = { columns: Columns, lines: Lines, bars: Bars } as const;

/** Cost of one request, in microseconds of CPU; null where the answer was not 200. */
export interface GrowthPoint {
  size: number;
  gateway: number | null;
  database: number | null;
  /** Milliseconds on the clock, median. */
  clock: number | null;
  /** Of the answer. */
  status: number;
}

export interface GrowthCurve {
  key: string;
  title: string;
  points: GrowthPoint[];
}

/** One panel per request, because a dozen lines that lie on one another cannot be told apart. Sizes in pixels. */
const columns = 4;
const panel = { width: 220, height: 150, left: 34, right: 40, top: 34, bottom: 26 };
const head = 78;

const series = [
  { figure: 'database', name: 'PostgreSQL' },
  { figure: 'gateway', name: 'gateway' },
] as const;

/** Ratios that the y axis shows at least. */
const minTop = 4;

const style = `
  text { font: 11px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 12px }
  .head { font-weight: 600; font-size: 15px }
  .quiet { fill: #57606a }
  .paper { fill: #ffffff }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .good { fill: #1a7f37; fill-opacity: 0.09 }
  .line { fill: none; stroke-width: 2 }
  .database { stroke: #0550ae } .gateway { stroke: #bc4c00; stroke-dasharray: 5 3 }
  .dot { stroke: none } .dot.database, text.database { fill: #0550ae; stroke: none } .dot.gateway, text.gateway { fill: #bc4c00; stroke: none }
  .failed { fill: #cf222e; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .paper { fill: #0d1117 } .grid { stroke: #3d444d }
    .good { fill: #3fb950; fill-opacity: 0.12 } .failed { fill: #ff7b72 }
    .database { stroke: #79c0ff } .gateway { stroke: #ffa657 }
    .dot.database, text.database { fill: #79c0ff } .dot.gateway, text.gateway { fill: #ffa657 }
  }`;

/**
 * Draws the cost of each request relative to its smallest size over the number of rows, both axes logarithmic. The shaded part
 * is up to twice the cost. Readable on light and dark paper, by the colour scheme of the reader.
 */
export function drawGrowth({
  date,
  load,
  curves,
}: {
  date: string;
  load: number;
  curves: readonly GrowthCurve[];
}): string {
  const rows = Math.ceil(curves.length / columns);
  const scale = scaleOf(curves);
  const [width, height] = [columns * panel.width + 20, head + rows * panel.height + 10];
  const parts = curves.map((curve, index) => {
    const [x, y] = [10 + (index % columns) * panel.width, head + Math.floor(index / columns) * panel.height];
    return `<g transform="translate(${x} ${y})">${drawPanel(curve, scale)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">CPU per request as the data grows, relative to the smallest size</title>
<style>${style}
</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="head" x="20" y="26">CPU per request as the data grows</text>
<text class="quiet" x="20" y="44">relative to the smallest size, both axes logarithmic; shaded: at most twice; ${date.slice(0, 10)}, load ${load}</text>
${legend()}
${parts.join('\n')}
</svg>
`;
}

function legend(): string {
  return series
    .map(({ figure, name }, index) => {
      const x = 20 + index * 110;
      return `<path class="line ${figure}" d="M${x} 60h24"/><text class="${figure}" x="${x + 30}" y="64">${name}</text>`;
    })
    .join('');
}

/** Lowest and highest ratio of the y axes: one scale, so that panels can be compared. */
function scaleOf(curves: readonly GrowthCurve[]): { bottom: number; top: number } {
  const all = curves.flatMap(({ points }) =>
    points.flatMap(point => series.flatMap(({ figure }) => ratioOf(points[0], point, figure) ?? [])),
  );
  return { bottom: Math.min(0.7, ...all), top: Math.max(minTop, ...all) * 1.15 };
}

function drawPanel({ title, points }: GrowthCurve, { bottom, top }: { bottom: number; top: number }): string {
  const [first] = points;
  const ratios = (figure: 'gateway' | 'database'): (number | undefined)[] =>
    points.map(point => ratioOf(first, point, figure));
  const inner = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom };
  const sizes = points.map(({ size }) => Math.log10(size));
  const [low = 0, high = 1] = [sizes[0], sizes.at(-1)];
  const x = (size: number): number =>
    round(panel.left + (high === low ? 0 : ((Math.log10(size) - low) / (high - low)) * inner.width));
  const y = (ratio: number): number =>
    round(panel.top + (1 - (Math.log(ratio) - Math.log(bottom)) / (Math.log(top) - Math.log(bottom))) * inner.height);
  const ticks = [1, 2, 5, 10, 100, 1_000].filter(
    ratio => ratio <= top && (top < 30 || ratio !== 5) && (top < 300 || ratio !== 2),
  );
  const right = panel.left + inner.width;
  const parts = [
    `<text class="title" x="${panel.left - 24}" y="${panel.top - 12}">${title}</text>`,
    `<rect class="good" x="${panel.left}" y="${y(2)}" width="${inner.width}" height="${round(panel.top + inner.height - y(2))}"/>`,
    ...ticks.map(
      ratio =>
        `<path class="grid" d="M${panel.left} ${y(ratio)}h${inner.width}"/><text class="quiet" x="${panel.left - 6}" y="${y(ratio) + 4}" text-anchor="end">${ratio}×</text>`,
    ),
    ...points.map(
      ({ size }) =>
        `<text class="quiet" x="${x(size)}" y="${panel.height - panel.bottom + 15}" text-anchor="middle">${shortNumber(size)}</text>`,
    ),
  ];
  const ends = series.map(({ figure }) => ({ figure, ratio: ratios(figure).at(-1) }));
  for (const { figure } of series) {
    const shown = points.flatMap((point, index) => {
      const ratio = ratios(figure)[index];
      return ratio === undefined ? [] : [{ x: x(point.size), y: y(ratio) }];
    });
    if (shown.length === 0) continue;
    parts.push(`<path class="line ${figure}" d="M${shown.map(at => `${at.x} ${at.y}`).join('L')}"/>`);
    for (const at of shown) parts.push(`<circle class="dot ${figure}" cx="${at.x}" cy="${at.y}" r="3"/>`);
  }
  for (const { figure, at, ratio } of apart(ends, y)) {
    parts.push(
      `<text class="${figure}" x="${right + 7}" y="${at + 4}">${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)}×</text>`,
    );
  }
  const failed = points.find(({ status }) => status !== 200);
  if (failed) {
    parts.push(
      `<text class="failed" x="${x(failed.size)}" y="${panel.top + 10}" text-anchor="middle">${failed.status}</text>`,
    );
  }
  return parts.join('');
}

/** The labels at the ends of the lines, at least a line of text from one another. */
function apart(
  ends: readonly { figure: string; ratio: number | undefined }[],
  y: (ratio: number) => number,
): { figure: string; ratio: number; at: number }[] {
  const shown = ends
    .flatMap(({ figure, ratio }) => (ratio === undefined ? [] : [{ figure, ratio, at: y(ratio) }]))
    .toSorted((one, other) => one.at - other.at);
  const [upper, lower] = shown;
  if (upper && lower && lower.at - upper.at < 13) {
    const middle = (upper.at + lower.at) / 2;
    upper.at = middle - 6.5;
    lower.at = middle + 6.5;
  }
  return shown;
}

function ratioOf(
  first: GrowthPoint | undefined,
  point: GrowthPoint,
  figure: 'gateway' | 'database',
): number | undefined {
  const [base, value] = [first?.[figure], point[figure]];
  return base && value ? value / base : undefined;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1_000 ? `${value / 1_000}k` : String(value);
}

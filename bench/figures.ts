/** A figure over the rounds of a run. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  low: Math.min(...values),
  high: Math.max(...values),
});

/** `912 (903–931)` */
export function showSpread({ median: middle, low, high }: Spread, digits = 0): string {
  const shown = (value: number): string => value.toFixed(digits);
  return `${shown(middle)} (${shown(low)}–${shown(high)})`;
}

/** Lines of a table whose first column is text and whose other columns are figures. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0))) ?? [];
  const cell = (text: string, at: number): string =>
    at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  return rows.map(row => `  ${row.map(cell).join('   ')}`.trimEnd()).join('\n');
}

/** What a chart shows: for each category a value of each series; columns and bars are stacked. */
export interface ChartData {
  /** Unique in the page. */
  id: string;
  title: string;
  /** The chart in words, for those who do not see it. */
  summary: string;
  series: readonly string[];
  /** Null is no value, and a gap in a line. */
  points: readonly { label: string; values: readonly (number | null)[] }[];
  /** `columns` for sums by time, `lines` for measurements by time, `bars` for names. */
  shape: 'columns' | 'lines' | 'bars';
  /** End of the scale of columns and bars; the highest sum by default. */
  max?: number;
  /** A range that `lines` are compared with, drawn behind them. */
  band?: { low: number | null; high: number | null; label: string };
}

export const width = 720;
export const margin = { top: 8, right: 16, bottom: 28, left: 56 };
/** Labels below columns that do not touch each other. */
export const maxLabels = 8;

export const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export interface ShapeProps {
  data: ChartData;
  /** Sum of the highest point. */
  max: number;
  height: number;
}

export const round = (value: number): number => Math.round(value * 10) / 10;

/** A value in words: `09-30: 12 answered`. */
export function nameOf(
  points: ChartData['points'],
  series: readonly string[],
  { point, series: index }: { point: number; series: number },
): string {
  const { label = '', values = [] } = points[point] ?? {};
  return `${label}: ${(values[index] ?? 0).toLocaleString('en')} ${series[index]}`;
}

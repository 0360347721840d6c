/** Shortest and longest time between two runs, in seconds: a quarter of an hour, and 30 days. The table has the same limits. */
const limits = { min: 900, max: 2_592_000 };
const secondsOf: ReadonlyMap<string, number> = new Map([
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
]);

/** Seconds of an interval such as `30m`, `6h` or `1d`; undefined for another text, and outside of 15 minutes to 30 days. */
export function parseInterval(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (secondsOf.get(unit) ?? Number.NaN);
  return seconds >= limits.min && seconds <= limits.max ? seconds : undefined;
}

/** The shortest text that `parseInterval` reads as these seconds; seconds where none is. */
export function formatInterval(seconds: number): string {
  for (const [unit, length] of secondsOf) if (seconds % length === 0) return `${seconds / length}${unit}`;
  return `${seconds}s`;
}

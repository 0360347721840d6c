const stepMs = { hour: 60 * 60_000, day: 24 * 60 * 60_000 } as const;

export type TimeStep = keyof typeof stepMs;

/** The label of a step below a column. */
const labelOf = (at: Date, step: TimeStep): string =>
  step === 'day' ? at.toISOString().slice(5, 10) : at.toISOString().slice(11, 16);

/**
 * Categories of a chart by time: every step from `from` to `to`, in UTC, with the rows that begin then; none where nothing was counted.
 *
 * @param from start of a step; `to` is excluded
 */
export function byTime<Row>(
  { from, to, step }: { from: string; to: string; step: TimeStep },
  rows: readonly Row[],
  startOf: (row: Row) => string,
): { label: string; rows: readonly Row[] }[] {
  const found = Map.groupBy(rows, row => Date.parse(startOf(row)));
  const count = Math.ceil((Date.parse(to) - Date.parse(from)) / stepMs[step]);
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(from) + index * stepMs[step];
    return { label: labelOf(new Date(at), step), rows: found.get(at) ?? [] };
  });
}

const rounds = 3;
const calls = 15;

/** One way to query the database. Throws for an unexpected result. */
export interface TimedStatement {
  label: string;
  ask(): Promise<void>;
}

/** Maximum median time of one contender, in milliseconds. */
export interface TimeBar {
  of: string;
  max: number;
}

/**
 * Milliseconds of single calls from this process, in sequence and in turns, including the round trip. Not an HTTP benchmark:
 * the overhead around these statements is the same for all.
 */
export async function statementTimes(
  { name, about }: { name: string; about: string },
  contenders: readonly TimedStatement[],
  bar: TimeBar,
): Promise<{ text: string; missed: string[] }> {
  const times = new Map<string, number[]>(contenders.map(one => [one.label, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { label, ask } of contenders) {
      for (let call = 0; call < calls; call++) {
        const started = performance.now();
        await ask();
        // The first round is the warm-up.
        if (round > 0) times.get(label)?.push(performance.now() - started);
      }
    }
  }
  const rows = [...times].map(([label, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
    return `  ${label.padEnd(34)} ${at(0.5).padStart(7)} ms   p90 ${at(0.9).padStart(7)} ms   best ${at(0).padStart(7)} ms`;
  });
  const all = (times.get(bar.of) ?? []).toSorted((a, b) => a - b);
  const middle = all[Math.floor(all.length / 2)] ?? Number.NaN;
  const line = `  ${bar.of}: ${middle.toFixed(1)} ms; the bar is ≤ ${bar.max}: ${middle <= bar.max ? 'reached' : 'MISSED'}`;
  return {
    text: [`\n${name}: ${about}\n`, ...rows, line].join('\n'),
    missed: middle <= bar.max ? [] : [`${name}: ${line.trim()}`],
  };
}

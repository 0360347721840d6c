import type { Benchmark, Comparison } from './benchmark.ts';
import type { Measured, Round } from './measure.ts';

/** Formats the table of one benchmark with a line per comparison, and the lines whose bar was missed. */
export function report(benchmark: Benchmark, measured: Measured): { text: string; missed: string[] } {
  const lines = [`\n${benchmark.name}: ${benchmark.about}\n`, table(measured)];
  const missed: string[] = [];
  for (const comparison of benchmark.comparisons) {
    const { line, reached } = compare(comparison, measured);
    lines.push(`  ${line}`);
    if (!reached) missed.push(`${benchmark.name}: ${line}`);
  }
  return { text: lines.join('\n'), missed };
}

const columns: [head: string, show: (rounds: Round[]) => string][] = [
  ['requests/s', rounds => spread(rounds, 'throughput')],
  ['p50 ms', rounds => median(rounds.map(one => one.p50)).toFixed(0)],
  ['p99 ms', rounds => median(rounds.map(one => one.p99)).toFixed(0)],
  ['server CPU µs/request', rounds => spread(rounds, 'cpu')],
  ['server busy', rounds => percent(rounds.map(one => one.busy))],
  ['others on its CPU', rounds => percent(rounds.flatMap(one => one.others ?? []))],
];

function table(measured: Measured): string {
  const rows = [['', ...columns.map(([head]) => head)]];
  for (const [label, rounds] of measured) rows.push([label, ...columns.map(([, show]) => show(rounds))]);
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0))) ?? [];
  const cell = (text: string, at: number): string =>
    at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  return rows.map(row => `  ${row.map(cell).join('   ')}`.trimEnd()).join('\n');
}

/** Median of the rounds, with the minimum and maximum in brackets. */
function spread(rounds: Round[], figure: 'throughput' | 'cpu'): string {
  const values = rounds.map(one => one[figure]);
  const [low, high] = [Math.min(...values), Math.max(...values)].map(one => one.toFixed(0));
  return values.length > 1 ? `${median(values).toFixed(0)} (${low}–${high})` : median(values).toFixed(0);
}

function percent(shares: number[]): string {
  return shares.length > 0 ? `${(median(shares) * 100).toFixed(0)} %` : '';
}

function compare({ figure, of, over, bar }: Comparison, measured: Measured): { line: string; reached: boolean } {
  const [ours = [], theirs = []] = [of, over].map(label => measured.get(label)?.map(round => round[figure]));
  const name = `${of} / ${over}, ${figure === 'cpu' ? 'server CPU' : 'throughput'}`;
  if (bar === undefined) {
    return { line: `${name}: ${(median(ours) / median(theirs)).toFixed(2)}, for information`, reached: true };
  }
  // Per round, because other load in a round affects both contenders.
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  const ratio = median(ratios);
  const reached = figure === 'cpu' ? ratio <= bar : ratio >= bar;
  const rounds = ratios.map(one => one.toFixed(2)).join(', ');
  const sign = figure === 'cpu' ? '≤' : '≥';
  const verdict = reached ? 'reached' : 'MISSED';
  return { line: `${name}: ${ratio.toFixed(2)} (rounds: ${rounds}); the bar is ${sign} ${bar}: ${verdict}`, reached };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}

import { type DiffBudget, diffLines, type LineChange, splitLines } from './line-diff.ts';

/** A change of one side, with the lines that it puts in place of those of the base. */
interface SideChange {
  from: number;
  /** Index after the last line that is replaced. */
  to: number;
  lines: readonly string[];
}

/**
 * Merges the changes of two texts since their common ancestor. Bytes are latin1 characters. Undefined for a conflict: changes of both
 * sides that overlap or touch, unless they are the same. So does git; where more than 1,000 lines differ, or no comparisons are left,
 * a side is one large change.
 * @throws WorkBudgetError
 */
export async function mergeLines(
  base: string,
  ours: string,
  theirs: string,
  budget: DiffBudget,
): Promise<string | undefined> {
  const { work } = budget;
  const lines = await splitLines(base, work);
  const one = await sideChanges(lines, await splitLines(ours, work), budget);
  const other = await sideChanges(lines, await splitLines(theirs, work), budget);
  const merged: string[] = [];
  let at = 0;
  for (let [i, j] = [0, 0]; i < one.length || j < other.length; ) {
    const from = Math.min(one[i]?.from ?? lines.length, other[j]?.from ?? lines.length);
    let to = from;
    const group: [SideChange[], SideChange[]] = [[], []];
    // Changes of both sides that touch belong together.
    for (let hasGrown = true; hasGrown; ) {
      hasGrown = false;
      for (let change = one[i]; change && change.from <= to; change = one[++i]) {
        group[0].push(change);
        to = Math.max(to, change.to);
        hasGrown = true;
      }
      for (let change = other[j]; change && change.from <= to; change = other[++j]) {
        group[1].push(change);
        to = Math.max(to, change.to);
        hasGrown = true;
      }
    }
    const result = mergeGroup(lines, { from, to }, group);
    if (result === undefined) return undefined;
    for (; at < from; at++) merged.push(lines[at] as string);
    merged.push(result);
    at = to;
    work.spendSteps(1 + group[0].length + group[1].length);
    if (work.isTurnDue) await work.turn();
  }
  return merged.concat(lines.slice(at)).join('');
}

async function sideChanges(
  base: readonly string[],
  side: readonly string[],
  budget: DiffBudget,
): Promise<SideChange[]> {
  return (await diffLines(base, side, budget)).map(({ before, after }: LineChange) => ({
    from: before.start,
    to: before.start + before.count,
    lines: side.slice(after.start, after.start + after.count),
  }));
}

/** The text of a range of the base; undefined when both sides change it differently. */
function mergeGroup(
  base: readonly string[],
  range: { from: number; to: number },
  [ours, theirs]: [SideChange[], SideChange[]],
): string | undefined {
  if (theirs.length === 0) return applied(base, range, ours);
  if (ours.length === 0) return applied(base, range, theirs);
  const [one, other] = [applied(base, range, ours), applied(base, range, theirs)];
  return one === other ? one : undefined;
}

function applied(base: readonly string[], { from, to }: { from: number; to: number }, changes: SideChange[]): string {
  const texts: string[] = [];
  let at = from;
  for (const change of changes) {
    texts.push(base.slice(at, change.from).join(''), change.lines.join(''));
    at = change.to;
  }
  return texts.join('') + base.slice(at, to).join('');
}

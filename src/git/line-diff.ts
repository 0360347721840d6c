import type { WorkBudget } from '../workers/work-budget.ts';

/** Lines that one change replaces: `count` lines of each side, from the index `start`. */
export interface LineChange {
  before: { start: number; count: number };
  after: { start: number; count: number };
}

/** Comparisons of the search that are one step of a `WorkBudget`. */
const comparisonsPerStep = 8;

/** What the line comparisons of one answer may spend together. */
export class DiffBudget {
  readonly work: WorkBudget;
  /** Comparisons that are left, about 0.2 s. Without any, what follows is one large change, which is no error. */
  comparisons = 10_000_000;

  constructor(work: WorkBudget) {
    this.work = work;
  }

  spendComparisons(count: number): void {
    this.comparisons -= count;
    this.work.spendSteps(count / comparisonsPerStep);
  }
}

/** Largest number of changed lines that is searched for; the trace takes its square in numbers of four bytes. */
const maxDistance = 1_000;

/** The lines of a text, each with its line feed. @throws WorkBudgetError */
export async function splitLines(text: string, work: WorkBudget): Promise<string[]> {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    work.spendSteps();
    if (work.isTurnDue) await work.turn();
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

/**
 * The changes between two texts, in order: the fewest lines (Myers, An O(ND) Difference Algorithm, 1986). Where more than
 * `maxDistance` lines differ, or no comparisons are left, everything between the equal ends is one change.
 * @throws WorkBudgetError
 */
export async function diffLines(
  before: readonly string[],
  after: readonly string[],
  budget: DiffBudget,
): Promise<LineChange[]> {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [beforeEnd, afterEnd] = [before.length, after.length];
  while (beforeEnd > start && afterEnd > start && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd--;
    afterEnd--;
  }
  budget.work.spendSteps((before.length - beforeEnd + start) / comparisonsPerStep);
  const [one, other] = await numberLines(before.slice(start, beforeEnd), after.slice(start, afterEnd), budget.work);
  if (one.length === 0 && other.length === 0) return [];
  const whole = { before: { start: 0, count: one.length }, after: { start: 0, count: other.length } };
  const isOneSided = one.length === 0 || other.length === 0;
  const changes = (isOneSided ? undefined : await shortestScript(one, other, budget)) ?? [whole];
  return changes.map(change => ({
    before: { ...change.before, start: change.before.start + start },
    after: { ...change.after, start: change.after.start + start },
  }));
}

/** Equal lines get equal numbers, which compare faster than texts. */
async function numberLines(
  before: readonly string[],
  after: readonly string[],
  work: WorkBudget,
): Promise<[Int32Array, Int32Array]> {
  const numbers = new Map<string, number>();
  const number = async (lines: readonly string[]): Promise<Int32Array> => {
    const numbered = new Int32Array(lines.length);
    for (const [at, line] of lines.entries()) {
      const known = numbers.get(line) ?? numbers.size;
      if (known === numbers.size) numbers.set(line, known);
      numbered[at] = known;
      // The first look-up hashes the characters of a line.
      work.spendSteps(1 + line.length / 256);
      if (work.isTurnDue) await work.turn();
    }
    return numbered;
  };
  return [await number(before), await number(after)];
}

/** Undefined when it is too long, or no comparisons are left. */
async function shortestScript(
  one: Int32Array,
  other: Int32Array,
  budget: DiffBudget,
): Promise<LineChange[] | undefined> {
  const max = Math.min(one.length + other.length, maxDistance);
  // By diagonal x - y: the furthest x with the distance so far.
  const furthest = new Int32Array(2 * max + 3);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= max; distance++) {
    trace.push(furthest.slice(max - distance, max + distance + 3));
    let comparisons = 0;
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const at = diagonal + max + 1;
      const [left = 0, right = 0] = [furthest[at - 1], furthest[at + 1]];
      const isDown = diagonal === -distance || (diagonal !== distance && left < right);
      let x = isDown ? right : left + 1;
      const from = x;
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x++;
      comparisons += x - from + 1;
      furthest[at] = x;
      if (x >= one.length && x - diagonal >= other.length) return backtrack(trace, one.length, other.length);
    }
    budget.spendComparisons(comparisons);
    if (budget.comparisons <= 0) return undefined;
    if (budget.work.isTurnDue) await budget.work.turn();
  }
  return undefined;
}

/** The changes on the way that the trace has found, in order. */
function backtrack(trace: readonly Int32Array[], beforeLength: number, afterLength: number): LineChange[] {
  const changes: LineChange[] = [];
  let [x, y] = [beforeLength, afterLength];
  for (let distance = trace.length - 1; distance > 0; distance--) {
    const diagonal = x - y;
    // The diagonal `-distance - 1` is the first of the slice.
    const at = (of: number): number => trace[distance]?.[of + distance + 1] ?? 0;
    const isDown = diagonal === -distance || (diagonal !== distance && at(diagonal - 1) < at(diagonal + 1));
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const [fromX, fromY] = [at(previous), at(previous) - previous];
    const step = {
      before: { start: fromX, count: isDown ? 0 : 1 },
      after: { start: fromY, count: isDown ? 1 : 0 },
    };
    prepend(changes, step);
    [x, y] = [fromX, fromY];
  }
  return changes.reverse();
}

/** Joins a step with the change after it, which is the last of the list, if no equal line is between them. */
function prepend(changes: LineChange[], step: LineChange): void {
  const next = changes.at(-1);
  const touches =
    next &&
    step.before.start + step.before.count === next.before.start &&
    step.after.start + step.after.count === next.after.start;
  if (!touches) {
    changes.push(step);
    return;
  }
  next.before = { start: step.before.start, count: step.before.count + next.before.count };
  next.after = { start: step.after.start, count: step.after.count + next.after.count };
}

/** Equal lines around a change in a patch. */
const contextLines = 3;

/** The hunks of a unified diff, without the lines that name the files. @throws WorkBudgetError */
export async function formatPatch(
  before: readonly string[],
  after: readonly string[],
  changes: readonly LineChange[],
  work: WorkBudget,
): Promise<string> {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const gap = last ? change.before.start - last.before.start - last.before.count : Number.POSITIVE_INFINITY;
    if (gap <= 2 * contextLines) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  let patch = '';
  for (const hunk of hunks) patch += await formatHunk(before, after, hunk, work);
  return patch;
}

async function formatHunk(
  before: readonly string[],
  after: readonly string[],
  hunk: readonly LineChange[],
  work: WorkBudget,
): Promise<string> {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (!first || !last) return '';
  const lead = Math.min(contextLines, first.before.start);
  const [lastBefore, lastAfter] = [last.before.start + last.before.count, last.after.start + last.after.count];
  const trail = Math.min(contextLines, before.length - lastBefore);
  const [from, to] = [first.before.start - lead, lastBefore + trail];
  const [afterFrom, afterTo] = [first.after.start - lead, lastAfter + trail];
  let lines = '';
  const add = async (sign: string, source: readonly string[], start: number, end: number): Promise<void> => {
    for (let at = start; at < end; at++) {
      const line = source[at] ?? '';
      lines += line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
      work.spendSteps();
      if (work.isTurnDue) await work.turn();
    }
  };
  let at = from;
  for (const change of hunk) {
    await add(' ', before, at, change.before.start);
    at = change.before.start + change.before.count;
    await add('-', before, change.before.start, at);
    await add('+', after, change.after.start, change.after.start + change.after.count);
  }
  await add(' ', before, at, to);
  return `@@ -${formatRange(from, to)} +${formatRange(afterFrom, afterTo)} @@\n${lines}`;
}

/** Lines are numbered from 1; an empty range names the line before it. */
function formatRange(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return `${from + 1}`;
  return `${count === 0 ? from : from + 1},${count}`;
}

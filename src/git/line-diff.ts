import type { WorkBudget } from '../workers/work-budget.ts';
import type { ComparedText } from './compared-text.ts';
import { markChanges } from './mark-changes.ts';
import { slideChanges } from './slide-changes.ts';

/** Lines that one change replaces: `count` lines of each side, from the index `start`. */
export interface LineChange {
  before: { start: number; count: number };
  after: { start: number; count: number };
}

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
 * The changes between two texts, in order, as `git diff` finds them: the algorithm, its short cuts and the places to which changes slide
 * are those of git's xdiff. Characters are compared, so that texts are to be bytes as latin1 characters.
 * @throws WorkBudgetError
 */
export async function diffLines(
  before: readonly string[],
  after: readonly string[],
  work: WorkBudget,
): Promise<LineChange[]> {
  const numbers = await numberLines(before, after, work);
  const [one, other] = [before, after].map(
    (lines, side): ComparedText => ({
      lines,
      numbers: numbers[side] as Int32Array,
      changed: new Uint8Array(lines.length + 1),
    }),
  ) as [ComparedText, ComparedText];
  await markChanges(one, other, work);
  await slideChanges(one, other, work);
  await slideChanges(other, one, work);
  return collect(one, other, work);
}

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

async function collect(one: ComparedText, other: ComparedText, work: WorkBudget): Promise<LineChange[]> {
  const changes: LineChange[] = [];
  for (let [i, j] = [0, 0]; i < one.lines.length || j < other.lines.length; i++, j++) {
    work.spendSteps();
    if (work.isTurnDue) await work.turn();
    const [from, otherFrom] = [i, j];
    while (one.changed[i]) i++;
    while (other.changed[j]) j++;
    if (i === from && j === otherFrom) continue;
    changes.push({ before: { start: from, count: i - from }, after: { start: otherFrom, count: j - otherFrom } });
  }
  return changes;
}

import type { WorkBudget } from '../workers/work-budget.ts';
import type { ComparedText } from './compared-text.ts';
import { addSplit, compareScores, measureSplit, type SplitScore } from './split-score.ts';

/** Places for one change of which the best is looked for. */
const maxPlaces = 100;

/** Changed lines without an unchanged one between them: `start` to `end`; none where they are equal. */
class Group {
  start = 0;
  end = 0;
  readonly #text: ComparedText;

  constructor(text: ComparedText) {
    this.#text = text;
    while (text.changed[this.end]) this.end++;
  }

  /** To the next group; false at the end of the text. */
  next(): boolean {
    if (this.end === this.#text.lines.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    while (this.#text.changed[this.end]) this.end++;
    return true;
  }

  previous(): void {
    this.end = this.start - 1;
    this.start = this.end;
    while (this.start > 0 && this.#text.changed[this.start - 1]) this.start--;
  }

  /** Changes the line after the group instead of its first, which is equal. It grows by a group that it meets. */
  slideDown(): boolean {
    const { numbers, changed } = this.#text;
    if (this.end >= numbers.length || numbers[this.start] !== numbers[this.end]) return false;
    changed[this.start++] = 0;
    changed[this.end++] = 1;
    while (changed[this.end]) this.end++;
    return true;
  }

  slideUp(): boolean {
    const { numbers, changed } = this.#text;
    if (this.start === 0 || numbers[this.start - 1] !== numbers[this.end - 1]) return false;
    changed[--this.start] = 1;
    changed[--this.end] = 0;
    while (this.start > 0 && changed[this.start - 1]) this.start--;
    return true;
  }
}

/**
 * Slides the changes of a text to where they are read best, as `xdl_change_compact` of git's xdiff: to a change of the other text, or to
 * where blank lines and indents suggest the ends of a block; else down.
 * @throws WorkBudgetError
 */
export async function slideChanges(text: ComparedText, other: ComparedText, work: WorkBudget): Promise<void> {
  const [group, beside] = [new Group(text), new Group(other)];
  do {
    work.spendSteps();
    if (work.isTurnDue) await work.turn();
    if (group.end > group.start) await slide(text, group, beside, work);
    beside.next();
  } while (group.next());
}

async function slide(text: ComparedText, group: Group, beside: Group, work: WorkBudget): Promise<void> {
  const step = async (): Promise<void> => {
    work.spendSteps(0.2);
    if (work.isTurnDue) await work.turn();
  };
  let size = 0;
  let earliestEnd = 0;
  /** Whether it can be beside a change of the other text. */
  let meetsOther = false;
  do {
    size = group.end - group.start;
    while (group.slideUp()) {
      beside.previous();
      await step();
    }
    earliestEnd = group.end;
    meetsOther = beside.end > beside.start;
    while (group.slideDown()) {
      beside.next();
      if (beside.end > beside.start) meetsOther = true;
      await step();
    }
  } while (size !== group.end - group.start);
  if (group.end === earliestEnd) return;
  if (meetsOther) {
    while (beside.end === beside.start && group.slideUp()) {
      beside.previous();
      await step();
    }
    return;
  }
  const best = bestEnd(text, { end: group.end, size, earliestEnd }, work);
  while (group.end > best && group.slideUp()) {
    beside.previous();
    await step();
  }
}

/** Of the places from `earliestEnd` to `end`, the last that divides the text best. */
function bestEnd(
  { lines }: ComparedText,
  { end, size, earliestEnd }: { end: number; size: number; earliestEnd: number },
  work: WorkBudget,
): number {
  let best: { end: number; score: SplitScore } | undefined;
  for (let at = Math.max(earliestEnd, end - size - 1, end - maxPlaces); at <= end; at++) {
    const score = { effectiveIndent: 0, penalty: 0 };
    addSplit(measureSplit(lines, at), score);
    addSplit(measureSplit(lines, at - size), score);
    if (!best || compareScores(score, best.score) <= 0) best = { end: at, score };
    work.spendSteps(4);
  }
  return best?.end ?? end;
}

import type { WorkBudget } from '../workers/work-budget.ts';
import type { ComparedText } from './compared-text.ts';
import { type Box, splitBox } from './split-box.ts';

/** A line that occurs in the other text as often as this, or as the root of the number of its lines, counts as frequent. */
const maxFrequent = 1_024;
/** Lines on each side that are looked at to tell whether a frequent line is among lines without a counterpart. */
const windowLines = 100;
/** So many lines without a counterpart for each frequent one let it be taken for changed, too. */
const absentPerFrequent = 4;

/** The lines of a text that are left for the search: their numbers, and their places in the text. */
interface Searched {
  numbers: Int32Array;
  places: Int32Array;
}

/**
 * Marks the lines of two texts that are in no common sequence. As `xdl_do_diff` of git's xdiff: the lines between the equal ends are
 * searched, without those that the other text lacks, and without frequent ones in the midst of such.
 * @throws WorkBudgetError
 */
export async function markChanges(one: ComparedText, other: ComparedText, work: WorkBudget): Promise<void> {
  const [a, b] = [one.numbers, other.numbers];
  const limit = Math.min(a.length, b.length);
  let start = 0;
  while (start < limit && a[start] === b[start]) start++;
  let end = 0;
  while (end < limit - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  work.spendSteps((start + end) / 8);
  const range = (all: Int32Array): Range => ({ start, end: all.length - end });
  const searched = [await chooseLines(one, b, range(a), work), await chooseLines(other, a, range(b), work)] as const;
  await search(searched, [one.changed, other.changed], work);
}

interface Range {
  start: number;
  end: number;
}

/** Lines of one kind: without a counterpart, with some, with many. */
const kinds = { absent: 0, some: 1, frequent: 2 } as const;

async function chooseLines(text: ComparedText, other: Int32Array, range: Range, work: WorkBudget): Promise<Searched> {
  const { numbers, changed } = text;
  const counts = new Int32Array(numbers.length + other.length);
  for (const number of other) (counts[number] as number)++;
  work.spendSteps(other.length / 8);
  if (work.isTurnDue) await work.turn();
  const frequent = Math.min(powerRoot(numbers.length), maxFrequent);
  const kindsOf = new Uint8Array(numbers.length);
  for (let at = range.start; at < range.end; at++) {
    const count = counts[numbers[at] ?? 0] ?? 0;
    kindsOf[at] = count === 0 ? kinds.absent : count >= frequent ? kinds.frequent : kinds.some;
  }
  const places: number[] = [];
  for (let at = range.start; at < range.end; at++) {
    const kind = kindsOf[at];
    const isSearched = kind === kinds.some || (kind === kinds.frequent && !isAmongAbsent(kindsOf, at, range));
    if (isSearched) places.push(at);
    else changed[at] = 1;
    work.spendSteps(kind === kinds.frequent ? 4 : 1);
    if (work.isTurnDue) await work.turn();
  }
  return { places: Int32Array.from(places), numbers: Int32Array.from(places, at => numbers[at] ?? 0) };
}

/** As `xdl_clean_mmatch`. */
function isAmongAbsent(kindsOf: Uint8Array, at: number, range: Range): boolean {
  const first = Math.max(range.start, at - windowLines);
  const last = Math.min(range.end - 1, at + windowLines);
  const count = (step: -1 | 1): { absent: number; frequent: number } => {
    const counted = { absent: 0, frequent: 1 };
    for (let place = at + step; place >= first && place <= last; place += step) {
      if (kindsOf[place] === kinds.absent) counted.absent++;
      else if (kindsOf[place] === kinds.frequent) counted.frequent++;
      else break;
    }
    return counted;
  };
  const before = count(-1);
  if (before.absent === 0) return false;
  const after = count(1);
  if (after.absent === 0) return false;
  const [absent, frequent] = [before.absent + after.absent, before.frequent + after.frequent];
  return frequent * absentPerFrequent < frequent + absent;
}

/** The power of two that git takes for a square root: of 100, 16. */
function powerRoot(number: number): number {
  let root = 1;
  for (let rest = number; rest > 0; rest = Math.floor(rest / 4)) root *= 2;
  return root;
}

/** As `xdl_recs_cmp`: divides the box until one side of each part is empty. */
async function search(
  [one, other]: readonly [Searched, Searched],
  [oneChanged, otherChanged]: readonly [Uint8Array, Uint8Array],
  work: WorkBudget,
): Promise<void> {
  const diagonals = one.numbers.length + other.numbers.length + 3;
  const memory = {
    forward: new Int32Array(diagonals + 1),
    backward: new Int32Array(diagonals + 1),
    origin: other.numbers.length + 1,
    maxCost: Math.max(powerRoot(diagonals), 256),
  };
  const boxes: Box[] = [
    { from: 0, to: one.numbers.length, otherFrom: 0, otherTo: other.numbers.length, isMinimal: false },
  ];
  for (let box = boxes.pop(); box; box = boxes.pop()) {
    let { from, to, otherFrom, otherTo } = box;
    while (from < to && otherFrom < otherTo && one.numbers[from] === other.numbers[otherFrom]) {
      from++;
      otherFrom++;
    }
    while (from < to && otherFrom < otherTo && one.numbers[to - 1] === other.numbers[otherTo - 1]) {
      to--;
      otherTo--;
    }
    work.spendSteps(1 + (box.to - box.from - (to - from)) / 8);
    if (from === to) {
      for (let at = otherFrom; at < otherTo; at++) otherChanged[other.places[at] ?? 0] = 1;
    } else if (otherFrom === otherTo) {
      for (let at = from; at < to; at++) oneChanged[one.places[at] ?? 0] = 1;
    } else {
      const { at, otherAt, isFirstMinimal, isSecondMinimal } = await splitBox(
        [one.numbers, other.numbers],
        { from, to, otherFrom, otherTo, isMinimal: box.isMinimal },
        memory,
        work,
      );
      boxes.push(
        { from: at, to, otherFrom: otherAt, otherTo, isMinimal: isSecondMinimal },
        { from, to: at, otherFrom, otherTo: otherAt, isMinimal: isFirstMinimal },
      );
    }
    if (work.isTurnDue) await work.turn();
  }
}

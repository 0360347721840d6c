import type { WorkBudget } from '../workers/work-budget.ts';

/** Lines of both texts that are compared: `from` to `to` of the one, `otherFrom` to `otherTo` of the other. */
export interface Box {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
  /** Whether the shortest way through it is wanted, whatever it costs. */
  isMinimal: boolean;
}

/** By diagonal, from `-origin` on: how far the ways from both ends have come. */
interface Furthest {
  forward: Int32Array;
  backward: Int32Array;
  origin: number;
  /** Steps after which the way is taken that has come furthest. */
  maxCost: number;
}

interface Split {
  at: number;
  otherAt: number;
  isFirstMinimal: boolean;
  isSecondMinimal: boolean;
}

/** Equal lines in a row that make a way a good one. */
const snakeLines = 20;
/** Steps from which a good way is taken although it may not be the shortest. */
const minHeuristicCost = 256;
/** A way is good that has come so much further than its steps. */
const gainPerStep = 4;
/** Comparisons of lines that are one step of a `WorkBudget`. */
const comparisonsPerStep = 8;
const unreached = 0x7fffffff;

/**
 * A point on a short way through a box, at which it is divided (Myers, An O(ND) Difference Algorithm, 1986, with the short cuts of
 * `xdl_split` of git's xdiff).
 * @throws WorkBudgetError
 */
export async function splitBox(
  [a, b]: readonly [Int32Array, Int32Array],
  { from, to, otherFrom, otherTo, isMinimal }: Box,
  { forward, backward, origin, maxCost }: Furthest,
  work: WorkBudget,
): Promise<Split> {
  const [lowest, highest] = [from - otherTo, to - otherFrom];
  const [forwardMiddle, backwardMiddle] = [from - otherFrom, to - otherTo];
  const isOdd = ((forwardMiddle - backwardMiddle) & 1) !== 0;
  let [forwardLow, forwardHigh] = [forwardMiddle, forwardMiddle];
  let [backwardLow, backwardHigh] = [backwardMiddle, backwardMiddle];
  const at = (all: Int32Array, diagonal: number): number => all[diagonal + origin] as number;
  forward[forwardMiddle + origin] = from;
  backward[backwardMiddle + origin] = to;
  for (let cost = 1; ; cost++) {
    let hasSnake = false;
    let comparisons = 0;
    if (forwardLow > lowest) forward[--forwardLow - 1 + origin] = -1;
    else ++forwardLow;
    if (forwardHigh < highest) forward[++forwardHigh + 1 + origin] = -1;
    else --forwardHigh;
    for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
      const [below, above] = [at(forward, diagonal - 1), at(forward, diagonal + 1)];
      let x = below >= above ? below + 1 : above;
      const start = x;
      while (x < to && x - diagonal < otherTo && a[x] === b[x - diagonal]) x++;
      if (x - start > snakeLines) hasSnake = true;
      comparisons += x - start + 1;
      forward[diagonal + origin] = x;
      if (isOdd && backwardLow <= diagonal && diagonal <= backwardHigh && at(backward, diagonal) <= x) {
        return { at: x, otherAt: x - diagonal, isFirstMinimal: true, isSecondMinimal: true };
      }
    }
    if (backwardLow > lowest) backward[--backwardLow - 1 + origin] = unreached;
    else ++backwardLow;
    if (backwardHigh < highest) backward[++backwardHigh + 1 + origin] = unreached;
    else --backwardHigh;
    for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
      const [below, above] = [at(backward, diagonal - 1), at(backward, diagonal + 1)];
      let x = below < above ? below : above - 1;
      const start = x;
      while (x > from && x - diagonal > otherFrom && a[x - 1] === b[x - diagonal - 1]) x--;
      if (start - x > snakeLines) hasSnake = true;
      comparisons += start - x + 1;
      backward[diagonal + origin] = x;
      if (!isOdd && forwardLow <= diagonal && diagonal <= forwardHigh && x <= at(forward, diagonal)) {
        return { at: x, otherAt: x - diagonal, isFirstMinimal: true, isSecondMinimal: true };
      }
    }
    work.spendSteps(comparisons / comparisonsPerStep);
    if (work.isTurnDue) await work.turn();
    if (isMinimal) continue;
    if (hasSnake && cost > minHeuristicCost) {
      let best = 0;
      let point = { x: 0, y: 0 };
      for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
        const x = at(forward, diagonal);
        const y = x - diagonal;
        const gain = x - from + (y - otherFrom) - Math.abs(diagonal - forwardMiddle);
        const isGood = gain > gainPerStep * cost && gain > best;
        if (!isGood || from + snakeLines > x || x >= to || otherFrom + snakeLines > y || y >= otherTo) continue;
        let equal = 1;
        while (a[x - equal] === b[y - equal] && equal < snakeLines) equal++;
        if (a[x - equal] !== b[y - equal]) continue;
        best = gain;
        point = { x, y };
      }
      if (best > 0) return { at: point.x, otherAt: point.y, isFirstMinimal: true, isSecondMinimal: false };
      for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
        const x = at(backward, diagonal);
        const y = x - diagonal;
        const gain = to - x + (otherTo - y) - Math.abs(diagonal - backwardMiddle);
        const isGood = gain > gainPerStep * cost && gain > best;
        if (!isGood || from >= x || x > to - snakeLines || otherFrom >= y || y > otherTo - snakeLines) continue;
        let equal = 0;
        while (equal < snakeLines && a[x + equal] === b[y + equal]) equal++;
        if (equal < snakeLines) continue;
        best = gain;
        point = { x, y };
      }
      if (best > 0) return { at: point.x, otherAt: point.y, isFirstMinimal: false, isSecondMinimal: true };
    }
    if (cost < maxCost) continue;
    let [furthest, furthestX] = [-1, -1];
    for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
      let x = Math.min(at(forward, diagonal), to);
      if (otherTo < x - diagonal) x = otherTo + diagonal;
      if (furthest >= 2 * x - diagonal) continue;
      [furthest, furthestX] = [2 * x - diagonal, x];
    }
    let [nearest, nearestX] = [Number.POSITIVE_INFINITY, 0];
    for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
      let x = Math.max(from, at(backward, diagonal));
      if (x - diagonal < otherFrom) x = otherFrom + diagonal;
      if (2 * x - diagonal >= nearest) continue;
      [nearest, nearestX] = [2 * x - diagonal, x];
    }
    return to + otherTo - nearest < furthest - (from + otherFrom)
      ? { at: furthestX, otherAt: furthest - furthestX, isFirstMinimal: true, isSecondMinimal: false }
      : { at: nearestX, otherAt: nearest - nearestX, isFirstMinimal: false, isSecondMinimal: true };
  }
}

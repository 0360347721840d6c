import type { WorkBudget } from './work-budget.ts';

/** Items that are sorted in one slice: a millisecond or two. */
const itemsPerSlice = 5_000;

/**
 * Sorts a list in place, as `sort` does, with turns of the event loop: half a million paths take half a second. Short lists are sorted
 * at once.
 * @throws WorkBudgetError
 */
export async function sortInTurns<T>(items: T[], compare: (a: T, b: T) => number, budget: WorkBudget): Promise<void> {
  if (items.length <= itemsPerSlice) {
    items.sort(compare);
    return;
  }
  let from = items.slice();
  for (let at = 0; at < from.length; at += itemsPerSlice) {
    const run = from.slice(at, at + itemsPerSlice).sort(compare);
    for (const [n, item] of run.entries()) from[at + n] = item;
    budget.spendSteps(run.length);
    if (budget.isTurnDue) await budget.turn();
  }
  let to = items;
  for (let width = itemsPerSlice; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      await merge({ from, to, start, middle: Math.min(start + width, from.length), end: start + 2 * width });
    }
    [from, to] = [to, from];
  }
  if (from !== items) for (const [at, item] of from.entries()) items[at] = item;

  async function merge(run: { from: T[]; to: T[]; start: number; middle: number; end: number }): Promise<void> {
    const end = Math.min(run.end, run.from.length);
    let [left, right] = [run.start, run.middle];
    for (let at = run.start; at < end; at++) {
      const [one, other] = [run.from[left] as T, run.from[right] as T];
      // Equal items keep their order.
      const takesLeft = left < run.middle && (right >= end || compare(one, other) <= 0);
      run.to[at] = takesLeft ? one : other;
      if (takesLeft) left++;
      else right++;
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
    }
  }
}

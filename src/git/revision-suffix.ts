import { CommitGraph } from './commit-graph.ts';
import type { Oid } from './object.ts';
import type { Repository } from './repository.ts';

/** A revision without its suffixes, and the steps that these name. */
export interface SplitRevision {
  /** Name or id of the object that the steps begin at. */
  name: string;
  /** For each generation, which parent: 1 is the first. */
  steps: number[];
  /** Whether there is a suffix: then the object must be a commit. */
  hasSuffix: boolean;
}

/** Generations of one revision. Each may read a commit; the history lists more of them. */
const maxGenerations = 1_000;

/**
 * Splits `main~2^2` into `main` and the parents 1, 1, 2 (gitrevisions(7)). No ref name contains `~` or `^`. Undefined for other
 * suffixes, more than `maxGenerations`, and suffixes without a name.
 */
export function splitRevision(text: string): SplitRevision | undefined {
  const at = text.search(/[~^]/);
  if (at < 0) return { name: text, steps: [], hasSuffix: false };
  const suffix = text.slice(at);
  if (at === 0 || suffix.length > 2 * maxGenerations || !/^(?:[~^]\d{0,4})+$/.test(suffix)) return undefined;
  const steps: number[] = [];
  for (const [, sign, digits] of suffix.matchAll(/([~^])(\d*)/g)) {
    const number = digits === '' ? 1 : Number(digits);
    if (sign === '^' && number > 0) steps.push(number);
    if (sign === '~') for (let step = 0; step < number && steps.length <= maxGenerations; step++) steps.push(1);
    if (steps.length > maxGenerations) return undefined;
  }
  return { name: text.slice(0, at), steps, hasSuffix: true };
}

/** The ancestor of a commit that the steps lead to; undefined when there is none. */
export async function followSteps(
  repository: Repository,
  commit: Oid,
  steps: readonly number[],
): Promise<Oid | undefined> {
  const graph = new CommitGraph(repository);
  let at: Oid | undefined = commit;
  for (const parent of steps) {
    at = (await graph.get(at)).parents[parent - 1];
    if (at === undefined) return undefined;
  }
  return at;
}

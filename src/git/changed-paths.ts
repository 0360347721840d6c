import type { WorkBudget } from '../workers/work-budget.ts';
import { type TreePair, treesOf } from './diff-trees.ts';
import type { Oid } from './object.ts';
import { readForFirst } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind } from './tree.ts';

/** Pairs of directories that are read together: at most twice as many trees. */
const pairsPerRead = 200;

interface Pair extends TreePair {
  /** Ends in a slash, except that of the root. */
  folder: string;
  /** Place of the commit in the result. */
  at: number;
}

/**
 * The paths (bytes as latin1 characters) of all files and directories that differ between two trees, for each of many
 * pairs. Undefined for more than `maxPaths`, and when a tree is missing or damaged. Unlike `diffTrees`, which lists
 * files, it also has the directories and every difference of the stored bytes, for example of modes that git treats as
 * equal: the result may have too many paths and never too few.
 * @throws WorkBudgetError
 */
export async function changedPaths(
  repository: Repository,
  trees: readonly TreePair[],
  maxPaths: number,
): Promise<(ReadonlySet<string> | undefined)[]> {
  const results = trees.map((): Set<string> | undefined => new Set());
  let pairs = trees.flatMap(({ before, after }, at): Pair[] =>
    before === after ? [] : [{ folder: '', before, after, at }],
  );
  while (pairs.length > 0) {
    const below: Pair[] = [];
    for (let waiting = pairs; waiting.length > 0; ) {
      const group = waiting.slice(0, pairsPerRead);
      const { count, found } = await readForFirst(repository, group, treesOf);
      const contentOf = (oid: Oid | undefined): Buffer | undefined =>
        oid === undefined ? emptyTree : found.get(oid)?.content;
      for (const { folder, before, after, at } of group.slice(0, count)) {
        const paths = results[at];
        if (!paths) continue;
        const differences = await compareEntries(contentOf(before), contentOf(after), repository.workBudget);
        for (const { name, old, current } of differences ?? []) {
          if (paths.size > maxPaths) break;
          paths.add(folder + name);
          if (old !== current) below.push({ folder: `${folder}${name}/`, before: old, after: current, at });
        }
        if (differences === undefined || paths.size > maxPaths) results[at] = undefined;
      }
      waiting = waiting.slice(count).filter(({ at }) => results[at] !== undefined);
    }
    pairs = below.filter(({ at }) => results[at] !== undefined);
  }
  return results;
}

const emptyTree = Buffer.alloc(0);

/** A name whose entries differ; `old` and `current` are set for directories. */
interface EntryDifference {
  name: string;
  old: Oid | undefined;
  current: Oid | undefined;
}

/**
 * The entries of two trees that differ, by their contents. Undefined when a tree is missing or damaged.
 * @throws WorkBudgetError
 */
export async function compareEntries(
  before: Buffer | undefined,
  after: Buffer | undefined,
  budget: WorkBudget,
): Promise<EntryDifference[] | undefined> {
  if (!before || !after) return undefined;
  const [old, current] = [await splitEntries(before, budget), await splitEntries(after, budget)];
  if (!old || !current) return undefined;
  // Nearly all entries are equal: only those between the equal ones at both ends are parsed.
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start++;
  let [oldEnd, end] = [old.length, current.length];
  while (oldEnd > start && end > start && old[oldEnd - 1] === current[end - 1]) {
    oldEnd--;
    end--;
  }
  const oldByName = await entriesByName(old.slice(start, oldEnd), budget);
  const byName = await entriesByName(current.slice(start, end), budget);
  const differences: EntryDifference[] = [];
  const compare = async (name: string): Promise<void> => {
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
    const [one, other] = [oldByName.get(name), byName.get(name)];
    if (one !== other) differences.push({ name, old: treeOid(one), current: treeOid(other) });
  };
  // Not the union of the names as one set: of two directories of 400,000 files it takes 0.3 s in one slice.
  for (const name of oldByName.keys()) await compare(name);
  for (const name of byName.keys()) if (!oldByName.has(name)) await compare(name);
  return differences;
}

/** Entries between two looks at the budget: trees are small, and nearly all time goes into this loop. */
const entriesPerSpending = 500;

/** The entries as they are stored, one latin1 string each. */
async function splitEntries(content: Buffer, budget: WorkBudget): Promise<string[] | undefined> {
  const entries: string[] = [];
  for (let at = 0; at < content.length; ) {
    const before = entries.length;
    while (at < content.length && entries.length < before + entriesPerSpending) {
      const end = content.indexOf(0, at) + 21;
      if (end < at + 21 || end > content.length) return undefined;
      entries.push(content.toString('latin1', at, end));
      at = end;
    }
    budget.spendSteps(entries.length - before);
    if (budget.isTurnDue) await budget.turn();
  }
  return entries;
}

/** The first of two entries with one name counts, as in git. */
async function entriesByName(entries: readonly string[], budget: WorkBudget): Promise<Map<string, string>> {
  const byName = new Map<string, string>();
  for (const entry of entries) {
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
    const name = entry.slice(entry.indexOf(' ') + 1, -21);
    if (!byName.has(name)) byName.set(name, entry);
  }
  return byName;
}

function treeOid(entry: string | undefined): Oid | undefined {
  if (entry === undefined || entryKind(entry.slice(0, entry.indexOf(' '))) !== 'directory') return undefined;
  return Buffer.from(entry.slice(-20), 'latin1').toString('hex');
}

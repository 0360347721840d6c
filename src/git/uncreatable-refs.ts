import { type Kysely, sql } from 'kysely';
import { sortInTurns } from '../workers/sort-in-turns.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
import { GitError } from './git-error.ts';
import { listAllRefs } from './list-all-refs.ts';
import { isRefName, parentRefNames } from './ref-name.ts';
import { lockRefNames } from './refs.ts';
import type { Repository } from './repository.ts';

/** The most refs of a repository, and the most bytes of their names together. */
export interface RefLimits {
  maxRefs: number;
  maxRefBytes: number;
}

/** Names above `created` that are looked up one by one. For more of them all refs are read instead. */
const maxProbedNames = 2_000;

/**
 * Those of `created` that cannot be refs, and why: `bad-ref-name` for an invalid name, `ref-conflict` for one that is needed both as a
 * ref and as a directory, `too-many-refs` for all of them beyond the limits. `deleted` are free by then. Blocks the creation of refs by
 * other transactions until the transaction ends; updates of existing refs are not blocked.
 */
export async function findUncreatableRefs(
  repository: Repository & { db: Kysely<unknown> },
  { created, deleted }: { created: readonly string[]; deleted: readonly string[] },
  limits?: RefLimits,
): Promise<Map<string, GitError>> {
  const problems = new Map<string, GitError>();
  if (created.length === 0) return problems;
  await lockRefNames(repository.db, repository.id);
  const { workBudget } = repository;
  const spend = async (steps: number): Promise<void> => {
    workBudget.spendSteps(steps);
    if (workBudget.isTurnDue) await workBudget.turn();
  };
  for (const name of created) {
    await spend(stepsPerName);
    if (!isRefName(name))
      problems.set(name, new GitError('bad-ref-name', name, `«${name}» cannot be the name of a ref.`));
  }
  const valid = created.filter(name => !problems.has(name));
  const { refs, bytes, others } = await readRefsAround(repository, valid, deleted);
  const sizeOf = (total: number, name: string): number => total + Buffer.byteLength(name);
  const isOverLimit =
    limits !== undefined && (refs + valid.length > limits.maxRefs || valid.reduce(sizeOf, bytes) > limits.maxRefBytes);
  if (isOverLimit) {
    for (const name of valid) {
      await spend(stepsPerError);
      problems.set(name, tooManyRefs(name, limits));
    }
    return problems;
  }
  const conflicts = await findNameConflicts(valid, others, workBudget);
  for (const [name, other] of conflicts) {
    await spend(stepsPerError);
    problems.set(name, nameConflict(name, other));
  }
  return problems;
}

/** Work of checking one name, 2 µs, and of an error with its stack. */
const stepsPerName = 2;
const stepsPerError = 10;

/** The refs that are not `deleted`: their number, the bytes of their names, and those that may conflict with `names`. */
async function readRefsAround(
  repository: Repository,
  names: readonly string[],
  deleted: readonly string[],
): Promise<{ refs: number; bytes: number; others: string[] }> {
  const { id, read } = repository;
  const folders = new Set<string>();
  for (const name of names) {
    for (const folder of parentRefNames(name)) folders.add(folder);
    if (folders.size + names.length <= maxProbedNames) continue;
    // 10,000 names of 124 parts need 1.2 million directories, 160 MB as parameters.
    const gone = new Set(deleted);
    const others = (await listAllRefs(repository)).map(ref => ref.name).filter(other => !gone.has(other));
    return { refs: others.length, bytes: others.reduce((sum, other) => sum + Buffer.byteLength(other), 0), others };
  }
  const [row] = await read<{ refs: number; bytes: number; others: string[] }>(sql`
    with kept as (select name from git_ref where repository_id = ${id} and not name = any(${[...deleted]}::text[]))
    select count(*)::int as refs, coalesce(sum(octet_length(name)), 0)::int as bytes, array(
      select name from git_ref where repository_id = ${id} and name = any(${[...folders]}::text[])
        and not name = any(${[...deleted]}::text[])
      union all
      select below.name from unnest(${[...names]}::text[]) as n (name)
        cross join lateral (select name from git_ref where repository_id = ${id}
          and name > n.name || '/' and name < n.name || '0' and not name = any(${[...deleted]}::text[]) limit 1) below) as others
    from kept`);
  return row ?? { refs: 0, bytes: 0, others: [] };
}

/**
 * The names that are a directory of another name or below one, each with that other name: of two new ones the longer, and every one
 * that conflicts with an existing name. In the order of paths a name comes right before all names below it, so that one pass over the
 * sorted names finds them.
 */
async function findNameConflicts(
  names: readonly string[],
  existing: readonly string[],
  workBudget: WorkBudget,
): Promise<Map<string, string>> {
  const conflicts = new Map<string, string>();
  const isExisting = new Set(existing);
  const turnIfDue = async (): Promise<void> => {
    workBudget.spendSteps(stepsPerName);
    if (workBudget.isTurnDue) await workBudget.turn();
  };
  // NUL, which no name has, sorts before everything that may follow a directory.
  const order = async (all: Iterable<string>): Promise<string[]> => {
    const paths: string[] = [];
    for (const name of all) {
      paths.push(name.replaceAll('/', '\0'));
      await turnIfDue();
    }
    await sortInTurns(paths, (one, other) => (one < other ? -1 : one > other ? 1 : 0), workBudget);
    return paths;
  };
  const nameOf = (path: string): string => path.replaceAll('\0', '/');
  let above: string | undefined;
  let open: string[] = [];
  for (const path of await order([...names, ...existing])) {
    await turnIfDue();
    for (let last = open.at(-1); last !== undefined && !path.startsWith(`${last}\0`); last = open.at(-1)) open.pop();
    if (above !== undefined && !path.startsWith(`${above}\0`)) above = undefined;
    if (isExisting.has(nameOf(path))) {
      for (const one of open) conflicts.set(nameOf(one), nameOf(path));
      open = [];
      above ??= path;
    } else if (above !== undefined) conflicts.set(nameOf(path), nameOf(above));
    else open.push(path);
  }
  above = undefined;
  for (const path of await order(names.filter(name => !conflicts.has(name)))) {
    await turnIfDue();
    if (above === undefined || !path.startsWith(`${above}\0`)) above = path;
    else conflicts.set(nameOf(path), nameOf(above));
  }
  return conflicts;
}

function nameConflict(name: string, other: string): GitError {
  return new GitError('ref-conflict', name, `«${name}» cannot be made: «${other}» exists.`);
}

function tooManyRefs(name: string, { maxRefs, maxRefBytes }: RefLimits): GitError {
  return new GitError(
    'too-many-refs',
    name,
    `«${name}» cannot be made: a repository has at most ${maxRefs} refs, and their names have at most ${maxRefBytes} bytes together.`,
  );
}

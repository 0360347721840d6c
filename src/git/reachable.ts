import type { WorkBudget } from '../workers/work-budget.ts';
import { parseLinks, parseTag } from './commit.ts';
import { GitError } from './git-error.ts';
import { type GitObject, isObjectType, type ObjectType, type Oid } from './object.ts';
import { wrongTypeError } from './object-cache.ts';
import { missingObject, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind, parseTree, parseTreeInTurns, type TreeEntry } from './tree.ts';
import { type WalkedObject, walkObjects } from './walk-objects.ts';

/** Bytes of the headers of a commit or tag that are one step. */
const bytesPerStep = 1024;

/**
 * Every object that is reachable from `tips` (of any type), once. Blobs are listed without being read; their existence is not
 * checked.
 * @throws GitError `missing`
 */
export function reachableObjects(repository: Repository, tips: Iterable<Oid>): AsyncGenerator<WalkedObject> {
  const seen = new Set<Oid>();
  const take = (oids: Iterable<Oid>): Oid[] => {
    const fresh: Oid[] = [];
    for (const oid of oids) {
      if (seen.has(oid)) continue;
      seen.add(oid);
      fresh.push(oid);
    }
    return fresh;
  };
  return walkObjects(repository, tips, { take });
}

/**
 * The connectivity check: every object that `objects` refer to must be among them or stored, and of the right type, so
 * that no ref can point to an incomplete history. Submodules are left out.
 * @throws GitError `missing` or `wrong-type`
 */
export async function assertConnected(repository: Repository, objects: readonly GitObject[]): Promise<void> {
  const given = new Map(objects.map(object => [object.oid, object.type]));
  const wanted = new Map<Oid, { type: ObjectType; by: Oid }>();
  for (const object of objects) {
    for (const { oid: by, target, type } of await referencesInTurns(object, repository.workBudget)) {
      const present = given.get(target);
      if (present === undefined) wanted.set(target, { type, by });
      else if (present !== type) throw wrongTarget(by, target, type);
    }
  }
  const stored = await statObjects(repository, [...wanted.keys()]);
  for (const [target, { type, by }] of wanted) {
    const found = stored.get(target);
    if (!found) throw new GitError('missing', target, `The object ${by} points to ${target}, which is not there.`);
    if (found.type !== type) throw wrongTarget(by, target, type);
  }
}

/** The ids of those of `objects` that `tips` reach through each other. @throws WorkBudgetError */
export async function reachableAmong(
  objects: readonly GitObject[],
  tips: readonly Oid[],
  budget: WorkBudget,
): Promise<Set<Oid>> {
  const byOid = new Map(objects.map(object => [object.oid, object]));
  const reached = new Set<Oid>();
  for (let waiting = [...tips]; waiting.length > 0; ) {
    const next: Oid[] = [];
    for (const oid of waiting) {
      const object = byOid.get(oid);
      if (!object || reached.has(oid)) continue;
      reached.add(oid);
      for (const { target } of await referencesInTurns(object, budget)) next.push(target);
    }
    waiting = next;
  }
  return reached;
}

/**
 * Checks that objects are stored, with these types.
 * @throws GitError `missing` or `wrong-type`
 */
export async function assertStored(repository: Repository, wanted: ReadonlyMap<Oid, ObjectType>): Promise<void> {
  const stored = await statObjects(repository, [...wanted.keys()]);
  for (const [oid, type] of wanted) {
    const found = stored.get(oid);
    if (!found) throw missingObject(oid);
    if (found.type !== type) throw wrongTypeError({ oid, type: found.type }, type);
  }
}

interface Reference {
  oid: Oid;
  target: Oid;
  type: ObjectType;
}

/** What an object refers to, without commits of submodules. @throws GitError `corrupt`, `wrong-type` */
export function references({ oid, type, content }: GitObject): Reference[] {
  switch (type) {
    case 'blob':
      return [];
    case 'commit': {
      const { tree, parents } = parseLinks(content, oid);
      return [
        { oid, target: tree, type: 'tree' },
        ...parents.map(parent => ({ oid, target: parent, type: 'commit' as const })),
      ];
    }
    case 'tag': {
      const tag = parseTag(content, oid);
      if (!isObjectType(tag.type)) throw wrongTarget(oid, tag.target, 'commit');
      return [{ oid, target: tag.target, type: tag.type }];
    }
    case 'tree':
      return parseTree(content, oid).entries.flatMap(entry => referenceOf(oid, entry) ?? []);
  }
}

/** The same with turns of the event loop. @throws as `references`; WorkBudgetError */
export async function referencesInTurns(object: GitObject, budget: WorkBudget): Promise<Reference[]> {
  if (object.type === 'blob') return [];
  if (object.type !== 'tree') {
    budget.spendSteps(1 + object.content.length / bytesPerStep);
    if (budget.isTurnDue) await budget.turn();
    return references(object);
  }
  const found: Reference[] = [];
  for (const entry of (await parseTreeInTurns(object.content, object.oid, budget)).entries) {
    const reference = referenceOf(object.oid, entry);
    if (reference) found.push(reference);
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
  }
  return found;
}

function referenceOf(oid: Oid, { mode, oid: target }: TreeEntry): Reference | undefined {
  const kind = entryKind(mode);
  return kind === 'submodule' ? undefined : { oid, target, type: kind === 'directory' ? 'tree' : 'blob' };
}

function wrongTarget(by: Oid, target: Oid, type: ObjectType): GitError {
  return new GitError('wrong-type', target, `The object ${by} says that ${target} is a ${type}, which it is not.`);
}

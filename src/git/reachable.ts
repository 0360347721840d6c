import { parseLinks, parseTag } from './commit.ts';
import { GitError } from './git-error.ts';
import { walkHistory } from './history.ts';
import { type GitObject, isObjectType, type ObjectType, type Oid } from './object.ts';
import { findObjects, missingObject, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind, parseTree } from './tree.ts';

export interface ReachableObject {
  oid: Oid;
  type: ObjectType;
}

/** Trees per statement. */
const treesPerRead = 200;

/**
 * Every object that is reachable from `tips` (of any type), once: tags, commits, trees, blobs. Commits of submodules
 * belong to other repositories and are left out. Blobs are listed without being read; their existence is not checked.
 * @throws GitError `missing`
 */
export async function* reachableObjects(repository: Repository, tips: readonly Oid[]): AsyncGenerator<ReachableObject> {
  const seen = new Set<Oid>();
  const isNew = (oid: Oid): boolean => !seen.has(oid) && seen.add(oid) !== undefined;
  const commits: Oid[] = [];
  let trees: Oid[] = [];
  const blobs: Oid[] = [];
  for (let wanted = [...new Set(tips)]; wanted.length > 0; ) {
    const types = await statObjects(repository, wanted);
    const tags: Oid[] = [];
    for (const oid of wanted) {
      const type = types.get(oid)?.type;
      if (type === undefined) throw missingObject(oid);
      if (type === 'commit') commits.push(oid);
      else if (isNew(oid)) (type === 'tag' ? tags : type === 'tree' ? trees : blobs).push(oid);
    }
    wanted = [];
    for (const [oid, tag] of await findObjects(repository, tags)) {
      yield { oid, type: 'tag' };
      wanted.push(parseTag(tag.content, oid).target);
    }
  }
  for await (const { oid, tree } of walkHistory(repository, commits)) {
    yield { oid, type: 'commit' };
    if (isNew(tree)) trees.push(tree);
  }
  while (trees.length > 0) {
    const subtrees: Oid[] = [];
    for (let at = 0; at < trees.length; at += treesPerRead) {
      const wanted = trees.slice(at, at + treesPerRead);
      const found = await findObjects(repository, wanted);
      for (const oid of wanted) {
        const tree = found.get(oid);
        if (!tree) throw missingObject(oid);
        yield { oid, type: 'tree' };
        for (const entry of tree.tree.entries) {
          const kind = entryKind(entry.mode);
          if (kind !== 'submodule' && isNew(entry.oid)) (kind === 'directory' ? subtrees : blobs).push(entry.oid);
        }
      }
    }
    trees = subtrees;
  }
  for (const oid of blobs) yield { oid, type: 'blob' };
}

/**
 * The connectivity check: every object that `objects` refer to must be among them or stored, and of the right type, so
 * that no ref can point to an incomplete history. Submodules are left out.
 * @throws GitError `missing` or `wrong-type`
 */
export async function assertConnected(repository: Repository, objects: readonly GitObject[]): Promise<void> {
  const given = new Map(objects.map(object => [object.oid, object.type]));
  const wanted = new Map<Oid, { type: ObjectType; by: Oid }>();
  for (const { oid: by, target, type } of objects.flatMap(references)) {
    const present = given.get(target);
    if (present === undefined) wanted.set(target, { type, by });
    else if (present !== type) throw wrongTarget(by, target, type);
  }
  const stored = await statObjects(repository, [...wanted.keys()]);
  for (const [target, { type, by }] of wanted) {
    const found = stored.get(target);
    if (!found) throw new GitError('missing', target, `The object ${by} points to ${target}, which is not there.`);
    if (found.type !== type) throw wrongTarget(by, target, type);
  }
}

/** The ids of those of `objects` that `tips` reach through each other. */
export function reachableAmong(objects: readonly GitObject[], tips: readonly Oid[]): Set<Oid> {
  const byOid = new Map(objects.map(object => [object.oid, object]));
  const reached = new Set<Oid>();
  for (let waiting = [...tips]; waiting.length > 0; ) {
    const next: Oid[] = [];
    for (const oid of waiting) {
      const object = byOid.get(oid);
      if (!object || reached.has(oid)) continue;
      reached.add(oid);
      for (const { target } of references(object)) next.push(target);
    }
    waiting = next;
  }
  return reached;
}

/** What an object refers to, without submodules. @throws GitError `wrong-type` for a tag of an unknown type */
export function references({ oid, type, content }: GitObject): { oid: Oid; target: Oid; type: ObjectType }[] {
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
      return parseTree(content, oid).entries.flatMap(entry => {
        const kind = entryKind(entry.mode);
        if (kind === 'submodule') return [];
        return [{ oid, target: entry.oid, type: kind === 'directory' ? ('tree' as const) : ('blob' as const) }];
      });
  }
}

function wrongTarget(by: Oid, target: Oid, type: ObjectType): GitError {
  return new GitError('wrong-type', target, `The object ${by} says that ${target} is a ${type}, which it is not.`);
}

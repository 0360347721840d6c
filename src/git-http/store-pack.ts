import { chunkBytes } from '../git/chunk-rows.ts';
import { compressObjects } from '../git/compress-objects.ts';
import type { GitObject, ObjectType, Oid } from '../git/object.ts';
import { insertObjectRows, type ObjectTarget } from '../git/object-rows.ts';
import { references } from '../git/reachable.ts';
import { statObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { storeBlob } from '../git/write-blob.ts';
import type { StoredObjects } from '../hosting/pushes/push-request.ts';
import { type Quarantine, RefusedPackError } from './quarantine.ts';

/** A pack with more is not held in memory: it is read again from its folder while it is stored. */
const maxInMemory = { objects: 2_000, bytes: 4 * 1024 * 1024 };
/** Limits of one statement. */
const maxStatement = { rows: 2_000, bytes: 4 * 1024 * 1024 };
/** Wanted objects that are looked for together. */
const wantedPerRead = 10_000;

/** A pack whose objects are complete. */
export interface CheckedPack {
  quarantine: Quarantine;
  /** All objects, when they are few. */
  objects: GitObject[] | undefined;
  /** What each commit and tag refers to. */
  targets: ReadonlyMap<Oid, readonly Oid[]>;
  /** The stored objects that they refer to. */
  links: ReadonlyMap<Oid, ObjectType>;
}

/**
 * Checks that everything the objects refer to is in the pack or stored, and of the right type.
 * @throws RefusedPackError; GitError `corrupt` or `wrong-type`
 */
export async function checkConnected(
  repository: Repository,
  quarantine: Quarantine,
  signal: AbortSignal,
): Promise<CheckedPack> {
  let bytes = 0;
  for (const { size } of quarantine.objects.values()) bytes += size;
  const isSmall = quarantine.objects.size <= maxInMemory.objects && bytes <= maxInMemory.bytes;
  const kept: GitObject[] = [];
  const targets = new Map<Oid, Oid[]>();
  const wanted = new Map<Oid, { type: ObjectType; by: Oid }>();
  const links = new Map<Oid, ObjectType>();
  const oids = [...quarantine.objects].flatMap(([oid, { type }]) => (isSmall || type !== 'blob' ? [oid] : []));
  for await (const object of quarantine.read(oids, signal)) {
    signal.throwIfAborted();
    const { oid, type } = object;
    const content = Buffer.from(await object.readAll());
    if (isSmall) kept.push({ oid, type, content });
    const found = references({ oid, type, content });
    const ends = found.map(({ target }) => target);
    if (type === 'commit' || type === 'tag') targets.set(oid, ends);
    for (const link of found) {
      const present = quarantine.objects.get(link.target);
      if (present === undefined && !links.has(link.target)) wanted.set(link.target, { type: link.type, by: oid });
      else if ((present?.type ?? links.get(link.target)) !== link.type) throw wrongType(oid, link.target, link.type);
    }
    if (wanted.size >= wantedPerRead) await findLinks(repository, wanted, links);
  }
  await findLinks(repository, wanted, links);
  return { quarantine, objects: isSmall ? kept : undefined, targets, links };
}

/** Moves what is stored from `wanted` to `links`. */
async function findLinks(
  repository: Repository,
  wanted: Map<Oid, { type: ObjectType; by: Oid }>,
  links: Map<Oid, ObjectType>,
): Promise<void> {
  const stored = await statObjects(repository, [...wanted.keys()]);
  for (const [oid, { type, by }] of wanted) {
    const found = stored.get(oid);
    if (!found) {
      throw new RefusedPackError('missing objects', [
        `error: The object ${by} needs the ${type} ${oid}, which is neither in the push nor in the repository.`,
        'error: A shallow clone can lack it: `git fetch --unshallow` gets it.',
      ]);
    }
    if (found.type !== type) throw wrongType(by, oid, type);
    links.set(oid, type);
  }
  wanted.clear();
}

function wrongType(by: Oid, oid: Oid, type: ObjectType): RefusedPackError {
  return new RefusedPackError('inconsistent objects', [
    `error: The object ${by} says that ${oid} is a ${type}, which it is not.`,
  ]);
}

/** Stores all objects of a pack with some megabytes in memory. They are compressed on the thread pool. */
export async function storePack(pack: CheckedPack, target: ObjectTarget, signal: AbortSignal): Promise<StoredObjects> {
  const { quarantine } = pack;
  // One order for all: transactions that store the same objects wait for each other.
  const oids = [...quarantine.objects.keys()].sort();
  const result = {
    bytes: 0,
    commits: [] as Oid[],
    oids,
    unreachableFrom: (tips: readonly Oid[]) => unreachableObjects(pack, tips, signal),
  };
  let objects: GitObject[] = [];
  let bytes = 0;
  let inserting = Promise.resolve();
  // While some objects are compressed and inserted, the next ones are read.
  const flush = async (): Promise<void> => {
    if (objects.length === 0) return;
    const rows = compressObjects(objects);
    [objects, bytes] = [[], 0];
    await Promise.all([rows, inserting]);
    inserting = rows.then(async all => {
      const inserted = await insertObjectRows(target, all);
      result.bytes += inserted.bytes;
      for (const oid of inserted.commits) result.commits.push(oid);
    });
    inserting.catch(() => {});
  };
  for await (const object of quarantine.read(oids, signal)) {
    const { oid, type, size } = object;
    if (type === 'blob' && size > chunkBytes) {
      const stored = await storeBlob(target, size, object.pieces());
      if (stored.oid !== oid) throw new RefusedPackError(`The object ${oid} is damaged.`);
      if (stored.isNew) result.bytes += size;
      continue;
    }
    // A copy: the piece is a view of a pipe buffer, which would stay in memory as long as its smallest view.
    objects.push({ oid, type, content: Buffer.from(await object.readAll()) });
    bytes += size;
    if (objects.length >= maxStatement.rows || bytes >= maxStatement.bytes) await flush();
  }
  await flush();
  await inserting;
  return result;
}

/** The objects of a pack that `tips` do not reach. */
async function unreachableObjects(
  { quarantine, targets }: CheckedPack,
  tips: readonly Oid[],
  signal: AbortSignal,
): Promise<Oid[]> {
  const reached = new Set<Oid>();
  const roots: Oid[] = [];
  const waiting = [...tips];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (reached.has(oid) || !quarantine.objects.has(oid)) continue;
    reached.add(oid);
    const ends = targets.get(oid);
    // One by one: a commit with as many parents as an argument list takes would exhaust the stack.
    if (ends) for (const end of ends) waiting.push(end);
    else roots.push(oid);
  }
  for (const oid of await quarantine.listBelow(roots, signal)) reached.add(oid);
  return [...quarantine.objects.keys()].filter(oid => !reached.has(oid));
}

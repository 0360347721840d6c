import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { chunkBytes } from '../git/chunk-rows.ts';
import { parseLinks, parseTag } from '../git/commit.ts';
import { type GitObject, isObjectType, type ObjectType, type Oid } from '../git/object.ts';
import { compression, insertObjectRows, type ObjectRow, type ObjectTarget, objectRowWith } from '../git/object-rows.ts';
import { statObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { entryKind, parseTree } from '../git/tree.ts';
import { storeBlob } from '../git/write-blob.ts';
import type { StoredObjects } from '../hosting/pushes/push-request.ts';
import { type Quarantine, RefusedPackError } from './quarantine.ts';

/** A pack with more is not held in memory: it is read again from its folder while it is stored. */
const maxInMemory = { objects: 2_000, bytes: 4 * 1024 * 1024 };
/** Limits of one statement. */
const maxStatement = { rows: 2_000, bytes: 4 * 1024 * 1024 };
/** Wanted objects that are looked for together. */
const wantedPerRead = 10_000;

const deflateAsync = promisify(deflate);

export interface ConnectedPack {
  /** Undefined when they are too many for memory. */
  objects: GitObject[] | undefined;
  /** The stored objects that they refer to. */
  links: ReadonlyMap<Oid, ObjectType>;
}

/**
 * Checks that everything the objects refer to is in the pack or stored, and of the right type.
 * @throws RefusedPackError
 */
export async function checkConnected(
  repository: Repository,
  quarantine: Quarantine,
  signal: AbortSignal,
): Promise<ConnectedPack> {
  let bytes = 0;
  for (const { size } of quarantine.objects.values()) bytes += size;
  const isSmall = quarantine.objects.size <= maxInMemory.objects && bytes <= maxInMemory.bytes;
  const kept: GitObject[] = [];
  const wanted = new Map<Oid, { type: ObjectType; by: Oid }>();
  const links = new Map<Oid, ObjectType>();
  const oids = [...quarantine.objects].flatMap(([oid, { type }]) => (isSmall || type !== 'blob' ? [oid] : []));
  for await (const object of quarantine.read(oids)) {
    signal.throwIfAborted();
    const { oid, type } = object;
    const content = Buffer.from(await object.readAll());
    if (isSmall) kept.push({ oid, type, content });
    for (const link of linksOf(oid, type, content)) {
      const present = quarantine.objects.get(link.oid);
      if (present === undefined && !links.has(link.oid)) wanted.set(link.oid, { type: link.type, by: oid });
      else if ((present?.type ?? links.get(link.oid)) !== link.type) throw wrongType(oid, link.oid, link.type);
    }
    if (wanted.size >= wantedPerRead) await findLinks(repository, wanted, links);
  }
  await findLinks(repository, wanted, links);
  return { objects: isSmall ? kept : undefined, links };
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

/** Commits of submodules belong to other repositories. */
function linksOf(oid: Oid, type: ObjectType, content: Buffer): { oid: Oid; type: ObjectType }[] {
  switch (type) {
    case 'blob':
      return [];
    case 'commit': {
      const { tree, parents } = parseLinks(content, oid);
      return [{ oid: tree, type: 'tree' }, ...parents.map(parent => ({ oid: parent, type: 'commit' as const }))];
    }
    case 'tag': {
      const tag = parseTag(content, oid);
      if (!isObjectType(tag.type)) throw new RefusedPackError(`The tag ${oid} names an unknown type.`);
      return [{ oid: tag.target, type: tag.type }];
    }
    case 'tree':
      return parseTree(content, oid).entries.flatMap((entry): { oid: Oid; type: ObjectType }[] => {
        const kind = entryKind(entry.mode);
        return kind === 'submodule' ? [] : [{ oid: entry.oid, type: kind === 'directory' ? 'tree' : 'blob' }];
      });
  }
}

function wrongType(by: Oid, oid: Oid, type: ObjectType): RefusedPackError {
  return new RefusedPackError('inconsistent objects', [
    `error: The object ${by} says that ${oid} is a ${type}, which it is not.`,
  ]);
}

/** Stores all objects of a pack with some megabytes in memory. They are compressed on the thread pool. */
export async function storePack(quarantine: Quarantine, target: ObjectTarget): Promise<StoredObjects> {
  // One order for all: transactions that store the same objects wait for each other.
  const oids = [...quarantine.objects.keys()].sort();
  const result = { bytes: 0, commits: [] as Oid[], oids };
  let objects: GitObject[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const rows = await Promise.all(objects.map(toRow));
    objects = [];
    bytes = 0;
    if (rows.length === 0) return;
    const inserted = await insertObjectRows(target, rows);
    result.bytes += inserted.bytes;
    for (const oid of inserted.commits) result.commits.push(oid);
  };
  for await (const object of quarantine.read(oids)) {
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
  return result;
}

async function toRow(object: GitObject): Promise<ObjectRow> {
  return objectRowWith(object, await deflateAsync(object.content, compression));
}

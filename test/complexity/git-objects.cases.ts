import { sql } from 'kysely';
import { readContents, readHeads } from '../../src/git/batched-objects.ts';
import { compressObjects } from '../../src/git/compress-objects.ts';
import { copyObjects } from '../../src/git/copy-objects.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { collectGarbage } from '../../src/git/maintenance/collect-garbage.ts';
import { DeltaChains } from '../../src/git/maintenance/delta-chains.ts';
import { withMaintenanceLock } from '../../src/git/maintenance/maintenance-lock.ts';
import { verifyRepository } from '../../src/git/maintenance/verify-repository.ts';
import { createObject, type GitObject } from '../../src/git/object.ts';
import { listGivenObjects, listStoredObjects, ObjectIndex } from '../../src/git/object-list.ts';
import { assertShape } from '../../src/git/object-shape.ts';
import { packStream } from '../../src/git/pack-stream.ts';
import { referencesInTurns } from '../../src/git/reachable.ts';
import { statObjects } from '../../src/git/read-objects.ts';
import { decodeContentInTurns, hashInTurns } from '../../src/git/stored-content.ts';
import { encodeTreeInTurns, parseTreeInTurns } from '../../src/git/tree.ts';
import { TreePaths } from '../../src/git/tree-paths.ts';
import { writeObjects } from '../../src/git/write-objects.ts';
import type { GitWorld } from '../git/worlds.ts';
import { type Case, exported } from './complexity.ts';
import { blobOid, chain, fileEntry, opened, stored, treeOf, wideTree } from './git-histories.ts';
import { requestBudget } from './request-budgets.ts';
import { userLimits } from './user-limits.ts';

const signal = new AbortController().signal;

const smallBlobs = (count: number): GitObject[] =>
  Array.from({ length: count }, (_, at) => createObject('blob', Buffer.from(`${at}`)));

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

const contents: Case[] = [
  {
    name: 'a large tree that is read, checked and written in turns',
    covers: [
      ...exported('src/git/tree.ts', 'parseTreeInTurns', 'encodeTreeInTurns'),
      ...exported('src/git/reachable.ts', 'referencesInTurns'),
      ...exported('src/git/tree-links.ts', 'treeLinks'),
      ...exported('src/git/stored-content.ts', 'hashInTurns'),
      ...exported('src/git/object-shape.ts', 'assertShape', 'shapeProblem', 'sizeProblem'),
    ],
    sizes: { from: 1_000, largest: userLimits.treeEntries },
    prepare: size => {
      const tree = treeOf(Array.from({ length: size }, (_, at) => fileEntry(`f${at}`, blobOid(at))));
      return async () => {
        const budget = requestBudget();
        const { entries } = await parseTreeInTurns(tree.content, tree.oid, budget);
        await encodeTreeInTurns(entries, budget);
        await referencesInTurns(tree, budget);
        await hashInTurns('tree', tree.content, budget);
        assertShape(tree, shape);
      };
    },
  },
  {
    name: 'the shape of a commit of many lines',
    covers: exported('src/git/object-shape.ts', 'assertShape', 'shapeProblem', 'sizeProblem'),
    sizes: { from: 10_000, largest: userLimits.commitBytes },
    prepare: size => {
      const commit = createObject('commit', Buffer.from(`tree ${blobOid(1)}\n${'a\n'.repeat(size / 2)}`));
      return () => assertShape(commit, { ...shape, maxHeaderLines: Number.POSITIVE_INFINITY });
    },
  },
  {
    name: 'a large content that is unpacked',
    covers: exported('src/git/stored-content.ts', 'decodeContentInTurns', 'decodeContent', 'inflateInTurns'),
    sizes: { from: 65_536, largest: 16 * 1024 * 1024 },
    prepare: async size => {
      const object = createObject('blob', Buffer.alloc(size, 'a'));
      const [row] = await compressObjects([object]);
      const z = row?.z ?? Buffer.alloc(0);
      return () => decodeContentInTurns({ oid: object.oid, type: 'blob', size, z }, requestBudget());
    },
  },
];

const paths: Case[] = [
  {
    name: 'paths of trees that wait for each other',
    covers: exported('src/git/tree-paths.ts', 'TreePaths'),
    sizes: { from: 1_000, largest: 20_000 },
    prepare: size => () => {
      // Each tree names the next one, and the last comes last.
      const all = new TreePaths({ ...shape, maxPathDepth: size + 1, maxPathBytes: 3 * size });
      for (let at = 0; at < size; at++) all.add(blobOid(at), 1, [{ target: blobOid(at + 1), nameBytes: 1 }]);
      return all.add(blobOid(size), 1, []);
    },
  },
];

const shape = {
  maxCommitBytes: 2 * userLimits.commitBytes,
  maxHeaderLines: userLimits.headerLines,
  maxParents: userLimits.parents,
  maxTreeEntries: userLimits.treeEntries,
  maxPathBytes: userLimits.pathBytes,
  maxPathDepth: userLimits.pathParts,
};

/** Objects are stored once for all sizes: only lists of them differ. */
const blobsStored = new WeakMap<GitWorld, Promise<{ id: number; oids: string[] }>>();
const maxBlobs = 20_000;

function manyBlobs(world: GitWorld): Promise<{ id: number; oids: string[] }> {
  const known = blobsStored.get(world);
  if (known) return known;
  const blobs = smallBlobs(maxBlobs);
  const made = stored(world, blobs).then(({ id }) => ({ id, oids: blobs.map(({ oid }) => oid) }));
  blobsStored.set(world, made);
  return made;
}

const lists: Case[] = [
  {
    name: 'many small objects that are stored',
    covers: [
      ...exported('src/git/write-objects.ts', 'writeObjects', 'rowsForOneStatement'),
      ...exported('src/git/object-rows.ts', 'toObjectRow', 'insertObjectRows', 'objectValues', 'insertObjectsSql'),
      ...exported('src/git/compress-objects.ts', 'compressObjects'),
    ],
    sizes: { from: 500, largest: 10_000 },
    prepare: (size, world) => {
      const blobs = smallBlobs(size);
      return async () => {
        await compressObjects(blobs);
        const { id } = world.repository();
        await world.context.transaction(db => writeObjects({ db, repositoryId: id, now: new Date() }, blobs));
      };
    },
  },
  {
    name: 'many objects that are looked up and copied',
    covers: [
      ...exported('src/git/read-objects.ts', 'statObjects', 'statObject'),
      ...exported('src/git/batched-objects.ts', 'readHeads', 'readContents'),
      ...exported('src/git/copy-objects.ts', 'copyObjects'),
      ...exported('src/git/object-key.ts', 'keysSql'),
    ],
    sizes: { from: 500, largest: maxBlobs },
    prepare: async (size, world) => {
      const { id, oids } = await manyBlobs(world);
      const wanted = oids.slice(0, size);
      const keys = wanted.slice(0, 2_000).map(oid => ({ repositoryId: id, oid }));
      return async () => {
        const repository = opened(world, { id });
        await statObjects(repository, wanted);
        await readHeads(repository.read, keys);
        await readContents(repository, keys, { left: 1024 * 1024, maxBlobBytes: 1024 });
        const target = world.repository().id;
        await world.context.transaction(db =>
          copyObjects({ db, repositoryId: target, now: new Date() }, repository, wanted),
        );
      };
    },
  },
  {
    name: 'a pack of many objects',
    covers: [
      ...exported('src/git/object-list.ts', 'listGivenObjects', 'listStoredObjects', 'ObjectIndex'),
      ...exported('src/git/pack-stream.ts', 'packStream'),
      ...exported('src/git/maintenance/delta-chains.ts', 'DeltaChains'),
    ],
    sizes: { from: 500, largest: maxBlobs },
    prepare: async (size, world) => {
      const { id, oids } = await manyBlobs(world);
      const wanted = oids.slice(0, size);
      return async () => {
        const repository = opened(world, { id });
        await drain(packStream(repository, await listGivenObjects(repository, wanted)));
        await listStoredObjects(repository);
        await DeltaChains.read(repository, await ObjectIndex.read(repository));
      };
    },
  },
];

const maintenance: Case[] = [
  {
    name: 'garbage collection and verification of many trees',
    covers: [
      ...exported('src/git/maintenance/collect-garbage.ts', 'collectGarbage'),
      ...exported('src/git/maintenance/verify-repository.ts', 'verifyRepository'),
      ...exported('src/git/maintenance/maintenance-lock.ts', 'withMaintenanceLock'),
      ...exported('src/git/object-list.ts', 'ObjectIndex'),
    ],
    sizes: { from: 5, largest: 80 },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => wideTree(1_000, { from: at * 1_000 }));
      const repository = await stored(world, [...trees.flatMap(({ objects }) => objects), ...smallBlobs(size * 100)]);
      const options = {
        cutoff: new Date(0),
        signal,
        listRoots: async () => trees.map(({ top }) => top),
        onDeleted: async () => {},
      };
      return async () => {
        await withMaintenanceLock(world.database.pools.jobs, repository.id, session =>
          collectGarbage(session, opened(world, repository), options),
        );
        await verifyRepository(opened(world, repository), { onDefect: () => {}, signal });
      };
    },
  },
  {
    name: 'the index of a long history',
    covers: [
      ...exported('src/git/index-commits.ts', 'indexCommits'),
      ...exported('src/git/segment-reader.ts', 'SegmentReader'),
      ...exported('src/git/commit-segment.ts', 'CommitSegment'),
      ...exported('src/git/commit-graph.ts', 'isIndexed', 'toNode'),
    ],
    sizes: { from: 500, largest: 8_000 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects } = chain(size, () => tree.top);
      const { id } = await stored(world, [...tree.objects, ...objects]);
      return async () => {
        // An index grows only once.
        await sql`delete from git_commit_segment where repository_id = ${id}`.execute(world.database.sql);
        await sql`insert into git_unindexed_commit (repository_id, committed_at, oid)
          select repository_id, committed_at, oid from git_object where repository_id = ${id} and type = 1
          on conflict do nothing`.execute(world.database.sql);
        while ((await indexCommits(world.context, id)) > 0);
      };
    },
  },
];

export const gitObjectCases: readonly Case[] = [...contents, ...paths, ...lists, ...maintenance];

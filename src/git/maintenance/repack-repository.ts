import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { addPack, createBareRepository, packedRefs, refLines } from '../bare-repository.ts';
import { chunkBytes } from '../chunk-rows.ts';
import { runLimitedGit } from '../limited-git.ts';
import { listAllRefs } from '../list-all-refs.ts';
import type { Oid } from '../object.ts';
import { ScanObjectCache } from '../object-cache.ts';
import { ObjectIndex } from '../object-list.ts';
import { ownedFolderName } from '../owned-folders.ts';
import { packSettings, processLimits } from '../pack-limits.ts';
import { packStream } from '../pack-stream.ts';
import { readCommit } from '../read-objects.ts';
import { readRef } from '../refs.ts';
import { oidBytes, type Repository } from '../repository.ts';
import { walkObjects } from '../walk-objects.ts';
import { DeltaChains } from './delta-chains.ts';
import type { MaintenanceSession } from './maintenance-lock.ts';
import { type PackedDelta, packedDeltas } from './pack-deltas.ts';

export interface RepackOptions {
  /** An existing folder; one of its own is made in it and deleted. */
  scratch: string;
  /** Objects that were stored at this time or later stay as they are. */
  coldBefore: Date;
  /** Full name of the branch whose files are read most: the trees and blobs of its tip stay as they are, except large blobs. */
  hotBranch: string;
  /** Nothing is done when the others have fewer bytes of content. */
  minBytes: number;
  signal: AbortSignal;
}

export interface RepackedRepository {
  /** False when the cold objects have fewer than `minBytes`. */
  isRepacked: boolean;
  /** Objects that are stored as deltas now and were not before. */
  deltas: number;
  /** Bytes of the contents of all objects that were stored before `coldBefore`. */
  coldBytes: number;
}

/**
 * git's defaults are a window of 10 and a depth of 50. With a file of 5 MB and 100 edits, packs of depth 10, 20 and 50 differ by
 * 0.2 %; a chain is read by one statement with an index scan for each delta.
 */
const [packWindow, packDepth] = [10, 20];

/**
 * Without --no-reuse-delta git makes no delta between two objects that it finds whole in one pack. Without --delta-base-offset each
 * delta names its base by id, as the rows do.
 */
const packArgs = [
  ...['pack-objects', '-q', '--revs', '--all', '--no-reuse-delta'],
  ...[`--window=${packWindow}`, `--depth=${packDepth}`, 'deltas'],
];

/** Limits of one transaction. Only the rows that it changes are locked, and nobody waits for them but a push that stores the same. */
const maxTransaction = { rows: 500, bytes: 2 * 1024 * 1024 };

/**
 * A delta that saves less is not worth a new version of the row. The base id and the size take 25 bytes of what is saved.
 */
const minSavedBytes = 100;

/**
 * Stores trees and blobs as deltas that git finds in a copy of the repository on disk: an object that was stored as a whole becomes
 * a delta, never the reverse, and a delta gets another base when that shortens its chain. Commits and tags stay whole: they are
 * short, and a delta of one saves little.
 *
 * git computes the ids of all objects when it takes the copy, and again from the deltas that it has made (`verify-pack`), before
 * anything is replaced: damaged content never replaces sound content.
 * @throws GitProcessError, GitError `corrupt`
 */
export async function repackRepository(
  session: MaintenanceSession,
  given: Repository,
  { scratch, coldBefore, hotBranch, minBytes, signal }: RepackOptions,
): Promise<RepackedRepository> {
  const repository: Repository = { ...given, cache: new ScanObjectCache(given.cache) };
  const index = await ObjectIndex.read(repository);
  const hot = await findHotObjects(repository, index, hotBranch);
  const isCold = (at: number): boolean => index.storedAt(at) < coldBefore.getTime();
  const canBeDelta = (at: number): boolean => {
    const type = index.type(at);
    return isCold(at) && hot[at] === 0 && (type === 'blob' || type === 'tree');
  };
  let [coldBytes, candidates] = [0, 0];
  for (let at = 0; at < index.count; at++) {
    if (isCold(at)) coldBytes += index.size(at);
    if (canBeDelta(at) && index.bases[at] === -1) candidates++;
    repository.workBudget.spendSteps();
    if (repository.workBudget.isTurnDue) await repository.workBudget.turn();
  }
  if (coldBytes < minBytes) return { isRepacked: false, deltas: 0, coldBytes };
  const refs = candidates === 0 ? [] : await listAllRefs(repository);
  if (refs.length === 0) return { isRepacked: true, deltas: 0, coldBytes };
  const folder = join(scratch, ownedFolderName());
  const run = { folder, limits: processLimits, config: packSettings, signal };
  try {
    await createBareRepository(folder);
    await addPack(folder, packStream(repository, index), { signal });
    await writeFile(join(folder, 'packed-refs'), packedRefs(refLines(refs)));
    const name = (await runLimitedGit(packArgs, run)).toString().trim();
    const path = join(folder, `deltas-${name}`);
    await runLimitedGit(['verify-pack', `${path}.idx`], run);
    const chains = await DeltaChains.read(repository, index);
    let batch: PackedDelta[] = [];
    let [deltas, bytes] = [0, 0];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await replaceByDeltas(session, repository.id, index, batch);
      deltas += batch.filter(({ at }) => index.bases[at] === -1).length;
      batch = [];
      bytes = 0;
    };
    for await (const delta of packedDeltas(path, index, { folder, signal })) {
      signal.throwIfAborted();
      if (!canBeDelta(delta.at) || !isWorthwhile(index, delta) || !chains.add(delta)) continue;
      batch.push(delta);
      bytes += delta.bytes.length;
      if (batch.length >= maxTransaction.rows || bytes >= maxTransaction.bytes) await flush();
    }
    await flush();
    return { isRepacked: true, deltas, coldBytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** 1 at the places of the objects that stay whole. git prefers the largest version as a base, which need not be the newest. */
async function findHotObjects(repository: Repository, index: ObjectIndex, branch: string): Promise<Uint8Array> {
  const hot = new Uint8Array(index.count);
  const tip = await readRef(repository, branch);
  if (tip === undefined) return hot;
  const { tree } = await readCommit(repository, tip);
  const take = (oids: Iterable<Oid>): Oid[] => {
    const fresh: Oid[] = [];
    for (const oid of oids) {
      const at = index.indexOf(oidBytes(oid));
      if (at < 0 || hot[at] === 1 || (index.type(at) === 'blob' && index.size(at) > chunkBytes)) continue;
      hot[at] = 1;
      fresh.push(oid);
    }
    return fresh;
  };
  for await (const _ of walkObjects(repository, [tree], { take }));
  return hot;
}

/**
 * At least half of the bytes are saved. A blob in chunks has more than a mebibyte before compression. A delta that shortens a chain
 * may be twice as large as the one before.
 */
function isWorthwhile(index: ObjectIndex, { at, bytes }: PackedDelta): boolean {
  const before = index.rowBytes(at);
  if (index.bases[at] !== -1) return bytes.length <= 2 * before;
  return before < 0 || (bytes.length + minSavedBytes <= before && bytes.length * 2 <= before);
}

/** One transaction: an object has its content, or its delta and the base of that. */
async function replaceByDeltas(
  session: MaintenanceSession,
  repositoryId: number,
  index: ObjectIndex,
  batch: readonly PackedDelta[],
): Promise<void> {
  // As few binary parameters, for the reason of `insertObjectsSql`.
  const oids = Buffer.concat(batch.map(({ at }) => index.oid(at)));
  const bases = Buffer.concat(batch.map(({ base }) => index.oid(base)));
  const deltas = Buffer.concat(batch.map(({ bytes }) => bytes));
  const lengths = batch.map(({ bytes }) => bytes.length);
  let end = 1;
  const starts = lengths.map(length => {
    end += length;
    return end - length;
  });
  await session.transaction(async db => {
    // Locked in the order of the ids, as `settleExisting` does. PostgreSQL checks once more that the base is there.
    await sql`
      with replaced as materialized (
        select o.oid, o.chunks, substr(${bases}::bytea, i::int * 20 - 19, 20) as base, one.size,
          substr(${deltas}::bytea, one.start, one.length) as delta
        from unnest(${starts}::int[], ${lengths}::int[], ${batch.map(({ size }) => size)}::int[])
          with ordinality as one (start, length, size, i)
        join git_object o on o.repository_id = ${repositoryId} and o.oid = substr(${oids}::bytea, i::int * 20 - 19, 20)
        where exists (select from git_object b
          where b.repository_id = ${repositoryId} and b.oid = substr(${bases}::bytea, i::int * 20 - 19, 20))
        order by o.oid for no key update of o),
      chunks as (delete from git_chunk where chunks in (select chunks from replaced where chunks is not null))
      update git_object o set z = null, chunks = null, delta = replaced.delta, delta_base = replaced.base,
        delta_size = replaced.size
      from replaced where o.repository_id = ${repositoryId} and o.oid = replaced.oid`.execute(db);
  });
}

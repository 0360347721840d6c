import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { chunkBytes } from '../chunk-rows.ts';
import { GitError } from '../git-error.ts';
import { listAllRefs } from '../list-all-refs.ts';
import type { GitObject, Oid } from '../object.ts';
import { MemoryObjectCache, ScanObjectCache } from '../object-cache.ts';
import { ObjectIndex } from '../object-list.ts';
import { commitColumns } from '../object-rows.ts';
import { openBlob } from '../open-blob.ts';
import { referencesInTurns } from '../reachable.ts';
import { findObjects } from '../read-objects.ts';
import { isRefName, parentRefNames } from '../ref-name.ts';
import { oidBytes, type Repository } from '../repository.ts';
import { maxChainDeltas } from './delta-chains.ts';

export interface VerifiedRepository {
  objects: number;
  refs: number;
  defects: number;
}

/** Limits of the objects that are read together. */
const maxBatch = { objects: 500, bytes: 8 * 1024 * 1024 };

/**
 * Checks everything that is stored of a repository: the content of each object against its id and the columns that are computed from
 * it, that everything it refers to is stored with the right type, the chains of deltas, and the refs. Calls `onDefect` with one line
 * for each defect. Nothing may be repacked or collected meanwhile; pushes may go on.
 */
export async function verifyRepository(
  given: Repository,
  { onDefect, signal }: { onDefect(line: string): void; signal: AbortSignal },
): Promise<VerifiedRepository> {
  // Nothing is taken from the cache of a process, which has it from before the damage.
  const repository: Repository = { ...given, cache: new ScanObjectCache(nothingCached) };
  let defects = 0;
  const report = (line: string): void => {
    defects++;
    onDefect(line);
  };
  const refs = await listAllRefs(repository);
  const index = await ObjectIndex.read(repository);
  await verifyChains(index, report, repository.workBudget);
  for (const batch of batchesOf(index)) {
    signal.throwIfAborted();
    await verifyBatch(repository, index, batch, report);
  }
  await reportStrayChunks(repository, report);
  const names = new Set(refs.map(({ name }) => name));
  for (const { name, oid } of refs) {
    const at = index.indexOf(oidBytes(oid));
    if (!isRefName(name)) report(`The name of the ref ${name} is not valid.`);
    const above = parentRefNames(name).find(one => names.has(one));
    if (above !== undefined) report(`The ref ${name} is below the ref ${above}.`);
    if (at < 0) report(`The ref ${name} points to ${oid}, which is not stored.`);
    else if (name.startsWith('refs/heads/') && index.type(at) !== 'commit') {
      report(`The branch ${name} points to ${oid}, which is a ${index.type(at)}.`);
    }
  }
  return { objects: index.count, refs: refs.length, defects };
}

const nothingCached = new MemoryObjectCache(32, 1, 1);

type Report = (line: string) => void;

async function verifyChains(index: ObjectIndex, report: Report, budget: WorkBudget): Promise<void> {
  for (let at = 0; at < index.count; at++) {
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
    let deltas = 0;
    let base = index.bases[at] ?? -1;
    for (; base >= 0 && deltas <= maxChainDeltas; deltas++) base = index.bases[base] ?? -1;
    if (base === -2) report(`The base of the delta of ${index.hex(at)}, or of its base, is not stored.`);
    if (base >= 0) report(`The chain of deltas of ${index.hex(at)} is a circle or has more than ${maxChainDeltas}.`);
  }
}

function* batchesOf(index: ObjectIndex): Generator<number[]> {
  let batch: number[] = [];
  let bytes = 0;
  for (let at = 0; at < index.count; at++) {
    batch.push(at);
    bytes += index.size(at);
    if (batch.length < maxBatch.objects && bytes < maxBatch.bytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

async function verifyBatch(
  repository: Repository,
  index: ObjectIndex,
  batch: readonly number[],
  report: Report,
): Promise<void> {
  const isLarge = (at: number): boolean => index.type(at) === 'blob' && index.size(at) > chunkBytes;
  const small = batch.filter(at => !isLarge(at));
  const objects = await readEach(
    repository,
    small.map(at => index.hex(at)),
    report,
  );
  await verifyColumns(repository, objects, report);
  for (const object of objects) await verifyLinks(index, object, report, repository.workBudget);
  for (const at of batch) if (isLarge(at)) await verifyLargeBlob(repository, index.hex(at), report);
}

/** Reads them together, and one by one when one of them is damaged. */
async function readEach(repository: Repository, oids: readonly Oid[], report: Report): Promise<GitObject[]> {
  try {
    return [...(await findObjects(repository, oids)).values()];
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (oids.length === 1) {
      report(error.message);
      return [];
    }
  }
  const middle = Math.ceil(oids.length / 2);
  const first = await readEach(repository, oids.slice(0, middle), report);
  return [...first, ...(await readEach(repository, oids.slice(middle), report))];
}

interface CheckedColumns {
  oid: Buffer;
  sha256: Buffer;
  links: Buffer | null;
  committedAt: number | null;
}

async function verifyColumns({ id, read }: Repository, objects: readonly GitObject[], report: Report): Promise<void> {
  const rows = await read<CheckedColumns>(sql`
    select oid, sha256, links, committed_at as "committedAt" from git_object
    where repository_id = ${id} and oid = any(${objects.map(({ oid }) => oidBytes(oid))}::bytea[])`);
  const byOid = new Map(rows.map(row => [row.oid.toString('hex'), row]));
  for (const { oid, type, content } of objects) {
    const row = byOid.get(oid);
    if (!row) continue;
    if (!hash('sha256', content, 'buffer').equals(row.sha256))
      report(`The check sum of ${oid} is not that of its content.`);
    if (type !== 'commit') continue;
    if (!hasColumnsOf(row, content)) report(`The columns of the commit ${oid} are not those of its content.`);
  }
}

function hasColumnsOf({ oid, links, committedAt }: CheckedColumns, content: Buffer): boolean {
  try {
    const columns = commitColumns(content, oid.toString('hex'));
    return links?.equals(columns.links) === true && committedAt === columns.committedAt;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

async function verifyLinks(index: ObjectIndex, object: GitObject, report: Report, budget: WorkBudget): Promise<void> {
  try {
    for (const { target, type } of await referencesInTurns(object, budget)) {
      const at = index.indexOf(oidBytes(target));
      if (at < 0) report(`The ${object.type} ${object.oid} refers to the ${type} ${target}, which is not stored.`);
      else if (index.type(at) !== type) {
        report(`The ${object.type} ${object.oid} refers to the ${type} ${target}, which is a ${index.type(at)}.`);
      }
    }
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    report(error.message);
  }
}

async function verifyLargeBlob(repository: Repository, oid: Oid, report: Report): Promise<void> {
  try {
    const blob = await openBlob(repository, oid);
    // The stream compares the id at its end.
    if (blob) for await (const _ of blob.pieces());
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    report(error.message);
  }
}

async function reportStrayChunks({ id, read }: Repository, report: Report): Promise<void> {
  const [row] = await read<{ count: number }>(sql`
    select count(*)::int as count from git_chunk c where c.repository_id = ${id}
      and not exists (select from git_object o where o.repository_id = ${id} and o.chunks = c.chunks)`);
  if (row && row.count > 0) report(`${row.count} chunks belong to no object.`);
}

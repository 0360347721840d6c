import { sql } from 'kysely';
import { chunkBytes } from '../chunk-rows.ts';
import { GitError } from '../git-error.ts';
import type { Oid } from '../object.ts';
import { typeNumbers } from '../object.ts';
import { ScanObjectCache } from '../object-cache.ts';
import { type BlobContent, openBlob } from '../open-blob.ts';
import { decodeRows, missingObject, type ObjectRow, statObjects } from '../read-objects.ts';
import { oidBytes, type Repository } from '../repository.ts';
import { type ArchivedCommit, type Conversion, maxConvertedBytes, maxConvertedSize } from './conversions.ts';
import { convertFile } from './convert-file.ts';
import type { BatchEntry } from './encode-batch.ts';
import { TreeWalk, type WalkedEntry } from './tree-walk.ts';

/** Consecutive entries whose contents are encoded together. */
export interface EntryBatch {
  entries: BatchEntry[];
  /** The stored contents of the entries, one after the other. */
  stored: Uint8Array;
}

/** A file that is read in pieces. */
export interface LargeFile {
  entry: WalkedEntry;
  content: BlobContent;
}

export type ArchivePart = { kind: 'batch'; batch: EntryBatch } | { kind: 'large'; file: LargeFile };

/**
 * Entries whose sizes are read together, and bytes of content, after conversion, that make a batch. Batches of 256 KB took 4 % more
 * CPU for zip and 15 % more for tar.gz, and as much memory.
 */
const maxBatch = { entries: 500, bytes: 1024 * 1024 };

/**
 * The entries of a commit without those that .gitattributes excludes (`export-ignore`). A batch has at most `maxBatch.bytes`, or one
 * file. Spends the bytes of the contents.
 * @throws GitError `missing`, `wrong-type`, `corrupt`, `too-large`; WorkBudgetError
 */
export async function* archiveParts(repository: Repository, archived: ArchivedCommit): AsyncGenerator<ArchivePart> {
  const reading = { ...repository, cache: new ScanObjectCache(repository.cache) };
  const walk = new TreeWalk(reading, archived.commit.tree);
  for (;;) {
    const group = await walk.next(maxBatch.entries);
    if (group.length === 0) return;
    const sizes = await readSizes(reading, group);
    let part: WalkedEntry[] = [];
    let bytes = 0;
    for (const entry of group) {
      const size = sizes.get(entry.oid) ?? 0;
      const isLarge = size > chunkBytes;
      const encoded = isLarge ? 0 : maxEncodedBytes(size, entry.conversion);
      if (part.length > 0 && (isLarge || bytes + encoded > maxBatch.bytes)) {
        yield { kind: 'batch', batch: await readBatch(reading, part, sizes) };
        [part, bytes] = [[], 0];
      }
      if (isLarge) {
        yield { kind: 'large', file: { entry, content: await openLarge(reading, entry, archived) } };
        continue;
      }
      part.push(entry);
      bytes += encoded;
    }
    if (part.length > 0) yield { kind: 'batch', batch: await readBatch(reading, part, sizes) };
  }
}

function hasContent({ kind }: WalkedEntry): boolean {
  return kind === 'file' || kind === 'symlink';
}

function maxEncodedBytes(size: number, conversion: Conversion | undefined): number {
  return conversion ? maxConvertedSize(size, conversion) : size;
}

/** @throws GitError `missing`, `wrong-type` */
async function readSizes(repository: Repository, group: readonly WalkedEntry[]): Promise<Map<Oid, number>> {
  const blobs = group.filter(hasContent);
  const stats = await statObjects(repository, [...new Set(blobs.map(({ oid }) => oid))]);
  const sizes = new Map<Oid, number>();
  for (const { oid } of blobs) {
    const stat = stats.get(oid);
    if (!stat) throw missingObject(oid);
    if (stat.type !== 'blob') throw new GitError('wrong-type', oid, `The object ${oid} is a ${stat.type} and no blob.`);
    sizes.set(oid, stat.size);
  }
  return sizes;
}

async function readBatch(
  repository: Repository,
  part: readonly WalkedEntry[],
  sizes: ReadonlyMap<Oid, number>,
): Promise<EntryBatch> {
  const wanted = [...new Set(part.filter(hasContent).map(({ oid }) => oid))];
  const blobs = wanted.length === 0 ? [] : await readStoredBlobs(repository, wanted);
  // Not from the pool of small buffers: all of its memory would be copied to the thread.
  const stored = Buffer.allocUnsafeSlow(blobs.reduce((sum, { bytes }) => sum + Buffer.byteLength(bytes, 'base64'), 0));
  const places = new Map<Oid, Pick<BatchEntry, 'start' | 'end' | 'isDecoded'>>();
  let end = 0;
  for (const { oid, bytes } of blobs) {
    const start = end;
    end += typeof bytes === 'string' ? stored.write(bytes, start, 'base64') : bytes.copy(stored, start);
    places.set(oid, { start, end, isDecoded: typeof bytes !== 'string' });
  }
  const entries = part.map(({ path, kind, isExecutable, oid, conversion }): BatchEntry => {
    const entry = { path, kind, isExecutable, oid, conversion };
    if (kind !== 'file' && kind !== 'symlink') return { ...entry, size: 0, start: 0, end: 0, isDecoded: true };
    const place = places.get(oid);
    if (!place) throw missingObject(oid);
    return { ...entry, size: sizes.get(oid) ?? 0, ...place };
  });
  return { entries, stored };
}

/**
 * The zlib streams of blobs in base64; the contents of those that are stored as deltas. What does not exist is absent. Base64 is a
 * third shorter than the text of a bytea, and is decoded into the bytes of the batch: an archive makes a third less external memory,
 * whose growth starts full garbage collections.
 */
async function readStoredBlobs(
  repository: Repository,
  wanted: readonly Oid[],
): Promise<{ oid: Oid; bytes: string | Buffer }[]> {
  const { id, read } = repository;
  const type = typeNumbers.blob;
  const rows = await read<{ oid: Buffer; size: number; z: string | null }>(sql`
    select oid, size, encode(z, 'base64') as z from git_object
    where repository_id = ${id} and oid = any(${wanted.map(oidBytes)}) and type = ${type}`);
  const stored: { oid: Oid; bytes: string | Buffer }[] = [];
  const deltas: ObjectRow[] = [];
  for (const { oid, size, z } of rows) {
    if (z === null) deltas.push({ oid, type, size, z });
    else stored.push({ oid: oid.toString('hex'), bytes: z });
  }
  for (const { oid, content } of await decodeRows(repository, deltas)) stored.push({ oid, bytes: content });
  return stored;
}

async function openLarge(
  repository: Repository,
  { oid, conversion }: WalkedEntry,
  archived: ArchivedCommit,
): Promise<BlobContent> {
  const blob = await openBlob(repository, oid);
  if (!blob) throw missingObject(oid);
  repository.workBudget.spendObjects(0, blob.size);
  if (!conversion || blob.size > maxConvertedBytes) return blob;
  const pieces: Buffer[] = [];
  for await (const piece of blob.pieces()) pieces.push(piece);
  const converted = await convertFile({ content: Buffer.concat(pieces), conversion, oid, archived });
  return {
    size: converted.length,
    async *pieces() {
      yield converted;
    },
  };
}

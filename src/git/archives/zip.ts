import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import { compute } from '../../workers/computation.ts';
import { readCommit } from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { archiveParts, type LargeFile } from './archive-parts.ts';
import { measureComputation } from './measure-tree.ts';
import { runEncoder } from './run-encoder.ts';
import type { ArchiveOptions } from './tar.ts';
import {
  formatCentralRecord,
  formatDescriptor,
  formatLocalHeader,
  formatZipEnd,
  formatZipEntry,
  packCentral,
  unpackCentral,
  zipLevel,
} from './zip-format.ts';

/**
 * A commit as a zip file with its id as the comment, in pieces of up to some megabytes. The same commit gives the same bytes. The
 * central directory is in memory, compressed: its 46 bytes and the path of each entry become a tenth.
 * @throws as `createTar`
 */
export async function* createZip(repository: Repository, { commit, prefix }: ArchiveOptions): AsyncGenerator<Buffer> {
  const archived = { oid: commit, commit: await readCommit(repository, commit) };
  const time = archived.commit.committer.seconds;
  await compute(repository, measureComputation, { repositoryId: repository.id, tree: archived.commit.tree });
  const pathPrefix = Buffer.from(prefix).toString('latin1');
  const central: Uint8Array[] = [];
  let centralBytes = 0;
  let entries = 0;
  let offset = 0;
  if (prefix.endsWith('/')) {
    const root = { path: pathPrefix, kind: 'directory', isExecutable: true, time, content: Buffer.alloc(0) } as const;
    const zipped = formatZipEntry(root, offset);
    central.push(packCentral(zipped.central));
    centralBytes += zipped.central.length;
    entries++;
    offset = zipped.end;
    yield* zipped.local;
  }
  for await (const part of archiveParts(repository, archived)) {
    if (part.kind === 'batch') {
      const format = { kind: 'zip', offset } as const;
      const encoded = await runEncoder(repository, { ...part.batch, prefix: pathPrefix, archived, format });
      central.push(encoded.central);
      centralBytes += encoded.centralBytes;
      entries += part.batch.entries.length;
      offset += encoded.bytes.length;
      yield encoded.bytes;
      continue;
    }
    const zipped = yield* zipLargeFile(part.file, { pathPrefix, time, offset });
    central.push(packCentral(zipped.central));
    centralBytes += zipped.central.length;
    offset = zipped.end;
    entries++;
  }
  for (const records of central) yield unpackCentral(records);
  yield formatZipEnd({ entries, bytes: centralBytes, offset }, commit);
}

/** Yields an entry at `offset`. Returns its record of the central directory, and the offset after it. */
async function* zipLargeFile(
  { entry, content }: LargeFile,
  { pathPrefix, time, offset }: { pathPrefix: string; time: number; offset: number },
): AsyncGenerator<Buffer, { central: Buffer; end: number }> {
  const placed = { ...entry, path: `${pathPrefix}${entry.path}`, time };
  const zipped = { crc: 0, compressed: 0, size: content.size };
  const header = formatLocalHeader(placed, true);
  yield header;
  const deflate = createDeflateRaw({ level: zipLevel, chunkSize: 64 * 1024 });
  const feeding = pipeline(async function* () {
    for await (const piece of content.pieces()) {
      zipped.crc = crc32(piece, zipped.crc);
      yield piece;
    }
  }, deflate);
  // Awaited below; the reader sees a failure first, as the end of its stream.
  feeding.catch(() => {});
  for await (const piece of deflate as AsyncIterable<Buffer>) {
    zipped.compressed += piece.length;
    yield piece;
  }
  await feeding;
  const descriptor = formatDescriptor(zipped, offset);
  yield descriptor;
  const end = offset + header.length + zipped.compressed + descriptor.length;
  return { central: formatCentralRecord(placed, zipped, offset), end };
}

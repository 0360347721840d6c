import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { readCommit } from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { type ArchiveEntry, archiveEntries } from './archive-entries.ts';
import type { ArchiveOptions } from './tar.ts';

/**
 * A commit as a zip file with its id as the comment. The same commit gives the same bytes: times are UTC, because the
 * format has no time zones. One entry is prepared at a time.
 */
export async function* createZip(repository: Repository, { commit, prefix }: ArchiveOptions): AsyncGenerator<Buffer> {
  const archived = { oid: commit, commit: await readCommit(repository, commit) };
  const { committer } = archived.commit;
  const utc = new Date(committer.seconds * 1000);
  const mtime = new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  );
  const zip = new ZipFile();
  const written: ZipEntry[] = [];
  const options = { mtime, forceDosTimestamp: true };
  const output = zip.outputStream as Readable;
  const pathPrefix = Buffer.from(prefix).toString('latin1');
  const feeding = (async () => {
    if (prefix.endsWith('/')) zip.addEmptyDirectory(prefix, { ...options, mode: 0o40755 });
    for await (const entry of archiveEntries(repository, archived)) {
      await addEntry(zip, { ...entry, path: `${pathPrefix}${entry.path}` }, options);
      moveWrittenEntries(zip, written);
    }
    (zip as unknown as ZipWithEntries).entries = [...written, ...(zip as unknown as ZipWithEntries).entries];
    zip.end({ comment: commit, forceZip64Format: false });
  })();
  feeding.catch(error => output.destroy(error));
  yield* output as AsyncIterable<Buffer>;
  await feeding;
}

/** An entry of yazl; not part of its public types. */
interface ZipEntry {
  state: number;
}

interface ZipWithEntries {
  entries: ZipEntry[];
}

/** State of an entry whose bytes have all been written. */
const writtenState = 3;

/**
 * yazl scans all its entries after each one: 50,000 files took 102 s of the main thread. Written entries are kept
 * outside until the central directory is written.
 */
function moveWrittenEntries(zip: ZipFile, written: ZipEntry[]): void {
  const { entries } = zip as unknown as ZipWithEntries;
  while (entries[0]?.state === writtenState) written.push(entries.shift() as ZipEntry);
}

/** Resolves when the entry has been read completely, so that the next one is not read before there is room. */
async function addEntry(
  zip: ZipFile,
  { path: bytes, kind, isExecutable, content }: ArchiveEntry,
  options: { mtime: Date; forceDosTimestamp: boolean },
): Promise<void> {
  const path = Buffer.from(bytes, 'latin1').toString();
  if (!content) {
    zip.addEmptyDirectory(path, { ...options, mode: 0o40755 });
    return;
  }
  const mode = kind === 'symlink' ? 0o120777 : isExecutable ? 0o100755 : 0o100644;
  const stream = Readable.from(content.pieces(), { objectMode: false });
  const read = new Promise<void>((resolve, reject) => {
    stream.once('end', resolve);
    stream.once('error', reject);
  });
  zip.addReadStream(stream, path, { ...options, mode, size: content.size, compress: content.size > 0 });
  await read;
}

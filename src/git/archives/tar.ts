import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { compute } from '../../workers/computation.ts';
import { GitError } from '../git-error.ts';
import type { Oid } from '../object.ts';
import { readCommit } from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { archiveParts } from './archive-parts.ts';
import { measureComputation } from './measure-tree.ts';
import { runEncoder } from './run-encoder.ts';
import { formatGlobalHeader, formatTarHeaders, tarEnd, tarPadding } from './tar-format.ts';

/** The commit to archive and a path prefix: empty, or ending in a slash. */
export interface ArchiveOptions {
  commit: Oid;
  prefix: string;
}

/**
 * The bytes of `git archive --format=tar --prefix=<prefix> <commit>`, in pieces of up to some megabytes.
 * @throws GitError `missing`, `wrong-type`, `corrupt`, `too-large`, `too-deep`; WorkBudgetError, before the first piece when there are
 *   too many entries
 */
export async function* createTar(repository: Repository, options: ArchiveOptions): AsyncGenerator<Buffer> {
  let written = 0;
  for await (const piece of createEntries(repository, options)) {
    written += piece.length;
    yield piece;
  }
  yield tarEnd(written);
}

async function* createEntries(repository: Repository, { commit, prefix }: ArchiveOptions): AsyncGenerator<Buffer> {
  const archived = { oid: commit, commit: await readCommit(repository, commit) };
  const { tree, committer } = archived.commit;
  await compute(repository, measureComputation, { repositoryId: repository.id, tree });
  const time = committer.seconds;
  const pathPrefix = Buffer.from(prefix).toString('latin1');
  yield* formatGlobalHeader(commit, time);
  if (prefix.endsWith('/')) {
    const root = { path: pathPrefix, kind: 'directory', isExecutable: true, oid: tree, size: 0 } as const;
    yield* formatTarHeaders({ ...root, target: undefined, time });
  }
  for await (const part of archiveParts(repository, archived)) {
    if (part.kind === 'batch') {
      yield (await runEncoder(repository, { ...part.batch, prefix: pathPrefix, archived, format: { kind: 'tar' } }))
        .bytes;
      continue;
    }
    const { entry, content } = part.file;
    const { size } = content;
    if (entry.kind === 'symlink') {
      // The target is part of a header, which is built in memory. No file system holds more than some kilobytes.
      throw new GitError('too-large', entry.oid, `The symbolic link ${entry.oid} has ${size} bytes.`);
    }
    yield* formatTarHeaders({ ...entry, path: `${pathPrefix}${entry.path}`, size, target: undefined, time });
    yield* content.pieces();
    yield tarPadding(size);
  }
}

/**
 * The same, compressed with gzip. Level and header are fixed; the operating system byte is always Unix. The one zlib stream runs
 * on the threads of libuv; it has 270 KB, and no thread waits for a slow reader.
 */
export async function* createTarGz(repository: Repository, options: ArchiveOptions): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 6, chunkSize: 64 * 1024 });
  const feeding = pipeline(createTar(repository, options), gzip);
  // Awaited below; the reader sees a failure first, as the end of its stream.
  feeding.catch(() => {});
  let isFirst = true;
  for await (const chunk of gzip) {
    if (isFirst && chunk.length > 9) chunk[9] = 3;
    isFirst = false;
    yield chunk;
  }
  await feeding;
}

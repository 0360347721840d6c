import { createHmac, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../git/object.ts';
import type { CacheLookups } from '../git/object-cache.ts';

/** Everything that the bytes of an archive depend on, and the repository. */
export interface ArchiveId {
  repositoryId: number;
  commit: Oid;
  format: 'tar.gz' | 'zip';
  prefix: string;
}

export interface ArchiveCacheOptions {
  /** Created when needed. Several processes may share it. */
  folder: string;
  /** Names files, so that a listing of the folder reveals no repository. */
  key: Uint8Array;
  /** Bytes of complete archives. Unfinished ones take up to a quarter more for each process. 0 turns the cache off. */
  maxBytes: number;
  /** By default 1,000: each is looked at when the cache is swept. */
  maxFiles?: number;
}

/** To be increased when the bytes of archives change. */
const formatVersion = 1;
/** Archives that are not downloaded for this long are deleted, so that those of deleted repositories expire. */
const maxUnusedMs = 24 * 60 * 60 * 1000;
/** A file that is being written grows every 30 seconds, or its client is disconnected. Older ones are from a process that crashed. */
const maxUnfinishedMs = 10 * 60 * 1000;
/** Time after which the folder is swept again, because other processes write to it as well. */
const sweepEveryMs = 10 * 60 * 1000;
/** Sweeping frees a fifth, so that not every further archive sweeps again. */
const keptShare = 0.8;
const chunkBytes = 64 * 1024;

/**
 * Archives in files, so that a repeated download costs no compression. The least recently used are deleted first. A file gets its
 * name when it is complete and synced: a process that crashes leaves an unfinished file, which is never read. The cache knows no
 * permissions: callers check access before they ask it. A file that cannot be opened or written makes a miss.
 */
export class ArchiveCache {
  readonly #options: Required<ArchiveCacheOptions>;
  /** Bytes and number of complete files as of the last sweep, and those added by this process since. */
  #stored = { bytes: 0, files: 0 };
  #unfinishedBytes = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;
  /** Archives that were asked for; absent archives while nothing is stored count as well. */
  readonly lookups: CacheLookups = { hits: 0, misses: 0 };

  constructor(options: ArchiveCacheOptions) {
    this.#options = { maxFiles: 1_000, ...options };
  }

  /** The bytes of an archive in pieces. One that is not stored is produced, and stored when all of it has been read. */
  async *read(id: ArchiveId, produce: () => AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const file = await this.#find(id);
    this.lookups[file ? 'hits' : 'misses']++;
    yield* file ? readFileChunks(file) : this.#store(id, produce());
  }

  async #find(id: ArchiveId): Promise<FileHandle | undefined> {
    if (this.#options.maxBytes === 0) return undefined;
    try {
      const file = await open(this.#pathOf(id), 'r+');
      const now = new Date();
      // The time of its last use. An error affects only the order of deletion.
      await file.utimes(now, now).catch(() => {});
      return file;
    } catch {
      return undefined;
    }
  }

  async *#store(id: ArchiveId, pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const file = await this.#create();
    let size = 0;
    let isKept = file !== undefined;
    try {
      for await (const piece of pieces) {
        if (isKept && file) {
          size += piece.length;
          isKept = this.#reserve(piece.length) && (await attempt(() => file.handle.writeFile(piece)));
        }
        yield piece;
      }
      if (isKept && file && (await attempt(() => this.#publish(file, this.#pathOf(id))))) await this.#added(size);
    } finally {
      this.#unfinishedBytes -= size;
      // After `#publish` the handle is closed and the file has another name.
      await attempt(async () => file?.handle.close());
      if (file) await attempt(() => rm(file.path, { force: true }));
    }
  }

  #pathOf({ repositoryId, commit, format, prefix }: ArchiveId): string {
    const { folder, key } = this.#options;
    const name = JSON.stringify([formatVersion, repositoryId, commit, format, prefix]);
    return join(folder, `${createHmac('sha256', key).update(name).digest('hex')}.${format}`);
  }

  async #create(): Promise<{ path: string; handle: FileHandle } | undefined> {
    const { folder, maxBytes } = this.#options;
    if (maxBytes === 0) return undefined;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${randomUUID()}.tmp`);
      return { path, handle: await open(path, 'wx', 0o600) };
    } catch {
      return undefined;
    }
  }

  /** Counts bytes of unfinished files. False when there is no room: then the archive is not stored. */
  #reserve(bytes: number): boolean {
    this.#unfinishedBytes += bytes;
    return this.#unfinishedBytes <= this.#options.maxBytes / 4;
  }

  async #publish({ path, handle }: { path: string; handle: FileHandle }, finalPath: string): Promise<void> {
    // Otherwise a power failure may leave the name without the bytes.
    await handle.sync();
    await handle.close();
    await rename(path, finalPath);
  }

  async #added(bytes: number): Promise<void> {
    this.#stored.bytes += bytes;
    this.#stored.files++;
    const { maxBytes, maxFiles } = this.#options;
    const isFull = this.#stored.bytes > maxBytes || this.#stored.files > maxFiles;
    if (isFull || performance.now() - this.#sweptAt > sweepEveryMs) await attempt(() => this.#sweep());
  }

  /** Deletes what is too old, and the least recently used files until the rest is below the limits. */
  async #sweep(): Promise<void> {
    this.#sweptAt = performance.now();
    const { folder, maxBytes, maxFiles } = this.#options;
    const now = Date.now();
    const complete: { path: string; usedAt: number; size: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      // Another process may have deleted it meanwhile.
      const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: now, size: 0 }));
      const isUnfinished = name.endsWith('.tmp');
      if (now - mtimeMs > (isUnfinished ? maxUnfinishedMs : maxUnusedMs)) await rm(path, { force: true });
      else if (!isUnfinished) complete.push({ path, usedAt: mtimeMs, size });
    }
    let bytes = complete.reduce((sum, { size }) => sum + size, 0);
    let files = complete.length;
    const share = bytes > maxBytes || files > maxFiles ? keptShare : 1;
    for (const { path, size } of complete.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= maxBytes * share && files <= maxFiles * share) break;
      await rm(path, { force: true });
      bytes -= size;
      files--;
    }
    this.#stored = { bytes, files };
  }
}

/** Whether it succeeded. */
async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

async function* readFileChunks(file: FileHandle): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceUnavailable } from '../errors/errors.ts';
import type { Oid } from '../git/object.ts';
import type { CacheLookups } from '../git/object-cache.ts';
import type { Repository } from '../git/repository.ts';
import { FairSlots } from '../workers/fair-slots.ts';
import { backgroundWork, CachedRepository, readRefsKey } from './cached-repository.ts';
import { buildSlots } from './git-limits.ts';

export interface PackCacheOptions {
  /** Each process makes a folder of its own in it. */
  root: string;
  /** Bytes of packs. A repository that is in use stays beyond it. */
  maxBytes: number;
  /** Called when background work on a copy fails; the copy is deleted. */
  onFailure(error: unknown): void;
}

/** A copy in use. Call `release` once. */
export interface OpenCopy {
  folder: string;
  isPacked: boolean;
  release(): void;
  /** Releases it for good: the next request gets a new one. */
  discard(): void;
}

/** The file by which a process shows that it runs. */
const markName = 'alive';
const markEveryMs = 5 * 60_000;
/** A folder without a sign of life for this long is of a process that was killed. */
const strayAfterMs = 30 * 60_000;
/** Eviction frees a fifth, so that not every further copy evicts again. */
const keptShare = 0.8;

/**
 * Copies of repositories on the disk of this process, from which fetches are served. Nothing of them is needed to restart; the
 * least recently used are deleted first. Forks have copies of their own: a reader of one of two may not be a reader of the
 * other. The cache knows no permissions: callers check access before they ask it.
 * Rejected: one folder for all processes, which would need locks between them and could be damaged by one that is killed.
 */
export class PackCache {
  /** For packs that arrive. */
  readonly incomingFolder: string;
  readonly #folder: string;
  readonly #options: PackCacheOptions;
  /** The least recently used first. */
  readonly #copies = new Map<number, CachedRepository>();
  readonly #builds = new FairSlots({
    ...buildSlots,
    fullError: () =>
      serviceUnavailable({ reason: 'git_busy' }, 'Too many repositories are being read. Try again later.'),
  });
  readonly #stop = new AbortController();
  #prepared: Promise<void> | undefined;
  #markTimer: NodeJS.Timeout | undefined;
  /** Copies that were asked for. */
  readonly lookups: CacheLookups = { hits: 0, misses: 0 };
  #lastNumber = 0;

  constructor(options: PackCacheOptions) {
    this.#options = options;
    this.#folder = join(options.root, `${process.pid}-${randomBytes(6).toString('hex')}`);
    this.incomingFolder = join(this.#folder, 'incoming');
  }

  /** Aborted when the process stops. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Creates the folder and deletes those of processes that were killed. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  /**
   * A copy with the current refs and all that they reach. When one of `wants` is no tip of a ref, the copy holds nothing else, so
   * that git serves exactly what the refs reach.
   */
  async open(
    repository: Repository,
    {
      defaultBranch,
      wants,
      caller,
      signal,
      addCpuTime,
      objectsOf = async () => repository,
    }: {
      defaultBranch: string;
      wants: readonly Oid[];
      /** Who waits for the copy: callers take turns in filling copies. */
      caller: string;
      signal: AbortSignal;
      /** Called with the CPU time of git processes that bring the copy up to date, in microseconds. */
      addCpuTime(microseconds: number): void;
      /** As for `CachedRepository.update`; `repository` by default. */
      objectsOf?: () => Promise<Repository>;
    },
  ): Promise<OpenCopy> {
    await this.prepare();
    const copy = await this.#intactCopy(repository.id);
    copy.users++;
    try {
      const isReady = (): boolean => copy.isExact || wants.every(oid => copy.isTip(oid));
      // Usually nothing has changed. Then a fetch does not wait for a copy that is being repacked.
      if (!copy.has(await readRefsKey(repository, defaultBranch)) || !isReady()) {
        await copy.exclusively(async () => {
          const release = await this.#builds.acquire(caller);
          try {
            signal.throwIfAborted();
            // Another request may wait for the same work: it ends only with the process.
            const work = backgroundWork(this.#stop.signal, addCpuTime);
            await copy.update(repository, defaultBranch, work, objectsOf);
            if (!isReady()) await copy.repack(work);
          } finally {
            release();
          }
        });
      }
    } catch (error) {
      this.#leave(repository.id, copy);
      if (!signal.aborted) await this.#drop(repository.id, copy);
      throw error;
    }
    let isReleased = false;
    return {
      folder: copy.folder,
      isPacked: copy.isPacked,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#leave(repository.id, copy);
      },
      discard: () => {
        if (isReleased) return;
        isReleased = true;
        copy.users--;
        void this.#drop(repository.id, copy);
      },
    };
  }

  /** Ends all work and deletes everything. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The process stops.'));
    clearInterval(this.#markTimer);
    if (!this.#prepared) return;
    await this.#prepared.catch(() => {});
    await Promise.all([...this.#copies.values()].map(copy => copy.exclusively(async () => {})));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    const { root } = this.#options;
    await mkdir(this.incomingFolder, { recursive: true, mode: 0o700 });
    const mark = join(this.#folder, markName);
    await writeFile(mark, '');
    this.#markTimer = setInterval(() => {
      const now = new Date();
      utimes(mark, now, now).catch(() => {});
    }, markEveryMs).unref();
    for (const name of await readdir(root)) {
      const path = join(root, name);
      const { mtimeMs } = await stat(join(path, markName)).catch(() =>
        stat(path).catch(() => ({ mtimeMs: Date.now() })),
      );
      if (Date.now() - mtimeMs > strayAfterMs) await rm(path, { recursive: true, force: true });
    }
  }

  /** The copy of a repository; a new one when there is none or its files were deleted. */
  async #intactCopy(id: number): Promise<CachedRepository> {
    const known = this.#copies.get(id);
    this.lookups[known ? 'hits' : 'misses']++;
    if (known) {
      if (!(await known.isIntact()) && this.#copies.get(id) === known) this.#copies.delete(id);
    }
    const copy = this.#copies.get(id) ?? new CachedRepository(join(this.#folder, `${id}-${++this.#lastNumber}.git`));
    this.#copies.delete(id);
    this.#copies.set(id, copy);
    return copy;
  }

  /** The last user of a copy leaves it: then it is tidied up, and others are deleted to make room. */
  #leave(id: number, copy: CachedRepository): void {
    copy.users--;
    if (copy.users > 0 || this.#stop.signal.aborted) return;
    void this.#tidy(id, copy);
  }

  async #tidy(id: number, copy: CachedRepository): Promise<void> {
    try {
      if (this.#copies.get(id) === copy && copy.isUntidy) {
        await copy.exclusively(async () => {
          // A request that came meanwhile is not to wait, and the next one to leave tidies up.
          if (copy.users === 0 && this.#copies.get(id) === copy && copy.isUntidy) {
            await copy.tidy(backgroundWork(this.#stop.signal));
          }
        });
      } else if (this.#copies.get(id) !== copy && copy.users === 0) {
        await copy.delete();
      }
      await this.#evict();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#options.onFailure(error);
      await this.#drop(id, copy);
    }
  }

  async #evict(): Promise<void> {
    const { maxBytes } = this.#options;
    let bytes = 0;
    for (const copy of this.#copies.values()) bytes += copy.bytes;
    if (bytes <= maxBytes) return;
    for (const [id, copy] of this.#copies) {
      if (bytes <= maxBytes * keptShare) return;
      if (copy.users > 0) continue;
      bytes -= copy.bytes;
      await this.#drop(id, copy);
    }
  }

  /** Forgets a copy, and deletes its files when they are not in use. */
  async #drop(id: number, copy: CachedRepository): Promise<void> {
    if (this.#copies.get(id) === copy) this.#copies.delete(id);
    if (copy.users === 0) await copy.delete().catch(() => {});
  }
}

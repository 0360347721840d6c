import { createHash } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { addPack, createBareRepository, packedRefs, refLines } from '../git/bare-repository.ts';
import { type LimitedGitOptions, runLimitedGit, startLimitedGitInTurn } from '../git/limited-git.ts';
import { listAllRefs } from '../git/list-all-refs.ts';
import { readRemovals } from '../git/maintenance/removals.ts';
import type { Oid } from '../git/object.ts';
import { listGivenObjects, listStoredObjects, type PackList } from '../git/object-list.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import { packStream } from '../git/pack-stream.ts';
import type { Ref } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { Semaphore } from '../workers/semaphore.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { maxProcessMs } from './git-limits.ts';
import { missingObjects, PresenceCheck } from './missing-objects.ts';

/** Packs from which the small ones are merged. */
const maxPacks = 12;

/**
 * Equal for equal refs, an equal default branch and an equal number of garbage collections that have deleted objects. The database
 * computes the digest, so that a fetch from a current copy reads none of 20,000 refs.
 */
export async function readRefsKey({ id, read }: Repository, defaultBranch: string): Promise<string> {
  const [row] = await read<{ digest: string; removals: number }>(sql`
    select coalesce(encode(sha256(string_agg(convert_to(name, 'UTF8') || '\\x00'::bytea || oid, ''::bytea order by name)), 'hex'), '')
        as digest,
      coalesce((select removals from git_maintenance where repository_id = ${id}), 0)::int as removals
    from git_ref where repository_id = ${id}`);
  return formatKey(row?.digest ?? '', row?.removals ?? 0, defaultBranch);
}

/** The same of refs that were read. */
async function refsKeyOf(
  refs: readonly Ref[],
  { removals, defaultBranch, workBudget }: { removals: number; defaultBranch: string; workBudget: WorkBudget },
): Promise<string> {
  const digest = createHash('sha256');
  for (const { name, oid } of refs) {
    digest.update(`${name}\0`).update(oid, 'hex');
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
  }
  return formatKey(refs.length === 0 ? '' : digest.digest('hex'), removals, defaultBranch);
}

const formatKey = (digest: string, removals: number, defaultBranch: string): string =>
  `${digest} ${removals} ${defaultBranch}`;

/**
 * A bare copy of one repository, from which the system's git makes packs. It has no truth of its own: refs and objects are those of
 * PostgreSQL, and it may be deleted at any time.
 *
 * With each object it holds everything that the object refers to, so that an update looks only for what is new. While `isExact`, it
 * holds no object that its refs do not reach: then an object that is there may be served to everyone who may read the repository.
 */
export class CachedRepository {
  readonly folder: string;
  /** Requests that use it. */
  users = 0;
  /** Bytes of its packs. */
  bytes = 0;
  isExact = false;
  /** Whether its objects are stored as deltas, so that git need not look for them in each fetch. */
  isPacked = false;
  readonly #one = new Semaphore(1);
  #isChanging = false;
  #packs: string[] = [];
  /** As of `readRefsKey`; '' before it was filled. */
  #refsKey = '';
  #tips = new Set<Oid>();
  #removals = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs `work` when nothing else changes the copy. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#one.run(async () => {
      this.#isChanging = true;
      try {
        return await work();
      } finally {
        this.#isChanging = false;
      }
    });
  }

  /** Whether it has the refs of this key, and all that they reach. */
  has(refsKey: string): boolean {
    return refsKey === this.#refsKey;
  }

  isTip(oid: Oid): boolean {
    return this.#tips.has(oid);
  }

  /** Whether the files are those that it has written. */
  async isIntact(): Promise<boolean> {
    if (this.#refsKey === '' || this.#isChanging) return true;
    try {
      const present = new Set(await readdir(join(this.folder, 'objects', 'pack')));
      await stat(join(this.folder, 'packed-refs'));
      return this.#packs.every(name => present.has(name));
    } catch {
      return false;
    }
  }

  /**
   * Brings it to the current refs. To be called exclusively. `objectsOf` opens the repository for reading objects, with all that was read
   * of `repository` before.
   */
  async update(
    repository: Repository,
    defaultBranch: string,
    work: CopyWork,
    objectsOf: () => Promise<Repository>,
  ): Promise<void> {
    // Read here, so that a copy never goes back to what an earlier request has read.
    const refs = await listAllRefs(repository);
    const removals = await readRemovals(repository);
    const { workBudget } = repository;
    const key = await refsKeyOf(refs, { removals, defaultBranch, workBudget });
    if (key === this.#refsKey) return;
    // The repository bounds the work, which is done for all its readers: a request that is refused would be refused each time.
    const objects: Repository = { ...(await objectsOf()), workBudget: WorkBudget.unlimited(work.signal) };
    const isFirst = this.#refsKey === '';
    if (isFirst) await this.#create();
    const absent = isFirst ? undefined : await this.#findMissing(objects, refs, work);
    if (absent === undefined) {
      await this.#add(objects, await listStoredObjects(objects), work);
      // With the objects that no ref reaches.
      this.isExact = false;
    } else if (absent.length > 0) await this.#add(objects, await listGivenObjects(objects, absent), work);
    await this.#replace('packed-refs', packedRefs(refLines(refs)));
    await this.#replace('HEAD', `ref: refs/heads/${defaultBranch}\n`);
    const before = this.#tips;
    this.#tips = new Set(refs.map(({ oid }) => oid));
    if (!isFirst && this.isExact) {
      // What was deleted from the database is to leave the disk as well, at the next repack.
      this.isExact = removals === this.#removals && (await this.#reachesAll(before, work));
    }
    this.#removals = removals;
    this.#refsKey = key;
    await this.#measure();
  }

  /** Whether there is something for `tidy` to do. */
  get isUntidy(): boolean {
    const packs = this.#packs.filter(name => name.endsWith('.pack')).length;
    return this.#refsKey !== '' && this.#tips.size > 0 && (!this.isExact || !this.isPacked || packs > maxPacks);
  }

  /** Merges packs. To be called exclusively. */
  async tidy(work: CopyWork): Promise<void> {
    if (!this.isPacked) {
      // Without `-f` git takes objects that are whole in one pack for tried: 200,000 objects are 172 MB for each clone, and with
      // it 43 MB, for 16 s of CPU once.
      await this.#repackAll(['-f'], work);
      this.isPacked = true;
      return;
    }
    if (!this.isExact) return this.repack(work);
    // Small packs are merged until each has twice the objects of the next: a push costs its logarithm and not the whole repository.
    await this.#run(['repack', '--geometric=2', '-d', '-q', '--write-midx', '--write-bitmap-index'], work);
    await this.#measure();
  }

  /** Makes one pack of what the refs reach and deletes the rest. To be called exclusively. */
  repack(work: CopyWork): Promise<void> {
    return this.#repackAll([], work);
  }

  async #repackAll(options: readonly string[], work: CopyWork): Promise<void> {
    await this.#run(['repack', '-a', '-d', '-q', '--write-bitmap-index', ...options], work);
    await this.#measure();
    this.isExact = true;
  }

  delete(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  async #create(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await createBareRepository(this.folder);
  }

  async #add(repository: Repository, list: PackList, work: CopyWork): Promise<void> {
    if (list.count === 0) return;
    await addPack(this.folder, packStream(repository, list), work);
  }

  async #findMissing(repository: Repository, refs: readonly Ref[], work: CopyWork): Promise<Oid[] | undefined> {
    const tips = [...new Set(refs.map(({ oid }) => oid))].filter(oid => !this.#tips.has(oid));
    if (tips.length === 0) return [];
    const running = await startLimitedGitInTurn(['cat-file', '--batch-check'], this.#options(work));
    try {
      return await missingObjects(repository, tips, new PresenceCheck(running.process));
    } finally {
      running.process.stdin.end();
      running.process.stdout.resume();
      await running.ended.catch(() => {});
    }
  }

  /** Whether the refs still reach what the tips of before reached. */
  async #reachesAll(before: ReadonlySet<Oid>, work: CopyWork): Promise<boolean> {
    const gone = [...before].filter(oid => !this.#tips.has(oid));
    if (gone.length === 0) return true;
    const input = gone.map(oid => `${oid}\n`).join('');
    // `--objects`: a tip may be a tag, whose commit is reachable without it.
    const left = await this.#run(['rev-list', '--objects', '--max-count=1', '--stdin', '--not', '--all'], work, input);
    return left.length === 0;
  }

  #run(args: readonly string[], work: CopyWork, input?: string): Promise<Buffer> {
    return runLimitedGit(args, this.#options(work), input);
  }

  #options(work: CopyWork): LimitedGitOptions {
    return { folder: this.folder, limits: processLimits, config: packSettings, ...work };
  }

  /** A reader sees the old file or the new one. */
  async #replace(name: string, text: string): Promise<void> {
    const path = join(this.folder, name);
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }

  async #measure(): Promise<void> {
    const packs = join(this.folder, 'objects', 'pack');
    let bytes = 0;
    this.#packs = await readdir(packs);
    for (const name of this.#packs) bytes += (await stat(join(packs, name))).size;
    this.bytes = bytes;
  }
}

/** When git processes on a copy are killed, and what is told of them. */
export type CopyWork = Pick<LimitedGitOptions, 'signal' | 'onCpuTime'>;

/** For work that more than one request, or none, waits for. */
export const backgroundWork = (stop: AbortSignal, onCpuTime?: LimitedGitOptions['onCpuTime']): CopyWork => ({
  signal: AbortSignal.any([stop, AbortSignal.timeout(maxProcessMs)]),
  ...(onCpuTime ? { onCpuTime } : {}),
});

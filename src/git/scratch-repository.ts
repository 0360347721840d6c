import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { WorkBudgetError } from '../workers/work-budget.ts';
import { createBareRepository } from './bare-repository.ts';
import { chunkBytes } from './chunk-rows.ts';
import { GitProcessError, startLimitedGitInTurn } from './limited-git.ts';
import { createObject, type GitObject, isObjectType, type ObjectType, type Oid } from './object.ts';
import { openBlob } from './open-blob.ts';
import { ownedFolderName, removeStrayFolders } from './owned-folders.ts';
import { missingObject, readBatches } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { ScratchPack } from './scratch-pack.ts';

/** Bytes of objects for which a folder in memory is taken: containers have 64 MB for all of them. */
const maxBytesInMemory = 16 * 1024 * 1024;
/**
 * Milliseconds that a run of git costs at least, with its start: more than a computation may take in the process of a gateway, so that git
 * runs beside the processes for heavy work.
 */
const runMs = 60;
/** Work without a limit of time, such as that of jobs, ends after these milliseconds. */
const maxRunMs = 60_000;
const limits = { maxFileBytes: 1024 * 1024 * 1024, maxMemoryBytes: 2 * 1024 * 1024 * 1024 };
const strayAfterMs = 10 * 60_000;
/** Everything that git knows of such a repository is given here: not the settings of the account or the machine. */
const config = ['core.packedGitWindowSize=32m', 'core.looseCompression=0', 'gc.auto=0'];

const inflateInThread = promisify(inflate);

/** The most that the objects of one question take on the disk. */
export const maxScratchBytes = 256 * 1024 * 1024;

interface ScratchCommit {
  tree: Oid;
  parents: readonly Oid[];
  /** In seconds since 1970. */
  date?: number;
  message?: string;
}

/** What git has printed, and whether it ended with 0 or 1. */
export interface GitOutput {
  code: 0 | 1;
  /** The first `maxOutputBytes`. */
  output: Buffer;
  /** Whether there was more. */
  isCut: boolean;
}

/**
 * A bare repository in memory that holds a few objects of a stored one, for one question to git. What git does not need to look at stays
 * absent.
 */
export class ScratchRepository {
  readonly #repository: Repository;
  readonly #folder: string;
  readonly #pack: ScratchPack;

  private constructor(repository: Repository, folder: string, pack: ScratchPack) {
    this.#repository = repository;
    this.#folder = folder;
    this.#pack = pack;
  }

  /** Makes a repository for `work`, and removes it at its end. `bytes`: of the objects, about. @throws as `work` */
  static async use<T>(
    repository: Repository,
    bytes: number,
    work: (scratch: ScratchRepository) => Promise<T>,
  ): Promise<T> {
    repository.workBudget.spendMilliseconds(runMs);
    const folder = join(await scratchRoot(bytes <= maxBytesInMemory), ownedFolderName());
    try {
      await createBareRepository(folder);
      const pack = await ScratchPack.create(join(folder, 'objects', 'pack', 'pack-0'));
      try {
        return await work(new ScratchRepository(repository, folder, pack));
      } finally {
        await pack.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
      repository.workBudget.endWait();
    }
  }

  /** Adds objects that are not stored. Returns the id. */
  async addNew(type: ObjectType, content: Buffer): Promise<Oid> {
    const object = createObject(type, content);
    await this.#pack.add(object);
    return object.oid;
  }

  /** Adds a commit that is not stored. `message` keeps equal ones apart. */
  addCommit({ tree, parents, date = 0, message = '' }: ScratchCommit): Promise<Oid> {
    const person = `Portico <> ${Math.max(0, date)} +0000`;
    const links = [`tree ${tree}`, ...parents.map(parent => `parent ${parent}`)];
    const lines = [...links, `author ${person}`, `committer ${person}`, '', message, ''];
    return this.addNew('commit', Buffer.from(lines.join('\n')));
  }

  /** Copies stored objects. @throws GitError `missing`; WorkBudgetError */
  async copy(oids: Iterable<Oid>): Promise<void> {
    for await (const { oids: asked, found } of readBatches(this.#repository, oids)) {
      for (const oid of asked) {
        const object = found.get(oid);
        if (!object) throw missingObject(oid);
        await this.#pack.add(object);
        if (this.#repository.workBudget.isTurnDue) await this.#repository.workBudget.turn();
      }
    }
  }

  /** The same for blobs of any size, with their sizes. */
  async copyBlobs(sizes: ReadonlyMap<Oid, number>): Promise<void> {
    await this.copy([...sizes].flatMap(([oid, size]) => (size <= chunkBytes ? [oid] : [])));
    for (const [oid, size] of sizes) {
      if (size <= chunkBytes) continue;
      this.#repository.workBudget.spendObjects(1, size);
      const blob = await openBlob(this.#repository, oid);
      if (!blob) throw missingObject(oid);
      await this.#pack.addPieces({ oid, type: 'blob', size }, blob.pieces());
    }
  }

  /**
   * Runs git on what was added; afterwards nothing may be added.
   * @throws GitProcessError for any end but 0 and 1; WorkBudgetError
   */
  async run(args: readonly string[], { maxOutputBytes }: { maxOutputBytes: number }): Promise<GitOutput> {
    await this.#pack.finish();
    const { workBudget } = this.#repository;
    const { left, max, settings } = workBudget.state;
    const milliseconds = Math.ceil(Math.min(left.milliseconds + runMs, maxRunMs));
    const deadline = AbortSignal.timeout(milliseconds);
    const { process: child, ended } = await startLimitedGitInTurn(args, {
      folder: this.#folder,
      limits,
      config,
      signal: workBudget.signal ? AbortSignal.any([workBudget.signal, deadline]) : deadline,
      onCpuTime: microseconds => workBudget.spendProcess(microseconds, runMs),
    });
    child.stdin.end();
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      if (bytes < maxOutputBytes) chunks.push(chunk.subarray(0, maxOutputBytes - bytes));
      bytes += chunk.length;
    });
    const code = await ended.then(
      () => 0 as const,
      (error: unknown) => {
        if (error instanceof GitProcessError && error.code === 1) return 1 as const;
        if (deadline.aborted) throw new WorkBudgetError('milliseconds', max.milliseconds, settings);
        const isOutOfMemory = error instanceof GitProcessError && /out of memory|mmap failed/i.test(error.stderr);
        if (isOutOfMemory) throw new WorkBudgetError('bytes', max.bytes, settings);
        throw error;
      },
    );
    workBudget.endWait();
    return { code, output: Buffer.concat(chunks), isCut: bytes > maxOutputBytes };
  }

  /** The objects that git has made. */
  async readMade(): Promise<GitObject[]> {
    const { workBudget } = this.#repository;
    const objects = join(this.#folder, 'objects');
    const made: GitObject[] = [];
    for (const folder of await readdir(objects)) {
      if (folder.length !== 2) continue;
      for (const name of await readdir(join(objects, folder))) {
        if (name.length !== 38) continue;
        const bytes = await inflateInThread(await readFile(join(objects, folder, name)));
        workBudget.spendObjects(1, bytes.length);
        if (workBudget.isTurnDue) await workBudget.turn();
        made.push(parseLoose(`${folder}${name}`, bytes));
      }
    }
    return made;
  }
}

function parseLoose(oid: Oid, bytes: Buffer): GitObject {
  const end = bytes.indexOf(0);
  const type = bytes.toString('latin1', 0, bytes.indexOf(0x20));
  if (!isObjectType(type)) throw new TypeError(`git has made the object ${oid} of the type ${type}.`);
  return { oid, type, content: bytes.subarray(end + 1) };
}

const roots = new Map<string, Promise<string>>();

/** A folder of this account; what processes that were killed have left in it is removed once. */
function scratchRoot(isInMemory: boolean): Promise<string> {
  const [preferred = '', ...others] = isInMemory ? ['/dev/shm', tmpdir()] : [tmpdir()];
  const root = roots.get(preferred) ?? openRoot(preferred).catch(error => openFirst(others, error));
  roots.set(preferred, root);
  root.catch(() => roots.delete(preferred));
  return root;
}

async function openFirst([parent, ...others]: readonly string[], reason: unknown): Promise<string> {
  if (parent === undefined) throw reason;
  return openRoot(parent).catch(error => openFirst(others, error));
}

async function openRoot(parent: string): Promise<string> {
  const uid = process.getuid?.();
  const root = join(parent, `portico-${uid ?? 'scratch'}`);
  await mkdir(root, { mode: 0o700 }).catch(error => {
    if (error.code !== 'EEXIST') throw error;
  });
  // Others may write into the folder above it.
  const found = await lstat(root);
  const isOwn = found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
  if (!isOwn) throw new Error(`${root} belongs to another account, or others may write into it.`);
  await removeStrayFolders(root, { strayAfterMs });
  return root;
}

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Context } from '../../context/context.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import {
  type DiskObject,
  type DiskRepository,
  listDiskObjects,
  openDiskRepository,
  readDiskObjects,
} from '../../git/disk-repository.ts';
import { FsckFindings, fsckArgs, fsckSettings } from '../../git/fsck-messages.ts';
import { GitError } from '../../git/git-error.ts';
import { indexAllCommits } from '../../git/index-commits.ts';
import { type GitObject, hashObject, type Oid } from '../../git/object.ts';
import { isRefName } from '../../git/ref-name.ts';
import { type RunningGit, startGit } from '../../git/system-git.ts';
import { maxBlobBytes, writeBlob } from '../../git/write-blob.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { recountStoredBytes } from '../repositories/repository-growth.ts';
import { push } from './push.ts';

/** Progress of an import. */
export interface ImportProgress {
  stage: 'counting' | 'objects' | 'commits' | 'refs';
  done: number;
  total: number;
}

export interface ImportedRepository {
  objects: number;
  refs: number;
  /** Short name of the branch that HEAD pointed to; undefined when it was not imported. */
  defaultBranch: string | undefined;
  /** Refs that were not imported, and why. Names that are not UTF-8 are decoded with U+FFFD. */
  skipped: { name: string; reason: string }[];
  /** What git warns of in objects that are stored all the same. */
  warnings: string[];
}

/** Limits of the objects that one transaction stores. */
const maxBatch = { objects: 2000, bytes: 4 * 1024 * 1024 };

/**
 * Imports a repository from a directory: first all objects that are reachable from its refs, in several transactions,
 * then all refs by one push. An interrupted import leaves only unreachable objects; the next run stores what is
 * missing. Existing refs are moved.
 */
export async function importRepository(
  context: Pick<Context, 'read' | 'workBudget' | 'transaction' | 'now'>,
  { repositoryId, path, pusherId }: { repositoryId: number; path: string; pusherId?: number },
  onProgress: (progress: ImportProgress) => void = () => {},
): Promise<ImportedRepository> {
  const source = await openDiskRepository(path);
  onProgress({ stage: 'counting', done: 0, total: 0 });
  const oids = await listDiskObjects(source);
  // Both read the whole source. The check uses another core, and ends before a ref points to an object.
  const check = startCheck(source, oids);
  let warnings: string[];
  try {
    await storeObjects(context, { repositoryId, source, oids }, onProgress);
    warnings = await check.warnings;
  } finally {
    check.kill();
  }
  // Before a ref points to them: without the index, the first reads would walk over trees.
  await indexAllCommits(context, repositoryId, done => onProgress({ stage: 'commits', done, total: oids.length }));
  const refs: { name: string; oid: Oid }[] = [];
  const skipped: ImportedRepository['skipped'] = [];
  for (const { name: bytes, oid } of source.refs) {
    const name = Buffer.from(bytes, 'latin1').toString();
    const reason = skipReason(name, bytes);
    if (reason === undefined) refs.push({ name, oid });
    else skipped.push({ name, reason });
  }
  onProgress({ stage: 'refs', done: 0, total: refs.length });
  const request = { repositoryId, updates: refs.map(({ name, oid }) => ({ ref: name, to: oid })) };
  const result = await push(context, pusherId === undefined ? request : { ...request, pusherId });
  if (result.kind === 'conflict')
    throw new GitError('ref-conflict', result.ref, `${result.ref} was written by others.`);
  if (result.kind === 'refused') {
    const said = result.violations.map(({ ref, message }) => `${ref}: ${message}`).join('\n');
    throw new GitError('ref-conflict', path, `The rules of the repository refuse the import.\n${said}`);
  }
  await context.transaction(db => recountStoredBytes(db, repositoryId));
  onProgress({ stage: 'refs', done: refs.length, total: refs.length });
  const head = refs.find(({ name }) => name === source.head)?.name;
  return {
    objects: oids.length,
    refs: refs.length,
    defaultBranch: head?.replace(/^refs\/heads\//, ''),
    skipped,
    warnings,
  };
}

async function storeObjects(
  context: Pick<Context, 'transaction' | 'now'>,
  { repositoryId, source, oids }: { repositoryId: number; source: DiskRepository; oids: readonly Oid[] },
  onProgress: (progress: ImportProgress) => void,
): Promise<void> {
  const writer = new ObjectWriter(context, repositoryId);
  let done = 0;
  for await (const object of readDiskObjects(oids, args => startGit(source.folder, args))) {
    await writer.add(object);
    done++;
    if (done % 500 === 0 || done === oids.length) onProgress({ stage: 'objects', done, total: oids.length });
  }
  await writer.flush();
}

/**
 * Checks the objects as those of a push are checked. `warnings`: what git says of objects that are stored all the same; rejects with
 * GitError `corrupt` for an object that a push would not bring.
 */
function startCheck(
  { folder }: DiskRepository,
  oids: readonly Oid[],
): { warnings: Promise<string[]>; kill: RunningGit['kill'] } {
  const reachable = new Set(oids);
  const findings = new FsckFindings(oid => reachable.has(oid));
  const config = fsckSettings().flatMap(setting => ['-c', setting]);
  const { process: child, ended, kill } = startGit(folder, [...config, ...fsckArgs]);
  child.stdout.resume();
  const lines = createInterface({ input: child.stderr }).on('line', findings.take);
  const warnings = Promise.all([once(lines, 'close'), ended.catch((error: GitError) => error)]).then(([, failure]) => {
    if (findings.errors.length > 0) throw new GitError('corrupt', folder, findings.errors.join('\n'));
    // Unreachable objects may be damaged or refer to what is missing: then the exit code has one or two digits.
    if (failure instanceof GitError && !/ended \(\d\d?\)/.test(failure.message)) throw failure;
    return findings.warnings;
  });
  warnings.catch(() => {});
  return { warnings, kill };
}

function skipReason(name: string, bytes: string): string | undefined {
  if (Buffer.from(name).toString('latin1') !== bytes) return 'its name is not UTF-8';
  if (!isRefName(name)) return 'its name is not allowed';
  return undefined;
}

/** Stores objects in batches; one batch is written while the next is read. */
export class ObjectWriter {
  readonly #context: Pick<Context, 'transaction' | 'now'>;
  readonly #repositoryId: number;
  #objects: GitObject[] = [];
  #bytes = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<Context, 'transaction' | 'now'>, repositoryId: number) {
    this.#context = context;
    this.#repositoryId = repositoryId;
  }

  async add(object: DiskObject): Promise<void> {
    const { oid, type, size } = object;
    if (size > maxBlobBytes) {
      throw new GitError('too-large', oid, `The ${type} ${oid} has ${size} bytes; ${maxBlobBytes} are the most.`);
    }
    if (type === 'blob' && size > chunkBytes) {
      await this.flush();
      const stored = await this.#write(target => writeBlob(target, size, object.pieces()));
      if (stored !== oid) throw corruptObject(oid);
      return;
    }
    // A copy: the piece is a view of a pipe buffer, which would stay in memory as long as its smallest view.
    const content = Buffer.from(await object.readAll());
    if (hashObject(type, content) !== oid) throw corruptObject(oid);
    this.#objects.push({ oid, type, content });
    this.#bytes += size;
    if (this.#objects.length >= maxBatch.objects || this.#bytes >= maxBatch.bytes) await this.#startWrite();
  }

  async flush(): Promise<void> {
    await this.#startWrite();
    await this.#writing;
  }

  /** Starts to write the current batch when the one before is written. */
  async #startWrite(): Promise<void> {
    await this.#writing;
    const objects = this.#objects;
    this.#objects = [];
    this.#bytes = 0;
    if (objects.length === 0) return;
    this.#writing = this.#write(target => writeObjects(target, objects));
    // Awaited with the next batch; until then a failure must not be an unhandled rejection.
    this.#writing.catch(() => {});
  }

  #write<T>(work: (target: Parameters<typeof writeObjects>[0]) => Promise<T>): Promise<T> {
    const context = this.#context;
    return context.transaction(async db => {
      await lockAgainstCollection(db, this.#repositoryId);
      return work({ db, repositoryId: this.#repositoryId, now: context.now() });
    });
  }
}

function corruptObject(oid: Oid): GitError {
  return new GitError('corrupt', oid, `The object ${oid} is damaged where it comes from.`);
}

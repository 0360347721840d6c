import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DiskObject, readDiskObjects, writeLines } from '../git/disk-repository.ts';
import { FsckFindings, fsckArgs, fsckSettings, parseFinding } from '../git/fsck-messages.ts';
import { GitProcessError, type LimitedGitOptions, startLimitedGitInTurn } from '../git/limited-git.ts';
import { isObjectType, type ObjectType, type Oid } from '../git/object.ts';
import type { ShapeLimits } from '../git/object-shape.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import { maxBlobBytes } from '../git/write-blob.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { anyOrderSettings, maxCheckCpu, maxTreeBytes, maxUnpacked } from './git-limits.ts';
import { checkHeader, damagedPack, noRoom, RefusedPackError, writePack } from './pack-file.ts';

/** The received pack, in the folder of a quarantine. */
const packPath = 'objects/pack/pack-received.pack';

/** Object of a received pack. */
export interface PackedObject {
  type: ObjectType;
  /** Bytes. */
  size: number;
}

/** The most that one push may bring. */
export interface PackLimits {
  maxBytes: number;
  maxObjects: number;
  /** Of each object. */
  shape: ShapeLimits;
}

/** A folder for one pack, apart from every repository. What is in it is checked by git and deleted after the push. */
export class Quarantine {
  readonly folder: string;
  /** In the order of the pack, in which they are read fastest. */
  objects: ReadonlyMap<Oid, PackedObject> = new Map();
  /** Lines about objects that are odd and stored all the same. */
  warnings: readonly string[] = [];

  readonly #addCpuTime: (microseconds: number) => void;
  /** A body that is no pack costs no file: with its deletion, a folder takes a millisecond of the main thread. */
  #hasFolder = false;

  /** @param addCpuTime called with the CPU time of each git process, in microseconds */
  constructor(root: string, addCpuTime: (microseconds: number) => void) {
    this.folder = join(root, `${randomUUID()}.git`);
    this.#addCpuTime = addCpuTime;
  }

  async delete(): Promise<void> {
    if (this.#hasFolder) await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Reads a pack to its end, checks every object as `git fsck --strict` does, with the exceptions of `fsck-messages.ts`, and lists them.
   * The pack must be complete in itself.
   * @throws RefusedPackError
   */
  async receive(pack: AsyncIterable<Buffer>, limits: PackLimits, signal: AbortSignal): Promise<void> {
    const chunks = await checkHeader(pack, limits.maxObjects);
    await this.#createFolder();
    const bytes = await writePack(join(this.folder, packPath), chunks, limits.maxBytes);
    const maxCpuMs = (): number => maxCheckCpu.freeMs + (bytes / 1024 / 1024) * maxCheckCpu.msPerMegabyte;
    const options = { ...this.#options(signal), maxCpuMs };
    try {
      // `--strict` would look for the objects that those of the pack refer to, and the repository has most of them.
      await runToEnd(['index-pack', '--fsck-objects', packPath], options);
    } catch (error) {
      if (!(error instanceof GitProcessError)) throw error;
      if (!isTolerated(error)) throw refusalOf(error);
      await this.#checkOddObjects(options);
    }
    this.objects = await this.#list(limits.shape, maxUnpacked.freeBytes + maxUnpacked.ratio * bytes, signal);
  }

  /** `git index-pack` ends at the first finding and takes no severities before git 2.45; `git fsck` does. */
  async #checkOddObjects(options: LimitedGitOptions): Promise<void> {
    const findings = new FsckFindings();
    try {
      await runToEnd(['index-pack', packPath], options);
      const config = [...(options.config ?? []), ...fsckSettings()];
      await runToEnd(fsckArgs, { ...options, config, onLine: findings.take });
    } catch (error) {
      if (!(error instanceof GitProcessError)) throw error;
      // Bits of the exit code: 1 for the objects themselves, and 2 for the objects that are not in the pack.
      const isComplete = typeof error.code === 'number' && (error.code & ~3) === 0;
      if (!isComplete) throw refusalOf(error);
    }
    if (findings.errors.length > 0) throw refusedObjects(findings.errors);
    this.warnings = findings.warnings;
  }

  /** The objects with these ids, in their order. */
  async *read(oids: readonly Oid[], signal: AbortSignal): AsyncGenerator<DiskObject> {
    if (oids.length === 0) return;
    yield* readDiskObjects(oids, args => {
      const options = this.#options(signal);
      return startLimitedGitInTurn(args, { ...options, config: [...options.config, ...anyOrderSettings] });
    });
  }

  /** The trees and blobs of the pack that these trees reach, themselves included. */
  async *listBelow(trees: readonly Oid[], signal: AbortSignal): AsyncGenerator<Oid> {
    if (trees.length === 0) return;
    const args = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin'];
    const { process: child, ended, kill } = await startLimitedGitInTurn(args, this.#options(signal));
    writeLines(child.stdin, trees);
    try {
      yield* linesOf(child.stdout, signal);
      await ended;
    } finally {
      kill();
    }
  }

  async #createFolder(): Promise<void> {
    this.#hasFolder = true;
    await mkdir(join(this.folder, 'objects', 'pack'), { recursive: true, mode: 0o700 });
    await mkdir(join(this.folder, 'refs'));
    await writeFile(join(this.folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(join(this.folder, 'HEAD'), 'ref: refs/heads/main\n');
  }

  async #list(shape: ShapeLimits, maxBytes: number, signal: AbortSignal): Promise<Map<Oid, PackedObject>> {
    const objects = new Map<Oid, PackedObject>();
    const args = [
      'cat-file',
      '--batch-all-objects',
      '--unordered',
      '--batch-check=%(objectname) %(objecttype) %(objectsize)',
    ];
    const { process: child, ended, kill } = await startLimitedGitInTurn(args, this.#options(signal));
    child.stdin.end();
    let bytes = 0;
    try {
      for await (const line of linesOf(child.stdout, signal)) {
        bytes += addObject(objects, line, shape);
        if (bytes <= maxBytes) continue;
        throw new RefusedPackError('the objects are too large', [
          `error: The objects of a push of this size may have ${Math.floor(maxBytes / 1024 / 1024)} MB unpacked. Push fewer commits at a time.`,
        ]);
      }
      await ended;
      return objects;
    } finally {
      kill();
    }
  }

  #options(signal: AbortSignal) {
    // Every check of git is an error: what is stored once is served to everybody who clones.
    return {
      folder: this.folder,
      limits: processLimits,
      config: packSettings,
      signal,
      onCpuTime: this.#addCpuTime,
    };
  }
}

/**
 * The lines of the output of git, without line feeds, in turns of the event loop: of a pipe that is full, two megabytes are read
 * without one, and 35,000 lines of them take 60 ms.
 */
async function* linesOf(output: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<string> {
  const turns = WorkBudget.unlimited(signal);
  let rest = '';
  for await (const chunk of output) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      turns.spendSteps();
      if (turns.isTurnDue) await turns.turn();
      yield line;
    }
  }
}

/** Returns the bytes of the object. @throws RefusedPackError */
function addObject(objects: Map<Oid, PackedObject>, line: string, { maxCommitBytes }: ShapeLimits): number {
  const [oid = '', type = '', text = ''] = line.split(' ');
  const size = Number(text);
  if (!isObjectType(type)) throw new RefusedPackError('The pack has an object of an unknown type.');
  const most = { blob: maxBlobBytes, tree: maxTreeBytes, commit: maxCommitBytes, tag: maxCommitBytes }[type];
  if (size > most) {
    const megabytes = (bytes: number): string => `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`;
    throw new RefusedPackError(`a ${type} is too large`, [
      `error: The ${type} ${oid} has ${megabytes(size)}; a ${type} has at most ${megabytes(most)}.`,
      ...(type === 'blob' ? ['error: `git log --all --find-object=<id>` tells which file it is.'] : []),
    ]);
  }
  objects.set(oid, { type, size });
  return size;
}

/** Runs git without input and output. @throws GitProcessError */
async function runToEnd(args: readonly string[], options: LimitedGitOptions): Promise<void> {
  const { process: child, ended } = await startLimitedGitInTurn(args, options);
  child.stdin.end();
  child.stdout.resume();
  await ended;
}

/** Whether the finding at which git has ended is tolerated. */
const isTolerated = ({ stderr }: GitProcessError): boolean =>
  stderr.split('\n').some(line => parseFinding(line)?.isTolerated);

const refusedObjects = (errors: readonly string[]): RefusedPackError =>
  new RefusedPackError('git fsck refuses an object', errors);

/** What git says about a pack, without the names of files of this machine. */
function refusalOf({ code, stderr }: GitProcessError): Error {
  const findings = new FsckFindings();
  for (const line of stderr.split('\n')) findings.take(line);
  if (findings.errors.length > 0) return refusedObjects(findings.errors);
  if (code === 'cpu') {
    return new RefusedPackError('The pack takes too much time to unpack', [
      'error: Its objects are many times larger than the pack. Push fewer commits at a time.',
    ]);
  }
  if (/No space left on device|File too large/i.test(stderr)) return noRoom();
  if (/out of memory|mmap failed|Cannot allocate memory/i.test(stderr)) {
    return new RefusedPackError('An object of the pack needs more memory than this server gives it.');
  }
  if (/unresolved delta/.test(stderr)) return new RefusedPackError('The pack lacks objects that its deltas need.');
  if (/SHA1 COLLISION/i.test(stderr)) return new RefusedPackError('Two objects of the pack have the same id.');
  if (code === 'start' || code === 127) return new RefusedPackError('The program git is not installed on this server.');
  return damagedPack();
}

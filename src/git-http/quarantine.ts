import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type DiskObject, readDiskObjects, writeLines } from '../git/disk-repository.ts';
import { GitProcessError, startLimitedGitInTurn } from '../git/limited-git.ts';
import { isObjectType, type ObjectType, type Oid } from '../git/object.ts';
import type { ShapeLimits } from '../git/object-shape.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import { maxBlobBytes } from '../git/write-blob.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { anyOrderSettings, maxCheckCpu, maxTreeBytes, maxUnpacked } from './git-limits.ts';

/** A pack that is refused. The lines are for the person who pushes. */
export class RefusedPackError extends Error {
  override name = 'RefusedPackError';
  readonly lines: readonly string[];

  /** @param reason one line, after `unpack` */
  constructor(reason: string, lines: readonly string[] = []) {
    super(reason);
    this.lines = lines;
  }
}

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
   * Reads a pack to its end, checks every object as `git fsck --strict` does, and lists them. The pack must be complete in itself.
   * @throws RefusedPackError
   */
  async receive(pack: AsyncIterable<Buffer>, limits: PackLimits, signal: AbortSignal): Promise<void> {
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of pack) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    const chunks = await checkHeader(counted(), limits.maxObjects);
    await this.#createFolder();
    // `--strict` would look for the objects that those of the pack refer to, and the repository has most of them.
    const args = ['index-pack', '--stdin', '--fsck-objects', `--max-input-size=${limits.maxBytes}`];
    const maxCpuMs = (): number => maxCheckCpu.freeMs + (bytes / 1024 / 1024) * maxCheckCpu.msPerMegabyte;
    const { process: child, ended } = await startLimitedGitInTurn(args, { ...this.#options(signal), maxCpuMs });
    child.stdout.resume();
    try {
      await feed(chunks, child.stdin);
    } catch (error) {
      child.stdin.destroy();
      await ended.catch(() => {});
      throw error;
    }
    try {
      await ended;
    } catch (error) {
      throw error instanceof GitProcessError ? refusalOf(error, limits.maxBytes) : error;
    }
    this.objects = await this.#list(limits.shape, maxUnpacked.freeBytes + maxUnpacked.ratio * bytes, signal);
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

/** `PACK`, the version and the number of objects. */
const packHeaderBytes = 12;

/**
 * The pack, when its header is one and does not announce too many objects. Otherwise its rest is read and not kept: a client reads the
 * answer only after it has sent everything. No process starts for it.
 * @throws RefusedPackError
 */
async function checkHeader(pack: AsyncGenerator<Buffer>, maxObjects: number): Promise<AsyncGenerator<Buffer>> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < packHeaderBytes) {
    const { value, done } = await pack.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const isPack = head.length >= packHeaderBytes && head.toString('latin1', 0, 4) === 'PACK';
  if (!isPack || head.readUInt32BE(8) > maxObjects) {
    for await (const _ of pack);
    if (!isPack) throw damagedPack();
    throw new RefusedPackError('too many objects', [
      `error: A push has at most ${maxObjects} objects. Push fewer commits at a time, or import the repository.`,
    ]);
  }
  return (async function* () {
    yield head;
    yield* pack;
  })();
}

/**
 * Writes a pack to git. When git stops reading, the rest is read all the same: a client reads the answer only after it has sent
 * everything. Not `pipeline`, which would end the request with the input of git.
 */
async function feed(pack: AsyncIterable<Buffer>, input: Writable): Promise<void> {
  let isOpen = true;
  const closed = new Promise<void>(resolve => {
    input.once('close', () => {
      isOpen = false;
      resolve();
    });
  });
  for await (const chunk of pack) {
    if (!isOpen || input.write(chunk)) continue;
    await Promise.race([closed, new Promise(resolve => input.once('drain', resolve))]);
  }
  input.end();
}

/** What git says about a pack, without the names of files of this machine. */
function refusalOf({ code, stderr }: GitProcessError, maxBytes: number): Error {
  const objects = [...stderr.matchAll(/^(?:error|warning): (object [0-9a-f]{40}: [\x20-\x7e]{1,200})$/gm)].map(
    found => found[1],
  );
  if (objects.length > 0) {
    return new RefusedPackError(
      'git fsck refuses an object',
      objects.slice(0, 10).map(text => `error: ${text}`),
    );
  }
  if (code === 'cpu') {
    return new RefusedPackError('The pack takes too much time to unpack', [
      'error: Its objects are many times larger than the pack. Push fewer commits at a time.',
    ]);
  }
  if (/No space left on device|File too large/i.test(stderr))
    return new RefusedPackError('The server has no room for the pack.');
  if (/exceeds maximum allowed size/.test(stderr)) {
    return new RefusedPackError('pack exceeds maximum allowed size', [
      `error: A push may have ${Math.floor(maxBytes / 1024 / 1024)} MB. Push fewer commits at a time.`,
    ]);
  }
  if (/out of memory|mmap failed|Cannot allocate memory/i.test(stderr)) {
    return new RefusedPackError('An object of the pack needs more memory than this server gives it.');
  }
  if (/unresolved delta/.test(stderr)) return new RefusedPackError('The pack lacks objects that its deltas need.');
  if (/SHA1 COLLISION/i.test(stderr)) return new RefusedPackError('Two objects of the pack have the same id.');
  if (code === 'start' || code === 127) return new RefusedPackError('The program git is not installed on this server.');
  return damagedPack();
}

const damagedPack = (): RefusedPackError => new RefusedPackError('The pack is damaged or incomplete.');

import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type DiskObject, readDiskObjects } from '../git/disk-repository.ts';
import { GitProcessError, runLimitedGit, startLimitedGit } from '../git/limited-git.ts';
import { isObjectType, type ObjectType, type Oid } from '../git/object.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import { maxBlobBytes } from '../git/write-blob.ts';
import { anyOrderSettings, maxPushObjects, maxStructureBytes } from './git-limits.ts';

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

/** A folder for one pack, apart from every repository. What is in it is checked by git and deleted after the push. */
export class Quarantine {
  readonly folder: string;
  /** In the order of the pack, in which they are read fastest. */
  objects: ReadonlyMap<Oid, PackedObject> = new Map();

  readonly #addCpuTime: (microseconds: number) => void;

  private constructor(folder: string, addCpuTime: (microseconds: number) => void) {
    this.folder = folder;
    this.#addCpuTime = addCpuTime;
  }

  /** @param addCpuTime called with the CPU time of each git process, in microseconds */
  static async create(root: string, addCpuTime: (microseconds: number) => void): Promise<Quarantine> {
    const folder = join(root, `${randomUUID()}.git`);
    await mkdir(join(folder, 'objects', 'pack'), { recursive: true, mode: 0o700 });
    await mkdir(join(folder, 'refs'));
    await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    return new Quarantine(folder, addCpuTime);
  }

  delete(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Reads a pack to its end, checks every object as `git fsck --strict` does, and lists them. The pack must be complete in itself.
   * @throws RefusedPackError
   */
  async receive(pack: AsyncIterable<Buffer>, maxBytes: number, signal: AbortSignal): Promise<void> {
    // `--strict` would look for the objects that those of the pack refer to, and the repository has most of them.
    const args = ['index-pack', '--stdin', '--fsck-objects', `--max-input-size=${maxBytes}`];
    const { process: child, ended } = startLimitedGit(args, this.#options(signal));
    child.stdout.resume();
    try {
      await feed(pack, child.stdin);
    } catch (error) {
      child.stdin.destroy();
      await ended.catch(() => {});
      throw error;
    }
    try {
      await ended;
    } catch (error) {
      throw error instanceof GitProcessError ? refusalOf(error, maxBytes) : error;
    }
    this.objects = await this.#list(signal);
  }

  /** The objects with these ids, in their order. */
  read(oids: readonly Oid[], signal: AbortSignal): AsyncGenerator<DiskObject> {
    return readDiskObjects(oids, args => {
      const options = this.#options(signal);
      return startLimitedGit(args, { ...options, config: [...options.config, ...anyOrderSettings] });
    });
  }

  /** The trees and blobs of the pack that these trees reach, themselves included. */
  async listBelow(trees: readonly Oid[], signal: AbortSignal): Promise<Oid[]> {
    const args = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin'];
    const list = await runLimitedGit(args, this.#options(signal), trees.map(oid => `${oid}\n`).join(''));
    return list.toString('latin1').split('\n').filter(Boolean);
  }

  async #list(signal: AbortSignal): Promise<Map<Oid, PackedObject>> {
    const objects = new Map<Oid, PackedObject>();
    const args = [
      'cat-file',
      '--batch-all-objects',
      '--unordered',
      '--batch-check=%(objectname) %(objecttype) %(objectsize)',
    ];
    const { process: child, ended, kill } = startLimitedGit(args, this.#options(signal));
    child.stdin.end();
    let rest = '';
    for await (const chunk of child.stdout) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) addObject(objects, line);
      if (objects.size > maxPushObjects) {
        kill();
        throw new RefusedPackError(`A push has at most ${maxPushObjects} objects.`);
      }
    }
    await ended;
    return objects;
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

function addObject(objects: Map<Oid, PackedObject>, line: string): void {
  const [oid = '', type = '', text = ''] = line.split(' ');
  const size = Number(text);
  if (!isObjectType(type)) throw new RefusedPackError('The pack has an object of an unknown type.');
  const most = type === 'blob' ? maxBlobBytes : maxStructureBytes;
  if (size > most) {
    const megabytes = (bytes: number): string => `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`;
    throw new RefusedPackError(`a ${type} is too large`, [
      `error: The ${type} ${oid} has ${megabytes(size)}; a ${type} has at most ${megabytes(most)}.`,
      ...(type === 'blob' ? ['error: `git log --all --find-object=<id>` tells which file it is.'] : []),
    ]);
  }
  objects.set(oid, { type, size });
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
  return new RefusedPackError('The pack is damaged or incomplete.');
}

import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DiskObject, readDiskObjects } from '../git/disk-repository.ts';
import { GitProcessError, startLimitedGit } from '../git/limited-git.ts';
import { isObjectType, type ObjectType, type Oid } from '../git/object.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import { maxBlobBytes } from '../git/write-blob.ts';
import { maxPushObjects, maxStructureBytes } from './git-limits.ts';

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
  objects: ReadonlyMap<Oid, PackedObject> = new Map();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(root: string): Promise<Quarantine> {
    const folder = join(root, `${randomUUID()}.git`);
    await mkdir(join(folder, 'objects', 'pack'), { recursive: true, mode: 0o700 });
    await mkdir(join(folder, 'refs'));
    await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    return new Quarantine(folder);
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
      await pipeline(Readable.from(pack, { objectMode: false }), child.stdin, { signal });
    } catch (error) {
      // git has stopped reading: its reason is what matters. The rest of the pack is read, so that the client reads the answer.
      child.stdin.destroy();
      if (isClosedPipe(error)) for await (const _ of pack);
      else {
        await ended.catch(() => {});
        throw error;
      }
    }
    try {
      await ended;
    } catch (error) {
      throw error instanceof GitProcessError ? refusalOf(error) : error;
    }
    this.objects = await this.#list(signal);
  }

  /** Objects in the order of the ids. */
  read(oids: readonly Oid[]): AsyncGenerator<DiskObject> {
    return readDiskObjects({ folder: this.folder, head: undefined, refs: [] }, oids);
  }

  async #list(signal: AbortSignal): Promise<Map<Oid, PackedObject>> {
    const objects = new Map<Oid, PackedObject>();
    const args = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
    const { process: child, ended } = startLimitedGit(args, this.#options(signal));
    child.stdin.end();
    let rest = '';
    for await (const chunk of child.stdout) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) addObject(objects, line);
      if (objects.size > maxPushObjects) {
        child.kill('SIGKILL');
        throw new RefusedPackError(`A push has at most ${maxPushObjects} objects.`);
      }
    }
    await ended;
    return objects;
  }

  #options(signal: AbortSignal) {
    // Every check of git is an error: what is stored once is served to everybody who clones.
    return { folder: this.folder, limits: processLimits, config: packSettings, signal };
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

function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(
    String((error as { code?: unknown }).code),
  );
}

/** What git says about a pack, without the names of files of this machine. */
function refusalOf({ code, stderr }: GitProcessError): Error {
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
  if (/exceeds maximum allowed size/.test(stderr)) return new RefusedPackError('The pack is too large.');
  if (/out of memory|mmap failed|Cannot allocate memory/i.test(stderr)) {
    return new RefusedPackError('An object of the pack needs more memory than this server gives it.');
  }
  if (/unresolved delta/.test(stderr)) return new RefusedPackError('The pack lacks objects that its deltas need.');
  if (/SHA1 COLLISION/i.test(stderr)) return new RefusedPackError('Two objects of the pack have the same id.');
  if (code === 'start' || code === 127) return new RefusedPackError('The program git is not installed on this server.');
  return new RefusedPackError('The pack is damaged or incomplete.');
}

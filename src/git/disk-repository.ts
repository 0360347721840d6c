import { stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { GitError } from './git-error.ts';
import { isObjectType, type ObjectType, type Oid } from './object.ts';
import { type RunningGit, runGit } from './system-git.ts';

/** A git repository on disk, bare or with a work tree. */
export interface DiskRepository {
  /** The git directory. */
  folder: string;
  /** Full name of the branch that HEAD points to; undefined for a detached HEAD. */
  head: string | undefined;
  /** Names are bytes as latin1 characters. */
  refs: { name: string; oid: Oid }[];
}

export async function openDiskRepository(path: string): Promise<DiskRepository> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new GitError('not-a-repository', path, `${path} is no folder.`);
  const output = await runGit(path, ['rev-parse', '--absolute-git-dir', '--show-object-format']);
  const [folder = '', format] = output.toString().trimEnd().split('\n');
  if (format !== 'sha1') {
    throw new GitError('not-a-repository', path, `${path} names its objects by ${format}; only sha1 can be read.`);
  }
  const head = await runGit(folder, ['symbolic-ref', '-q', 'HEAD']).then(
    name => name.toString().trimEnd(),
    () => undefined,
  );
  const listed = (await runGit(folder, ['for-each-ref', '--format=%(objectname) %(refname)'])).toString('latin1');
  const refs = listed
    .split('\n')
    .filter(Boolean)
    .map(line => ({ oid: line.slice(0, 40), name: line.slice(41) }));
  return { folder, head, refs };
}

/** The ids of all objects that are reachable from its refs. */
export async function listDiskObjects({ folder }: DiskRepository): Promise<Oid[]> {
  const listed = await runGit(folder, ['rev-list', '--objects', '--no-object-names', '--all']);
  return listed.toString('latin1').split('\n').filter(Boolean);
}

/**
 * An object that is being read. Its content must be consumed before the next object is requested: both come from one
 * stream.
 */
export interface DiskObject {
  oid: Oid;
  type: ObjectType;
  size: number;
  readAll(): Promise<Buffer>;
  pieces(): AsyncGenerator<Buffer>;
}

/** Reads objects with one `git cat-file --batch` process, which `start` starts, in the order of the ids. */
export async function* readDiskObjects(
  oids: readonly Oid[],
  start: (args: readonly string[]) => RunningGit | Promise<RunningGit>,
): AsyncGenerator<DiskObject> {
  const { process: child, ended, kill } = await start(['cat-file', '--batch', '--buffer']);
  const input = new ByteReader(child.stdout);
  writeLines(child.stdin, oids);
  try {
    for (const asked of oids) {
      const line = await input.readLine();
      const [oid = '', type = '', size = ''] = line?.split(' ') ?? [];
      if (line === undefined || oid !== asked || !isObjectType(type)) {
        if (line === undefined) await ended;
        throw new GitError('corrupt', asked, `The object ${asked} cannot be read: git says «${line}».`);
      }
      const length = Number(size);
      // Most objects are in memory as a whole: 300,000 small ones take half the time when they are not read in pieces.
      const whole = input.takeBuffered(length);
      let isConsumed = whole !== undefined;
      const pieces = async function* (): AsyncGenerator<Buffer> {
        isConsumed = true;
        if (whole) yield whole;
        else yield* input.readBytes(length);
      };
      yield { oid, type, size: length, pieces, readAll: async () => whole ?? concatPieces(pieces()) };
      if (!isConsumed) for await (const _ of pieces());
      if (!input.takeBuffered(1)) await concatPieces(input.readBytes(1));
    }
    await ended;
  } finally {
    kill();
  }
}

/** Ids that are made to one string. */
const oidsPerWrite = 5_000;

/** Writes ids to git, a line each, as fast as it reads them, and ends its input. */
export function writeLines(input: Writable, oids: readonly Oid[]): void {
  const chunks = function* (): Generator<string> {
    for (let at = 0; at < oids.length; at += oidsPerWrite) yield `${oids.slice(at, at + oidsPerWrite).join('\n')}\n`;
  };
  Readable.from(chunks()).pipe(input);
}

async function concatPieces(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  const [only] = all;
  return all.length === 1 && only ? only : Buffer.concat(all);
}

/** Reads lines and fixed numbers of bytes from one stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Without the line feed; undefined at the end of the stream. */
  async readLine(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    }
  }

  /** The next bytes when they have arrived. */
  takeBuffered(length: number): Buffer | undefined {
    if (this.#rest.length < length) return undefined;
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async *readBytes(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new GitError('corrupt', 'stream', 'git ended within an object.');
        this.#rest = value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}

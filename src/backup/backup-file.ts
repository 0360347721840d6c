import { createWriteStream, existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { PassThrough, type Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGunzip, gzip } from 'node:zlib';
import { BackupFileError } from './backup-file-error.ts';
import { encryption, readPlain } from './encrypted-stream.ts';

/**
 * A backup is gzip around records: a line of JSON, and after a record of a table rows of it in PostgreSQL's text format of COPY, in
 * chunks that each begin with a line of their length in bytes; a length of 0 ends them. A table has as many records as it needs. The last record is `{ "end": … }`, so that a
 * file that was cut is recognised; the checksum of gzip finds damage. With a key all of it is encrypted: see `encryption`.
 */
export type BackupRecord =
  | BackupHeader
  | { kind: 'partition'; parent: string; name: string; bound: string }
  | { kind: 'rows'; schema: string; table: string; columns: string[] }
  | { kind: 'sequence'; name: string; value: string; isCalled: boolean }
  | { kind: 'end'; rows: number };

/** The first record. */
export interface BackupHeader {
  kind: 'header';
  /** Version of the format. */
  format: 1;
  /** Time of the snapshot, ISO 8601. */
  at: string;
  /** Version of the server that was read. */
  postgres: string;
  /** Names of the migrations that had run, in their order. */
  migrations: string[];
  /** Tells two values of SECRET_KEY apart without revealing them. */
  secretCheck: string;
}

/** Bytes of records that are compressed together. */
const memberBytes = 4 * 1024 * 1024;

const compress = promisify(gzip);

/**
 * Writes a backup beside `path` and moves it there when it is complete, readable by its owner only. A file that exists is not replaced:
 * of two backups with one name the second fails. Records are compressed by several threads, some megabytes of them at a time, each as a
 * member of the gzip file.
 */
export class BackupWriter {
  readonly #path: string;
  readonly #partial: string;
  readonly #plain: PassThrough;
  readonly #written: Promise<void>;
  /** What is appended: members in the order of their records. */
  #appended: Promise<void> = Promise.resolve();
  /** Compressed bytes so far. */
  bytes = 0;
  /** Set when the file cannot be written. */
  #failure: { error: unknown } | undefined;

  private constructor(path: string, encrypted: Transform) {
    this.#path = path;
    this.#partial = `${path}.partial`;
    this.#plain = new PassThrough();
    const file = createWriteStream(this.#partial, { mode: 0o600, flags: 'wx', flush: true });
    this.#written = pipeline(this.#plain, encrypted, file);
    this.#written.catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  /**
   * @param backupKey what to encrypt with; undefined for a file that everybody can read
   * @throws BackupFileError when `path` exists
   */
  static async create(path: string, backupKey: string | undefined): Promise<BackupWriter> {
    if (existsSync(path)) throw existingFileError(path);
    return new BackupWriter(path, backupKey === undefined ? new PassThrough() : await encryption(backupKey));
  }

  async record(record: BackupRecord): Promise<void> {
    await this.#member([Buffer.from(`${JSON.stringify(record)}\n`)]);
  }

  /**
   * Rows of a table, which may come in several records, each with whole rows. Several tables may be written at the same time.
   * @param rows in the text format of COPY, where a line is a row
   */
  async rows(record: Extract<BackupRecord, { kind: 'rows' }>, rows: Readable): Promise<void> {
    let pieces: Buffer[] = [];
    let bytes = 0;
    const write = async (end: number): Promise<void> => {
      const all = Buffer.concat(pieces);
      const whole = all.subarray(0, end);
      pieces = end < all.length ? [all.subarray(end)] : [];
      bytes = all.length - end;
      if (whole.length === 0) return;
      const head = `${JSON.stringify(record)}\n${whole.length}\n`;
      await this.#member([Buffer.from(head), whole, Buffer.from('0\n')]);
    };
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      const line = chunk.lastIndexOf(10);
      pieces.push(chunk);
      bytes += chunk.length;
      if (bytes >= memberBytes && line >= 0) await write(bytes - chunk.length + line + 1);
    }
    await write(bytes);
  }

  /** @throws BackupFileError when `path` exists by now */
  async finish(): Promise<void> {
    await this.#appended;
    this.#plain.end();
    await this.#written;
    await moveToNew(this.#partial, this.#path);
  }

  /** Deletes what was written. */
  async abort(): Promise<void> {
    this.#plain.destroy();
    const isOther = await this.#written.then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
    );
    // That of a backup that is being written.
    if (!isOther) await rm(this.#partial, { force: true });
  }

  /** Resolves when the member is compressed and its turn to be written has come. */
  async #member(parts: readonly Buffer[]): Promise<void> {
    const compressed = compress(Buffer.concat(parts), { level: constants.Z_BEST_SPEED });
    const before = this.#appended;
    this.#appended = (async () => {
      await before;
      const bytes = await compressed;
      if (this.#failure) throw this.#failure.error;
      this.bytes += bytes.length;
      if (!this.#plain.write(bytes)) await Promise.race([drained(this.#plain), this.#written]);
    })();
    this.#appended.catch(() => {});
    await this.#appended;
  }
}

const existingFileError = (path: string): BackupFileError =>
  new BackupFileError(`${path} exists. A backup does not replace a file: choose another name.`);

const drained = (stream: PassThrough): Promise<void> => new Promise(resolve => stream.once('drain', () => resolve()));

/** A second name and not `rename`, which would replace a file that was made meanwhile. */
async function moveToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw existingFileError(to);
    // A file system without hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
    if (existsSync(to)) throw existingFileError(to);
    await rename(from, to);
    return;
  }
  await rm(from);
}

/**
 * Reads the whole file once and compares the checksum of gzip, and the tags of what is encrypted, so that no statement is made from
 * damaged bytes: a changed byte may still be JSON, with the name of another column. Nothing else of the format is checked here.
 *
 * @throws BackupFileError
 */
export async function assertIntact(path: string, backupKey: string | undefined): Promise<void> {
  try {
    await pipeline(
      await readPlain(path, backupKey),
      createGunzip(),
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
  } catch (error) {
    throw asFileError(error);
  }
}

/** Reads a backup from its begin to its end. */
export class BackupReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(source: Readable) {
    const gunzip = createGunzip();
    source.on('error', error => gunzip.destroy(error));
    this.#chunks = source.pipe(gunzip)[Symbol.asyncIterator]();
  }

  /** @throws BackupFileError */
  static async open(path: string, backupKey: string | undefined): Promise<BackupReader> {
    return new BackupReader(await readPlain(path, backupKey));
  }

  /** The next record; undefined at the end of the file. @throws BackupFileError */
  async record(): Promise<BackupRecord | undefined> {
    const line = await this.#line();
    if (line === undefined) return undefined;
    try {
      return JSON.parse(line) as BackupRecord;
    } catch {
      throw new BackupFileError('The file is not a backup, or it is damaged.');
    }
  }

  /** The rows of the record before. They must be read to their end before the next record. @throws BackupFileError */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const length = Number(await this.#line());
      if (!Number.isInteger(length) || length < 0) throw new BackupFileError('The file is damaged.');
      if (length === 0) return;
      for (let missing = length; missing > 0; ) {
        if (this.#rest.length === 0 && !(await this.#fill())) throw new BackupFileError('The file ends too early.');
        const part = this.#rest.subarray(0, missing);
        this.#rest = this.#rest.subarray(part.length);
        missing -= part.length;
        yield part;
      }
    }
  }

  async #line(): Promise<string | undefined> {
    let end = this.#rest.indexOf(10);
    while (end < 0) {
      // A line is a record; that of a table with 1,600 columns is below 200 KB.
      if (this.#rest.length > 1_000_000) throw new BackupFileError('The file is not a backup, or it is damaged.');
      if (!(await this.#fill())) {
        if (this.#rest.length > 0) throw new BackupFileError('The file ends too early.');
        return undefined;
      }
      end = this.#rest.indexOf(10);
    }
    const line = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  /** Returns false at the end of the file. */
  async #fill(): Promise<boolean> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
      return true;
    } catch (error) {
      throw asFileError(error);
    }
  }
}

function asFileError(error: unknown): unknown {
  const isDamage = (error as { code?: string }).code?.startsWith('Z_');
  return isDamage ? new BackupFileError('The file is not a backup, or it is damaged.') : error;
}

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { PassThrough, type Readable, type Transform, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { BackupFileError } from './backup-file-error.ts';
import { encryption, readPlain } from './encrypted-stream.ts';

/**
 * A backup is gzip around records: a line of JSON, and after the record of a table its rows in PostgreSQL's text format of COPY, in
 * chunks that each begin with a line of their length in bytes; a length of 0 ends them. The last record is `{ "end": … }`, so that a
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

/** Writes a backup beside `path` and moves it there when it is complete, readable by its owner only. */
export class BackupWriter {
  readonly #path: string;
  readonly #partial: string;
  readonly #gzip = createGzip({ level: constants.Z_BEST_SPEED });
  readonly #written: Promise<void>;

  private constructor(path: string, encrypted: Transform) {
    this.#path = path;
    this.#partial = `${path}.partial`;
    this.#written = pipeline(this.#gzip, encrypted, createWriteStream(this.#partial, { mode: 0o600, flags: 'wx' }));
    // Awaited in `finish`; until then a failure shows in the next write.
    this.#written.catch(() => {});
  }

  /** @param backupKey what to encrypt with; undefined for a file that everybody can read */
  static async create(path: string, backupKey: string | undefined): Promise<BackupWriter> {
    return new BackupWriter(path, backupKey === undefined ? new PassThrough() : await encryption(backupKey));
  }

  async record(record: BackupRecord): Promise<void> {
    await this.#write(`${JSON.stringify(record)}\n`);
  }

  /** The rows of the record before. */
  async rows(rows: Readable): Promise<void> {
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      await this.#write(`${chunk.length}\n`);
      await this.#write(chunk);
    }
    await this.#write('0\n');
  }

  async finish(): Promise<void> {
    this.#gzip.end();
    await this.#written;
    await rename(this.#partial, this.#path);
  }

  /** Deletes what was written. */
  async abort(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await rm(this.#partial, { force: true });
  }

  async #write(bytes: string | Buffer): Promise<void> {
    if (this.#gzip.destroyed) await this.#written;
    if (!this.#gzip.write(bytes)) await Promise.race([once(this.#gzip, 'drain'), finished(this.#gzip), this.#written]);
  }
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

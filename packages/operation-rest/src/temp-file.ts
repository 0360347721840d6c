import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary file that is unlinked as soon as it is open, so that nothing remains when the process ends. */
export class TempFile {
  readonly #file: FileHandle;
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<TempFile> {
    const name = join(tmpdir(), `request-body-${randomUUID()}`);
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return new TempFile(file);
  }

  /** Bytes written. */
  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#size);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** Reads from `position`, which is before the end, into `buffer` from `offset` on. Returns the number of bytes, at least one. */
  async read(buffer: Uint8Array, offset: number, position: number): Promise<number> {
    const { bytesRead } = await this.#file.read(buffer, offset, buffer.length - offset, position);
    if (bytesRead === 0) throw new Error('A temporary file is shorter than what was written to it.');
    return bytesRead;
  }

  async readAll(): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(this.#size);
    for (let at = 0; at < bytes.length; ) at += await this.read(bytes, at, at);
    return bytes;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

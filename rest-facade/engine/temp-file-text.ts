import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectYoungGeneration } from './collect-garbage.ts';

/** Bytes that are read back at a time. */
const readBytes = 64 * 1024;

/** Bytes after which the buffers they came in are collected: without it a file of 90 MB took 45 MB more. */
const collectEveryBytes = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A long text of a body, in a file instead of in memory: a text of 120 MB together with its bytes and the body it stood in
 * took a gigabyte. The file has no name once it is open, so that nothing is left of it when the process ends.
 */
export class TempFileText {
  /** Whether it holds U+0000. */
  hasNul = false;
  /** Whether every surrogate has its other half. */
  isWellFormed = true;
  readonly #file: FileHandle;
  #size = 0;
  #passed = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<TempFileText> {
    const name = join(tmpdir(), `portico-${randomUUID()}`);
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return new TempFileText(file);
  }

  /** Appends a piece that ends with a whole character. */
  async write(piece: string): Promise<void> {
    this.hasNul ||= piece.includes('\0');
    this.isWellFormed &&= piece.isWellFormed();
    await this.writePlain(Buffer.from(piece));
  }

  /** Appends whole characters without NUL. */
  async writePlain(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#size);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
    this.#pass(bytes.length);
  }

  /** The text from its beginning on, as often as it is asked for. */
  async *pieces(): AsyncGenerator<string> {
    const buffer = Buffer.allocUnsafe(readBytes);
    let held = 0;
    for (let at = 0; at < this.#size; ) {
      const { bytesRead } = await this.#file.read(buffer, held, readBytes - held, at);
      if (bytesRead === 0) throw new Error('The file of a long text is shorter than what was written to it.');
      at += bytesRead;
      const filled = held + bytesRead;
      const end = wholeCharacterBytes(buffer, filled);
      this.#pass(bytesRead);
      yield utf8.decode(buffer.subarray(0, end));
      buffer.copy(buffer, 0, end, filled);
      held = filled - end;
    }
  }

  #pass(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < collectEveryBytes) return;
    this.#passed = 0;
    collectYoungGeneration();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** How many of the first `length` bytes make whole characters: all, or without the beginning of one that goes on behind. */
export function wholeCharacterBytes(bytes: Uint8Array, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < needed ? length - back : length;
  }
  return length;
}

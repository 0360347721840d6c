import { collectYoungGeneration } from './collect-garbage.ts';
import { TempFile } from './temp-file.ts';

/** Size of one read. */
const chunkBytes = 64 * 1024;

/** Bytes between two collections of the used buffers: without them a file of 90 MB took 45 MB more. */
const collectEveryBytes = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A long text of a body in a temporary file: in memory, a text of 120 MB with its bytes and its body took a gigabyte. Written
 * first, then read any number of times.
 */
export class TempFileText {
  /** Whether it contains U+0000. */
  hasNul = false;
  /** Whether it contains no lone surrogate. */
  isWellFormed = true;
  readonly #file: TempFile;
  #bytesSinceCollection = 0;

  private constructor(file: TempFile) {
    this.#file = file;
  }

  static async open(): Promise<TempFileText> {
    return new TempFileText(await TempFile.open());
  }

  /** Appends text that ends with a complete character. */
  async write(text: string): Promise<void> {
    this.hasNul ||= text.includes('\0');
    this.isWellFormed &&= text.isWellFormed();
    await this.writeBytes(Buffer.from(text));
  }

  /** Appends complete UTF-8 characters without U+0000. */
  async writeBytes(bytes: Buffer): Promise<void> {
    await this.#file.append(bytes);
    this.#countBytes(bytes.length);
  }

  /** The text from its start, in chunks; each call reads it anew. */
  async *pieces(): AsyncGenerator<string> {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let incomplete = 0;
    for (let at = 0; at < this.#file.size; ) {
      const bytesRead = await this.#file.read(buffer, incomplete, at);
      at += bytesRead;
      const filled = incomplete + bytesRead;
      const end = wholeCharacterBytes(buffer, filled);
      this.#countBytes(bytesRead);
      yield utf8.decode(buffer.subarray(0, end));
      buffer.copy(buffer, 0, end, filled);
      incomplete = filled - end;
    }
  }

  #countBytes(bytes: number): void {
    this.#bytesSinceCollection += bytes;
    if (this.#bytesSinceCollection < collectEveryBytes) return;
    this.#bytesSinceCollection = 0;
    collectYoungGeneration();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** How many of the first `length` bytes are complete UTF-8 characters: all, or all but an incomplete last one. */
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

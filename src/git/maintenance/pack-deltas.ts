import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { startLimitedGit } from '../limited-git.ts';
import type { ObjectIndex } from '../object-list.ts';
import { packSettings, processLimits } from '../pack-limits.ts';
import { oidBytes } from '../repository.ts';

/** A delta of a pack. `at` and `base` are places of the index. */
export interface PackedDelta {
  at: number;
  base: number;
  /** Bytes before compression. */
  size: number;
  /** Its zlib stream. */
  bytes: Buffer;
}

const refDelta = 7;
/** Bytes of the file that are read at a time. */
const windowBytes = 1024 * 1024;
/** Type and size of an entry, and the id of its base. */
const maxEntryHeaderBytes = 10 + 20;
const trailerBytes = 20;

/** The REF_DELTA entries of a pack on disk whose objects are in the index, in the order of the file. `path`: without an extension. */
export async function* packedDeltas(
  path: string,
  index: ObjectIndex,
  { folder, signal }: { folder: string; signal: AbortSignal },
): AsyncGenerator<PackedDelta> {
  const entries = await listEntries(path, index, { folder, signal });
  const file = await open(`${path}.pack`);
  try {
    const { size } = await file.stat();
    const reader = new WindowReader(file, size);
    for (const [n, { offset, at }] of entries.entries()) {
      const end = entries[n + 1]?.offset ?? size - trailerBytes;
      const head = await reader.read(offset, Math.min(end, offset + maxEntryHeaderBytes));
      const { type, size: deltaSize, length } = parseHeader(head);
      if (type !== refDelta || at < 0) continue;
      const base = index.indexOf(head.subarray(length, length + 20));
      if (base < 0) continue;
      yield { at, base, size: deltaSize, bytes: await reader.read(offset + length + 20, end) };
    }
  } finally {
    await file.close();
  }
}

function parseHeader(bytes: Buffer): { type: number; size: number; length: number } {
  let byte = bytes[0] ?? 0;
  let size = byte & 15;
  const type = (byte >> 4) & 7;
  let length = 1;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = bytes[length++] ?? 0;
    size += (byte & 0x7f) * factor;
  }
  return { type, size, length };
}

/** The offsets of all entries, ascending, with the place of each object in the index. */
async function listEntries(
  path: string,
  index: ObjectIndex,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<{ offset: number; at: number }[]> {
  const { process: child, ended } = startLimitedGit(['show-index'], {
    folder,
    limits: processLimits,
    config: packSettings,
    signal,
  });
  // git may end before it has read the check sums at the end, and reports an index that is too short.
  pipeline(createReadStream(`${path}.idx`), child.stdin).catch(() => {});
  const entries: { offset: number; at: number }[] = [];
  let rest = '';
  for await (const chunk of child.stdout) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [offset = '', oid = ''] = line.split(' ');
      entries.push({ offset: Number(offset), at: index.indexOf(oidBytes(oid)) });
    }
  }
  await ended;
  return entries.sort((one, other) => one.offset - other.offset);
}

/** Reads a file from its start to its end, mostly without a system call for each read. */
class WindowReader {
  readonly #file: FileHandle;
  readonly #size: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** A copy of the bytes from `start` (inclusive) to `end` (exclusive). */
  async read(start: number, end: number): Promise<Buffer> {
    if (start < this.#start || end > this.#start + this.#window.length) {
      const length = Math.min(Math.max(windowBytes, end - start), this.#size - start);
      this.#window = Buffer.allocUnsafeSlow(length);
      const { bytesRead } = await this.#file.read(this.#window, 0, length, start);
      if (bytesRead !== length) throw new Error('The pack ended early.');
      this.#start = start;
    }
    return Buffer.from(this.#window.subarray(start - this.#start, end - this.#start));
  }
}

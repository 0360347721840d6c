import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createDeflate, deflateSync } from 'node:zlib';
import { type ObjectType, type Oid, typeNumbers } from './object.ts';
import { entryHeader } from './pack-stream.ts';

/** Bytes that are written together. */
const writtenTogether = 1024 * 1024;
const headBytes = 12;

/**
 * A pack and its index for a repository that only this process's git reads, and only for a moment. Nothing is compressed or hashed: the
 * ids of the objects are known, and git checks neither the sums of a pack that it reads from nor those of its index. Loose objects take
 * a file each, and `git index-pack` a process that hashes all of them.
 */
export class ScratchPack {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #entries = new Map<Oid, number>();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #bytes = headBytes;
  #isOpen = true;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** `path`: without the endings `.pack` and `.idx`. */
  static async create(path: string): Promise<ScratchPack> {
    const file = await open(`${path}.pack`, 'wx', 0o600);
    const pack = new ScratchPack(path, file);
    pack.#waiting.push(Buffer.alloc(headBytes));
    return pack;
  }

  async add({ oid, type, content }: { oid: Oid; type: ObjectType; content: Buffer }): Promise<void> {
    if (!this.#begin(oid, type, content.length)) return;
    await this.#write(deflateSync(content, { level: 0 }));
  }

  /** The same for a content that is not in memory as a whole. */
  async addPieces(
    { oid, type, size }: { oid: Oid; type: ObjectType; size: number },
    pieces: AsyncIterable<Buffer>,
  ): Promise<void> {
    if (!this.#begin(oid, type, size)) return;
    const stream = createDeflate({ level: 0 });
    const fed = pipeline(pieces, stream);
    fed.catch(() => {});
    for await (const chunk of stream) await this.#write(chunk);
    await fed;
  }

  /** Ends the pack and writes its index. */
  async finish(): Promise<void> {
    const sum = Buffer.alloc(20, 1);
    await this.#write(sum);
    await this.#flush();
    const head = Buffer.alloc(headBytes);
    head.write('PACK', 'latin1');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(this.#entries.size, 8);
    await this.#file.write(head, 0, headBytes, 0);
    await this.close();
    await writeFile(`${this.#path}.idx`, this.#index(sum), { mode: 0o600 });
  }

  async close(): Promise<void> {
    if (this.#isOpen) await this.#file.close();
    this.#isOpen = false;
  }

  #begin(oid: Oid, type: ObjectType, size: number): boolean {
    if (this.#entries.has(oid)) return false;
    this.#entries.set(oid, this.#bytes);
    const header = entryHeader(typeNumbers[type], size);
    this.#waiting.push(header);
    this.#waitingBytes += header.length;
    this.#bytes += header.length;
    return true;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#waitingBytes >= writtenTogether) await this.#flush();
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#file.writev(waiting);
  }

  /** Version 2: counts by the first byte, ids in order, check sums of the entries, which are not looked at, and offsets. */
  #index(packSum: Buffer): Buffer {
    const oids = [...this.#entries.keys()].sort();
    const head = Buffer.alloc(8 + 256 * 4);
    head.writeUInt32BE(0xff744f63, 0);
    head.writeUInt32BE(2, 4);
    for (let byte = 0, count = 0; byte < 256; byte++) {
      const next = (byte + 1).toString(16).padStart(2, '0');
      while (count < oids.length && (byte === 255 || (oids[count] ?? '') < next)) count++;
      head.writeUInt32BE(count, 8 + byte * 4);
    }
    const offsets = Buffer.alloc(oids.length * 4);
    for (const [at, oid] of oids.entries()) offsets.writeUInt32BE(this.#entries.get(oid) ?? 0, at * 4);
    const sums = Buffer.alloc(oids.length * 4);
    return Buffer.concat([head, Buffer.from(oids.join(''), 'hex'), sums, offsets, packSum, Buffer.alloc(20)]);
  }
}

/** A line of git's wire format: four hexadecimal digits of its length, then the payload. */
export type Pkt = { kind: 'data'; data: Buffer } | { kind: 'flush' | 'delimiter' | 'end' };

/** Longest payload of a line. */
export const maxPktBytes = 65_516;

export const flushPkt = Buffer.from('0000');

export function pktLine(payload: string | Buffer): Buffer {
  const data = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (data.length > maxPktBytes) throw new RangeError(`A line has ${data.length} bytes.`);
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
}

/** Bytes that are no git wire format, or end within a line. */
export class PktError extends Error {
  override name = 'PktError';
}

/** Reads lines from a stream, and then whatever follows them. */
export class PktReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the stream. @throws PktError */
  async read(): Promise<Pkt | undefined> {
    const head = await this.#take(4);
    if (head.length === 0) return undefined;
    const digits = head.toString('latin1');
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new PktError('A line does not begin with its length.');
    const length = Number.parseInt(digits, 16);
    if (length === 0) return { kind: 'flush' };
    if (length === 1) return { kind: 'delimiter' };
    if (length === 2) return { kind: 'end' };
    if (length < 4 || length - 4 > maxPktBytes) throw new PktError('The length of a line is not valid.');
    const data = await this.#take(length - 4);
    if (data.length < length - 4) throw new PktError('The request ends within a line.');
    return { kind: 'data', data };
  }

  /** Up to `length` bytes: fewer only at the end of the stream. */
  async #take(length: number): Promise<Buffer> {
    while (this.#rest.length < length && !this.#hasEnded) {
      const { value, done } = await this.#chunks.next();
      if (done) this.#hasEnded = true;
      else this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    }
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** The bytes after the last line that was read. */
  async *remainder(): AsyncGenerator<Buffer> {
    if (this.#rest.length > 0) {
      const first = this.#rest;
      this.#rest = Buffer.alloc(0);
      yield first;
    }
    while (!this.#hasEnded) {
      const { value, done } = await this.#chunks.next();
      if (done) this.#hasEnded = true;
      else yield value;
    }
  }
}

/** The text of a line without its line feed. Names of refs are UTF-8. */
export function lineText(data: Buffer): string {
  return (data.at(-1) === 0x0a ? data.subarray(0, -1) : data).toString();
}

/** A stream in memory. */
export async function* bytesOf(buffer: Buffer): AsyncGenerator<Buffer> {
  if (buffer.length > 0) yield buffer;
}

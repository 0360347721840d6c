/** A line of git's wire format: four hexadecimal digits of its length, then the payload. */
export type Pkt = { kind: 'data'; data: Buffer } | { kind: 'flush' | 'delimiter' | 'end' };

/** Longest payload of a line. */
export const maxPktBytes = 65_516;

export const flushPkt = Buffer.from('0000');

export function pktLine(payload: string | Buffer): Buffer {
  if (typeof payload === 'string') return Buffer.from(pktText(payload));
  return Buffer.concat([Buffer.from(lengthOf(payload.length)), payload]);
}

/** The same of a text as text: thousands of lines are joined before one buffer is made of them. */
export function pktText(payload: string): string {
  return `${lengthOf(Buffer.byteLength(payload))}${payload}`;
}

function lengthOf(bytes: number): string {
  if (bytes > maxPktBytes) throw new RangeError(`A line has ${bytes} bytes.`);
  return (bytes + 4).toString(16).padStart(4, '0');
}

/** Bytes that are no git wire format, or end within a line. */
export class PktError extends Error {
  override name = 'PktError';
}

/** Bytes of a payload, or a line that has none. @throws PktError */
function parseLength(head: Buffer): number | Exclude<Pkt, { kind: 'data' }> {
  const digits = head.toString('latin1');
  if (!/^[0-9a-f]{4}$/i.test(digits)) throw new PktError('A line does not begin with its length.');
  const length = Number.parseInt(digits, 16);
  if (length === 0) return { kind: 'flush' };
  if (length === 1) return { kind: 'delimiter' };
  if (length === 2) return { kind: 'end' };
  if (length < 4 || length - 4 > maxPktBytes) throw new PktError('The length of a line is not valid.');
  return length - 4;
}

/** The lines of a request that is in memory, one by one. An empty one is refused, as by git, which never sends it. @throws PktError */
export function* parsePkts(body: Buffer): Generator<Pkt> {
  for (let at = 0; at < body.length; ) {
    const length = parseLength(body.subarray(at, at + 4));
    at += 4;
    if (typeof length !== 'number') {
      yield length;
      continue;
    }
    if (length === 0) throw new PktError('A line of the request is empty.');
    const data = body.subarray(at, at + length);
    if (data.length < length) throw new PktError('The request ends within a line.');
    at += length;
    yield { kind: 'data', data };
  }
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
    const length = parseLength(head);
    if (typeof length !== 'number') return length;
    const data = await this.#take(length);
    if (data.length < length) throw new PktError('The request ends within a line.');
    return { kind: 'data', data };
  }

  /** Up to `length` bytes: fewer only at the end of the stream. */
  async #take(length: number): Promise<Buffer> {
    if (this.#rest.length < length && !this.#hasEnded) {
      // Joined once: a client can send a line of 64 KB in as many chunks.
      const parts = [this.#rest];
      for (let size = this.#rest.length; size < length && !this.#hasEnded; ) {
        const { value, done } = await this.#chunks.next();
        if (done) {
          this.#hasEnded = true;
        } else {
          parts.push(value);
          size += value.length;
        }
      }
      this.#rest = Buffer.concat(parts);
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

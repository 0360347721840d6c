import { connect, type Socket } from 'node:net';

/** A TCP connection to a gateway, for what no HTTP client sends. Everything it waits for has a bound. */
export class BareConnection {
  readonly #socket: Socket;
  readonly #listeners = new Set<() => void>();
  /** Everything that came, one character a byte. */
  received = '';
  /** Whether the other side has ended or reset it. */
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', chunk => {
      this.received += chunk.toString('latin1');
      this.#changed();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
  }

  /** Rejects when nothing listens at `url`. */
  static open(url: string): Promise<BareConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new BareConnection(socket));
      });
    });
  }

  send(bytes: string | Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Reads no more, so that the other side's buffers fill up. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Waits until what came matches; rejects after `waitTimeoutMs` or when the connection closes before it does. */
  async until(pattern: RegExp, waitTimeoutMs = 5_000): Promise<string> {
    await this.#wait(() => pattern.test(this.received) || this.isClosed, `${pattern}`, waitTimeoutMs);
    if (!pattern.test(this.received))
      throw new Error(`Closed before ${pattern}; it got ${this.received.slice(0, 500)}`);
    return this.received;
  }

  /** Waits until the other side closes, and gives everything that came. */
  async closed(waitTimeoutMs = 5_000): Promise<string> {
    await this.#wait(() => this.isClosed, 'the end of the connection', waitTimeoutMs);
    return this.received;
  }

  /** Waits for one whole answer, an interim one (100) aside. The answer to HEAD is whole without its body. */
  async answer(method = 'GET', waitTimeoutMs = 5_000): Promise<BareAnswer> {
    const whole = (): BareAnswer | undefined =>
      answersIn(this.received).find(
        one =>
          one.status >= 200 && (method === 'HEAD' || one.body.length === Number(one.headers['content-length'] ?? 0)),
      );
    await this.#wait(() => whole() !== undefined || this.isClosed, 'an answer', waitTimeoutMs);
    const answer = whole();
    if (!answer)
      throw new Error(`Closed without a whole answer; it got ${JSON.stringify(this.received.slice(0, 500))}`);
    return answer;
  }

  /** Says that nothing more will be sent, and still reads. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #wait(happened: () => boolean, what: string, waitTimeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(look);
        reject(new Error(`Waited ${waitTimeoutMs} ms for ${what}; it got ${this.received.slice(0, 500)}`));
      }, waitTimeoutMs);
      const look = (): void => {
        if (!happened()) return;
        clearTimeout(timer);
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }
}

/** One answer out of the bytes of a connection. */
export interface BareAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The answers in `received`, in their order; the last one may be cut off. Only bodies with a Content-Length are read. */
export function answersIn(received: string): BareAnswer[] {
  const answers: BareAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(first.split(' ')[1]);
    const length = status === 100 ? 0 : Number(headers['content-length'] ?? 0);
    answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

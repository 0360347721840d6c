import { connect, type Socket } from 'node:net';

/** A raw TCP connection to a gateway, for requests that no HTTP client sends. Every wait has a timeout. */
export class BareConnection {
  readonly #socket: Socket;
  readonly #listeners = new Set<() => void>();
  /** All bytes received, decoded as latin1. */
  received = '';
  /** Whether the peer has ended or reset the connection. */
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

  /** Rejects if nothing listens at `url`. */
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

  /** Stops reading, so that the peer's send buffer fills up. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Waits until the received bytes match. Rejects after `waitTimeoutMs`, or if the connection closes first. */
  async until(pattern: RegExp, waitTimeoutMs = 5_000): Promise<string> {
    await this.#wait(() => pattern.test(this.received) || this.isClosed, `${pattern}`, waitTimeoutMs);
    if (!pattern.test(this.received))
      throw new Error(`Closed before ${pattern}; it got ${this.received.slice(0, 500)}`);
    return this.received;
  }

  /** Waits until the peer closes the connection. Returns all bytes received. */
  async closed(waitTimeoutMs = 5_000): Promise<string> {
    await this.#wait(() => this.isClosed, 'the end of the connection', waitTimeoutMs);
    return this.received;
  }

  /** Waits for one complete response, and skips interim ones (100). The response to HEAD is complete without a body. */
  async answer(method = 'GET', waitTimeoutMs = 5_000): Promise<BareAnswer> {
    const whole = (): BareAnswer | undefined =>
      answersIn(this.received).find(
        answer =>
          answer.status >= 200 &&
          (method === 'HEAD' || answer.body.length === Number(answer.headers['content-length'] ?? 0)),
      );
    await this.#wait(() => whole() !== undefined || this.isClosed, 'an answer', waitTimeoutMs);
    const answer = whole();
    if (!answer)
      throw new Error(`Closed without a whole answer; it got ${JSON.stringify(this.received.slice(0, 500))}`);
    return answer;
  }

  /** Half-closes the connection: nothing more is sent, and it is still read. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #wait(isMet: () => boolean, what: string, waitTimeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(new Error(`Waited ${waitTimeoutMs} ms for ${what}; it got ${this.received.slice(0, 500)}`));
      }, waitTimeoutMs);
      const check = (): void => {
        if (!isMet()) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }
}

/** One response parsed from the bytes of a connection. */
export interface BareAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The responses in `received`, in order; the last may be truncated. Bodies are read only by their Content-Length. */
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

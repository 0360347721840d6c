import { connect, type Socket } from 'node:net';

/** A TCP connection on which a test writes raw HTTP. */
export interface RawConnection {
  socket: Socket;
  /** The received bytes as Latin-1: one character per byte. */
  received(): string;
  /** Resolves once `text` has arrived; rejects when the connection ends or after five seconds. */
  until(text: string | RegExp): Promise<string>;
  /** Resolves with all received bytes once the server has closed the connection. */
  closed(): Promise<string>;
}

/** Connects to a test facade. The test destroys the socket. */
export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let over = false;
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const one of waiting) one();
  };
  socket.setEncoding('latin1');
  socket.on('data', chunk => {
    text += String(chunk);
    look();
  });
  // A reset counts as the end of the connection; tests check what arrived before it.
  socket.on('error', () => {});
  socket.on('close', () => {
    over = true;
    look();
  });
  const wait = (done: () => boolean, what: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(`${what} did not come. There is: ${text}`))), 5_000);
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        waiting.delete(check);
        how();
      };
      const check = (): void => {
        if (done()) settle(() => resolve(text));
        else if (over) settle(() => reject(new Error(`The connection ended before ${what}. There is: ${text}`)));
      };
      waiting.add(check);
      check();
    });
  return {
    socket,
    received: () => text,
    until: wanted =>
      wait(() => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)), String(wanted)),
    closed: () => wait(() => over, 'the end of the connection'),
  };
}

/** Sends one raw request and returns all bytes until the server closes the connection. */
export async function sendRaw(url: string, request: string | Buffer): Promise<string> {
  const connection = rawConnection(url);
  connection.socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
  const answer = await connection.closed();
  connection.socket.destroy();
  return answer;
}

/** A raw request for `sendRaw` with `Connection: close`. `target` and `body` are sent unchanged. */
export function rawRequest(method: string, target: string, headers: Record<string, string> = {}, body = ''): string {
  const all = { Host: 'api.example.org', Connection: 'close', 'User-Agent': 'tests', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

import type { WebSocket } from 'ws';

/** Interval of pings. A client without a pong until the next ping is disconnected. */
const pingIntervalMs = 20_000;

/**
 * Pings the client of one socket until the socket is closed.
 *
 * @param mayRead counts each ping and pong of the client; see `messageReader`
 * @param onPing called with every ping
 */
export function keepAlive(socket: WebSocket, mayRead: (data: Buffer) => boolean, onPing: () => void): void {
  let answered = true;
  socket.on('ping', mayRead);
  socket.on('pong', data => {
    answered = mayRead(data);
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
    onPing();
  }, pingIntervalMs);
  socket.once('close', () => clearInterval(timer));
}

/** Sends a close frame to every client, and destroys connections that are still open after `timeout` milliseconds. */
export async function closeAll(sockets: ReadonlySet<WebSocket>, timeout: number): Promise<void> {
  const closed = [...sockets].map(
    socket =>
      new Promise<void>(resolve => {
        socket.once('close', () => resolve());
        // Clients reconnect to another gateway.
        socket.close(1001, 'Going away');
      }),
  );
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, timeout);
  await Promise.all(closed);
  clearTimeout(timer);
}

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the database that can disconnect, as a restart of the server does. */
export interface DatabaseProxy {
  url: string;
  /** Breaks every connection and refuses new ones. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
  /** Forwards nothing until `thaw`, and accepts connections: the server is there and does not answer. */
  freeze(): void;
  thaw(): void;
  /** What clients have sent since the last call. */
  takeSent(): string;
}

export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const sockets = new Map<Socket, Socket>();
  let isFrozen = false;
  let sent = '';
  const server = createServer(inner => {
    inner.on('data', (chunk: Buffer) => {
      sent += chunk.toString('latin1');
    });
    const outer = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.set(one, other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (isFrozen) one.pause();
      else one.pipe(other);
    }
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const proxyUrl = new URL(url);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.port = String(port);
  return {
    url: proxyUrl.href,
    async disconnect() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
    async reconnect() {
      await listen(port);
    },
    freeze() {
      isFrozen = true;
      for (const [one, other] of sockets) one.unpipe(other).pause();
    },
    thaw() {
      isFrozen = false;
      for (const [one, other] of sockets) one.pipe(other);
    },
    takeSent() {
      const taken = sent;
      sent = '';
      return taken;
    },
  };
}

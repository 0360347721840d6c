import type { Server } from 'node:http';

/** Listens on a free loopback port and returns the origin. Idle connections stay open for longer than a round. */
export function listen(server: Server): Promise<string> {
  server.keepAliveTimeout = 65_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}

import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from '@jest/globals';
import { deliverChunks } from '../../src/server/archive-production.ts';

/** More than the buffers of the kernel take. */
async function* manyPieces(count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at++) yield Buffer.alloc(1024 * 1024);
}

/** A server of one download, and what has become of it. */
async function download(pieces: number, idleMs: number) {
  const { promise: ended, resolve } = Promise.withResolvers<'complete' | 'cut'>();
  const server = createServer((_request, response) => {
    const chunks = deliverChunks(manyPieces(pieces), () => response.destroy(), idleMs);
    pipeline(Readable.from(chunks, { objectMode: false }), response).then(
      () => resolve('complete'),
      () => resolve('cut'),
    );
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>(answered => get({ port, host: '127.0.0.1' }, answered));
  response.on('error', () => {});
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { ended, response, close };
}

test('a client that stops reading is cut off', async () => {
  const { ended, response, close } = await download(100, 50);
  response.pause();
  expect(await ended).toBe('cut');
  close();
});

test('a client that reads gets everything', async () => {
  const { ended, response, close } = await download(20, 5_000);
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  expect([await ended, bytes]).toEqual(['complete', 20 * 1024 * 1024]);
  close();
});

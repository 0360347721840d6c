import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { test } from '@jest/globals';
import express from 'express';
import { fastify } from 'fastify';
import type { Facade } from 'operation-rest';
import { expressMiddleware } from 'operation-rest/express';
import { fastifyPlugin, fastifyServerFactory } from 'operation-rest/fastify';
import { type FetchHandler, fetchHandler } from 'operation-rest/fetch';
import { nodeHandler } from 'operation-rest/node-http';

/** The adapters that the suite in this folder runs through; `FACADE_ADAPTER` selects one. */
export const adapters = ['node-http', 'express', 'fastify', 'fetch'] as const;
export type Adapter = (typeof adapters)[number];

/** The adapter that every test facade is served by. */
// biome-ignore lint/style/noProcessEnv: how `adapters.process.test.ts` runs this suite once for each adapter.
export const adapter: Adapter = adapters.find(one => one === process.env.FACADE_ADAPTER) ?? 'node-http';

/**
 * `test` where the facade sees the request line and the connection as the client made them. Hosts of Fetch handlers normalize
 * targets, refuse some methods, and end connections by rules of their own.
 */
export const testOfConnection: typeof test = adapter === 'fetch' ? (test.skip as typeof test) : test;

/** `test` where the facade sees targets with invalid percent-encoding, which Fastify's router refuses before any hook. */
export const testOfRawTarget: typeof test = adapter === 'fastify' ? (test.skip as typeof test) : testOfConnection;

/** Starts a server on a free port that answers requests outside the facade by 421 and their own body. */
export async function listenThrough(
  facade: Facade,
  through: Adapter = adapter,
): Promise<{ server: Server; url: string }> {
  const server = await serverOf(facade, through);
  if (!server.listening) await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function serverOf(facade: Facade, adapter: Adapter): Promise<Server> {
  if (adapter === 'express') {
    const app = express();
    app.disable('x-powered-by');
    app.use(expressMiddleware(facade));
    app.use((request, response) => {
      request.pipe(response.status(421));
    });
    return createServer(app);
  }
  if (adapter === 'fastify') {
    const app = fastify();
    app.register(fastifyPlugin(facade));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, body, done) => done(null, body));
    app.setNotFoundHandler((request, reply) => reply.code(421).send(request.body));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  }
  if (adapter === 'fetch') {
    return fetchServer(fetchHandler(facade, async request => new Response(request.body, { status: 421 })));
  }
  return createServer(
    nodeHandler(facade, (request, response) => {
      response.statusCode = 421;
      request.pipe(response);
    }),
  );
}

/** A host of a Fetch handler on Node, as small as one can be. */
function fetchServer(handler: FetchHandler): Server {
  return createServer((incoming, outgoing) => {
    const disconnected = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) disconnected.abort();
    });
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
    const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(incoming);
    const target = url.startsWith('/') ? `http://api.example.org${url}` : url;
    const serve = async (): Promise<void> => {
      const request = new Request(target, {
        method,
        headers,
        body,
        duplex: 'half',
        signal: disconnected.signal,
      } as RequestInit);
      const response = await handler(request);
      outgoing.statusCode = response.status;
      for (const [name, value] of response.headers) outgoing.setHeader(titleCase(name), value);
      if (response.body) await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
      else outgoing.end();
    };
    serve().catch(() => outgoing.destroy());
  });
}

/** The bytes of a request. What the handler leaves is discarded, so that the connection stays usable. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isRead = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        if (!isRead) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once('end', () => isRead && controller.close());
      incoming.once(
        'close',
        () => isRead && !incoming.complete && controller.error(new Error('The client disconnected.')),
      );
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      isRead = false;
      incoming.resume();
    },
  });
}

/** `Content-Type`: the Fetch standard has names in lower case, and tests of raw responses look for them as other adapters send them. */
function titleCase(name: string): string {
  return name === 'etag' ? 'ETag' : name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase());
}

/** Fastify with the facade in front of its router. */
export async function listenBeforeFastify(facade: Facade): Promise<{ close(): Promise<void>; url: string }> {
  const app = fastify({ serverFactory: fastifyServerFactory(facade) });
  app.get('/other', async () => 'of Fastify');
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

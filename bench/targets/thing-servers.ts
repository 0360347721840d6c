import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import express from 'express';
import { fastify } from 'fastify';
import type * as OperationRest from 'operation-rest';
import type * as ExpressAdapter from 'operation-rest/express';
import type * as FastifyAdapter from 'operation-rest/fastify';
import type * as FetchAdapter from 'operation-rest/fetch';
import type * as NodeAdapter from 'operation-rest/node-http';
import { useSofa } from 'sofa-api';
import { listen } from '../peers/listen.ts';
import type { Target } from '../target.ts';
import { documentGraph, envelopeOf, pageNumber, plainGraph, readPage } from './things.ts';

/** Public origin in links; the same for all servers. */
const origin = 'https://things.example';
const list = `${origin}/things`;

/** What `npm start` runs: the compiled modules. */
const load = <M>(file: string): Promise<M> =>
  import(join(import.meta.dirname, '..', '..', 'dist', 'packages', 'operation-rest', 'src', `${file}.js`));

async function thingFacade(): Promise<OperationRest.Facade> {
  const { createFacade, defineProduct } = await load<typeof OperationRest>('operation-rest');
  const folder = join(import.meta.dirname, 'facade');
  return createFacade({
    product: defineProduct({ name: 'things', title: 'Things', version: '1', folder }),
    graph: plainGraph(),
    context: () => ({}),
    origin: () => origin,
    onDefect: error => process.stderr.write(`${String(error)}\n`),
  });
}

export const startNodeHttp: Target = async () => {
  const { nodeHandler } = await load<typeof NodeAdapter>('node-http');
  return listen(createServer(nodeHandler(await thingFacade())));
};

export const startExpress: Target = async () => {
  const { expressMiddleware } = await load<typeof ExpressAdapter>('express');
  const app = express();
  app.disable('x-powered-by');
  app.use(expressMiddleware(await thingFacade()));
  return listen(createServer(app));
};

export const startFastify: Target = async () => {
  const { fastifyPlugin } = await load<typeof FastifyAdapter>('fastify');
  const app = fastify({ keepAliveTimeout: 65_000 });
  app.register(fastifyPlugin(await thingFacade()));
  return app.listen({ host: '127.0.0.1', port: 0 });
};

/** The Fetch handler on Node, which has no host for it of its own: with the conversion of both messages. */
export const startFetch: Target = async () => {
  const { fetchHandler } = await load<typeof FetchAdapter>('fetch');
  const handler = fetchHandler(await thingFacade());
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    handler(new Request(`${origin}${incoming.url}`, { method: incoming.method ?? 'GET', headers })).then(
      response => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing);
        else outgoing.end();
      },
      () => outgoing.destroy(),
    );
  });
  return listen(server);
};

/** By hand, with the entity tag that Express makes of a body. */
export const startHandWrittenExpress: Target = () => {
  const app = express();
  app.disable('x-powered-by');
  app.get('/things', async (request, response) => {
    const page = pageNumber(request.query.page);
    if (page === undefined) response.status(404).json({ message: 'Not Found' });
    else response.json(envelopeOf(await readPage(page), list));
  });
  return listen(createServer(app));
};

const text = { type: 'string' };
const integer = { type: 'integer' };
const thingSchema = {
  type: 'object',
  properties: {
    ...{
      id: integer,
      name: text,
      about: text,
      price: { type: 'number' },
      in_stock: { type: 'boolean' },
      made_at: text,
    },
    maker: { type: 'object', properties: { id: integer, name: text } },
    tags: { type: 'array', items: text },
  },
};
const pageSchema = {
  type: 'object',
  properties: {
    count: integer,
    next: { type: ['string', 'null'] },
    previous: { type: ['string', 'null'] },
    results: { type: 'array', items: thingSchema },
  },
};

/** By hand, with a response schema and without an entity tag, as Fastify is meant to be used. */
export const startHandWrittenFastify: Target = () => {
  const app = fastify({ keepAliveTimeout: 65_000 });
  app.get<{ Querystring: { page?: string } }>(
    '/things',
    { schema: { response: { 200: pageSchema } } },
    async (request, reply) => {
      const page = pageNumber(request.query.page);
      return page === undefined ? reply.code(404).send({}) : envelopeOf(await readPage(page), list);
    },
  );
  return app.listen({ host: '127.0.0.1', port: 0 });
};

export const startSofa: Target = () => {
  const app = express();
  app.disable('x-powered-by');
  const sofa = useSofa({ basePath: '/', schema: documentGraph(), context: () => ({ list }) });
  app.use('/', sofa);
  return listen(createServer(app));
};

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import type { Facade } from 'operation-rest';
import { expressMiddleware } from 'operation-rest/express';
import { fetchHandler } from 'operation-rest/fetch';
import { nodeHandler } from 'operation-rest/node-http';
import { listenBeforeFastify } from './adapters.ts';
import { buildTestSchema } from './build-test-schema.ts';
import { bootTestFacade } from './test-facade.ts';

const graph = buildTestSchema('type Query { word: String } type Mutation { say(word: String!): String! }', {
  Query: { word: () => 'yes' },
  Mutation: { say: (_: unknown, { word }: { word: string }) => word },
});
const defects: unknown[] = [];
const { facade } = bootTestFacade(
  {
    graph,
    operations: {
      'a/word.graphql': 'query Word @rest(method: GET, path: "/word/") { word @body }',
      'a/say.graphql': 'mutation Say($word: String!) @rest(method: POST, path: "/word/") { say(word: $word) @body }',
    },
  },
  'own',
  defects,
);
const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) await new Promise(resolve => server.close(resolve));
  expect(defects).toEqual([]);
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const said = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"word":"é"}' };

test('without another handler, plain Node answers 404 outside the base paths', async () => {
  const url = await listen(createServer(nodeHandler(facade)));
  expect((await fetch(`${url}/api/v1/word/`)).status).toBe(200);
  const other = await fetch(`${url}/other`);
  expect([other.status, await other.text()]).toEqual([404, '']);
});

describe('Express', () => {
  test('may mount the facade below a path, whose requests it does not serve go on unchanged', async () => {
    const app = express();
    app.use('/api', expressMiddleware(facade), (request, response) => void response.send(request.url));
    const url = await listen(createServer(app));
    expect(await (await fetch(`${url}/api/v1/word/`)).json()).toBe('yes');
    expect(await (await fetch(`${url}/api/v2/word/?a=1`)).text()).toBe('/v2/word/?a=1');
  });

  test('is told if a parser of bodies comes before the facade', async () => {
    const app = express();
    app.use(express.json());
    app.use(expressMiddleware(facade));
    app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).send(error.message);
    });
    const url = await listen(createServer(app));
    const answer = await fetch(`${url}/api/v1/word/`, said);
    expect(await answer.text()).toBe('The request body has been read: mount the facade before the parsers of bodies.');
    expect((await fetch(`${url}/api/v1/word/`)).status).toBe(200);
  });
});

test('the facade may stand before the router of Fastify', async () => {
  const { url, close } = await listenBeforeFastify(facade as Facade);
  try {
    expect(await (await fetch(`${url}/other`)).text()).toBe('of Fastify');
    expect((await fetch(`${url}/api/v1/%zz/`)).status).toBe(404);
    expect(await (await fetch(`${url}/api/v1/word/`, said)).json()).toBe('é');
  } finally {
    await close();
  }
});

describe('a Fetch handler', () => {
  const origin = 'https://any.example';

  test('answers requests that were never on a wire', async () => {
    const handler = fetchHandler(facade);
    const answer = await handler(new Request(`${origin}/api/v1/word/#part`));
    expect([answer.status, await answer.json()]).toEqual([200, 'yes']);
    expect(await (await handler(new Request(`${origin}/api/v1/word/`, said))).json()).toBe('é');
    expect((await handler(new Request(`${origin}/api/v1/word/`, { method: 'POST' }))).status).toBe(400);
  });

  test('sends no body to HEAD, and its length', async () => {
    const answer = await fetchHandler(facade)(new Request(`${origin}/api/v1/word/`, { method: 'HEAD' }));
    expect([answer.status, answer.headers.get('content-length'), answer.body]).toEqual([200, '5', null]);
  });

  test('answers 404 outside the base paths, or what another handler does', async () => {
    expect((await fetchHandler(facade)(new Request(`${origin}/other`))).status).toBe(404);
    const other = fetchHandler(facade, async request => new Response(request.url));
    expect(await (await other(new Request(`${origin}/other`))).text()).toBe(`${origin}/other`);
  });

  test('rejects for a request that is aborted before or while it is served', async () => {
    const request = (signal: AbortSignal): Request => new Request(`${origin}/api/v1/word/`, { signal });
    await expect(fetchHandler(facade)(request(AbortSignal.abort()))).rejects.toThrow(/abort/);
    const controller = new AbortController();
    const answer = fetchHandler(facade)(request(controller.signal));
    controller.abort();
    await expect(answer).rejects.toThrow('The request was aborted.');
  });
});

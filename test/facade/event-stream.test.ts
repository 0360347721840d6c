import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import type { EventSink } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { rawConnection, rawRequest } from './raw-http.ts';
import { bootError, startTestFacade } from './test-facade.ts';

interface Given {
  live: EventSink | undefined;
}

let work: (live: EventSink | undefined) => unknown = () => ({ text: 'done' });
const graph = buildTestSchema(
  `type Answer { text: String! } type Other { id: Int! } union Either = Answer | Other
  type Query { tell(n: Int): Answer, either: Either, plain: Answer }
  type Mutation { ask(what: String!): Answer, clear: Boolean }`,
  {
    Query: { tell: (_: unknown, __: unknown, { live }: Given) => work(live), plain: () => ({ text: 'plain' }) },
    Mutation: { ask: (_: unknown, __: unknown, { live }: Given) => work(live), clear: () => true },
  },
);
const operations = {
  'a/ask.graphql': `mutation Ask($what: String!) @rest(method: POST, path: "/ask/", status: 201) @stream { ask(what: $what) @body { said: text } }`,
  'a/tell.graphql': `query Tell($n: Int) @rest(method: GET, path: "/tell/") @stream { tell(n: $n) @body { text } }`,
  'a/plain.graphql': `query Plain @rest(method: GET, path: "/plain/") { plain @body { text } }`,
};
const facade = await startTestFacade({
  graph,
  operations,
  // The resolver keeps state, so that two executors cannot be compared.
  executor: 'own',
  context: (_request, _operation, _offered, given) => ({ live: given }),
});

const events = 'text/event-stream';
const ask = (accept: string | undefined, body: unknown = { what: 'x' }) =>
  facade.request('/api/v1/ask/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) },
    body: JSON.stringify(body),
  });
/** The events of a stream, as [name, data]. */
const parsed = (text: string): [string, unknown][] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map(block => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return [name, JSON.parse(data)];
    });

describe('an operation with @stream', () => {
  test('sends its resolver’s events, and then the answer', async () => {
    work = told => {
      told?.emit('delta', { text: 'a\nb\n\ndata: c' });
      told?.emit('delta', { text: '🐎' });
      return { text: 'whole' };
    };
    const { status, text, headers } = await ask(events);
    expect([status, headers.get('content-type'), headers.get('cache-control'), headers.get('vary')]).toEqual([
      201,
      'text/event-stream; charset=utf-8',
      'no-store',
      'Authorization, Origin',
    ]);
    expect(parsed(text)).toEqual([
      ['delta', { text: 'a\nb\n\ndata: c' }],
      ['delta', { text: '🐎' }],
      ['answer', { said: 'whole' }],
    ]);
  });

  test('sends each event immediately', async () => {
    let finish: (value: unknown) => void = () => {};
    work = told => {
      told?.emit('delta', { n: 1 });
      return new Promise(resolve => {
        finish = resolve;
      });
    };
    const connection = rawConnection(facade.url);
    connection.socket.write(rawRequest('GET', '/api/v1/tell/', { Accept: events }));
    await connection.until('"n":1');
    finish({ text: 'end' });
    await connection.until('event: answer');
    connection.socket.destroy();
  });

  test.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['text/*, */*', false],
    ['application/json, text/event-stream', false],
    ['text/event-stream;q=0.5, application/json', false],
    ['text/event-stream;q=0, */*', false],
    ['text/event-stream', true],
    ['TEXT/Event-Stream', true],
    ['text/event-stream, application/json', true],
    ['application/json;q=0.5, text/event-stream', true],
    ['text/event-stream, */*;q=0.1', true],
  ])('for Accept: %s streams: %s', async (accept, streams) => {
    let given: unknown;
    work = told => {
      given = told;
      return { text: 'whole' };
    };
    const { status, text, json } = await ask(accept);
    expect([status, given !== undefined]).toEqual([201, streams]);
    if (streams) expect(parsed(text)).toEqual([['answer', { said: 'whole' }]]);
    else expect(json).toEqual({ said: 'whole' });
  });

  test('that fails before the first event is answered like any error', async () => {
    work = () => {
      throw new GraphQLError('Not found.', { extensions: { code: 'NOT_FOUND', http: { status: 404 } } });
    };
    const failed = await ask(events);
    expect([failed.status, failed.headers.get('content-type'), failed.json.code]).toEqual([
      404,
      'application/json',
      'not_found',
    ]);
    expect((await ask(events, {})).status).toBe(400);
    work = () => null;
    expect((await ask(events)).status).toBe(404);
  });

  test('that fails later ends with the JSON of the error', async () => {
    work = told => {
      told?.emit('delta', 1);
      throw new GraphQLError('Away.', { extensions: { code: 'SERVICE_UNAVAILABLE', http: { status: 503 } } });
    };
    expect(parsed((await ask(events)).text)).toEqual([
      ['delta', 1],
      ['error', { detail: 'Away.', code: 'service_unavailable' }],
    ]);
    work = told => {
      told?.emit('delta', 1);
      throw new Error('defect');
    };
    expect(parsed((await ask(events)).text).at(-1)).toEqual([
      'error',
      { detail: 'A server error occurred.', code: 'error' },
    ]);
    expect(facade.takeDefects()).toHaveLength(1);
  });

  test('tells its resolver that the client has disconnected, and does not report later errors', async () => {
    let aborted: (value: unknown) => void = () => {};
    const left = new Promise(resolve => {
      aborted = resolve;
    });
    let after: Promise<unknown> = Promise.resolve();
    work = told => {
      told?.emit('delta', 1);
      after = new Promise<void>((_, reject) => {
        told?.signal.addEventListener('abort', () => {
          told.emit('delta', 2);
          aborted(told.signal.aborted);
          reject(new Error('nobody listens'));
        });
      });
      return after;
    };
    const connection = rawConnection(facade.url);
    connection.socket.write(rawRequest('GET', '/api/v1/tell/', { Accept: events }));
    await connection.until('event: delta');
    connection.socket.resetAndDestroy();
    expect(await left).toBe(true);
    await after.catch(() => {});
    await new Promise(resolve => setImmediate(resolve));
    expect(facade.takeDefects()).toEqual([]);
  });

  test('refuses event names that could start another event', async () => {
    work = told => {
      told?.emit('delta\ndata: x', 1);
      return { text: 'never' };
    };
    expect((await ask(events)).status).toBe(500);
    expect(facade.takeDefects()).toHaveLength(1);
  });

  test('is documented as a stream', () => {
    const { paths } = facade.document() as {
      paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>;
    };
    expect(Object.keys(paths['/ask/']?.post?.responses[201]?.content ?? {})).toEqual([
      'application/json',
      'text/event-stream',
    ]);
    expect(Object.keys(paths['/plain/']?.get?.responses[200]?.content ?? {})).toEqual(['application/json']);
  });
});

test('an operation without @stream has no events', async () => {
  const { status, json } = await facade.request('/api/v1/plain/', { headers: { accept: events } });
  expect([status, json.code]).toEqual([406, 'not_acceptable']);
  const both = await facade.request('/api/v1/plain/', { headers: { accept: `${events}, application/json` } });
  expect(both.json).toEqual({ text: 'plain' });
});

test.each([
  ['without a body', `mutation Ask @rest(method: POST, path: "/x/", status: 204) @stream { clear }`],
  ['with a header', `query Ask @rest(method: GET, path: "/x/") @stream { tell @body { text @header(name: "X-T") } }`],
  [
    'with several outcomes',
    `query Ask @rest(method: GET, path: "/x/") @stream { either @body { ... on Answer { text } } }`,
  ],
])('@stream %s stops the boot', (_, operation) => {
  expect(bootError({ graph, operations: { 'a/x.graphql': operation } })).toMatch(
    /^test\/a\/x\.graphql:1: @stream requires/,
  );
});

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Facade } from '../facade.ts';
import { basePath, buildConformanceFacade, type ConformanceFacade, file, maxBodyBytes } from './conformance-facade.ts';
import { exchange, oneConnection, open, type Received, type Sent } from './exchange.ts';

/** A running server that an adapter serves a facade by. */
export interface ConformanceServer {
  /** Such as `http://127.0.0.1:40123`. */
  url: string;
  close(): unknown;
}

export interface ConformanceOptions {
  /** `test` of node:test, Jest, Vitest, or of any runner that takes a name and an async function. */
  test(name: string, run: () => Promise<void>): unknown;
  /**
   * Serves the facade through the adapter on a free port of this machine. Requests that the facade does not handle are answered with
   * the status 421 and the body that they had.
   */
  listen(facade: Facade): Promise<ConformanceServer>;
  /**
   * What the host decides before the adapter sees a request; cases of these are left out. `target`: it normalizes or refuses request
   * targets, as hosts of Fetch handlers do. `methods`: it refuses methods that it does not know.
   */
  hostDecides?: readonly ('target' | 'methods')[];
}

interface Case {
  name: string;
  needs?: 'target' | 'methods';
  run(world: World): Promise<void>;
}

interface World extends ConformanceFacade {
  url: string;
  /** Sends a request below the base path. */
  ask(sent: Sent): Promise<Received>;
}

/**
 * Registers the cases that an adapter of a facade has to pass, one test each: what it hands over of requests, what it sends of
 * responses, and what becomes of both when the other side fails. Each test starts a server of its own and closes it.
 */
export function adapterConformance({ test, listen, hostDecides = [] }: ConformanceOptions): void {
  for (const { name, needs, run } of cases) {
    if (needs && hostDecides.includes(needs)) continue;
    test(name, async () => {
      const made = buildConformanceFacade();
      const server = await listen(made.facade);
      try {
        const ask = (sent: Sent): Promise<Received> =>
          exchange(server.url, { ...sent, path: `${basePath}${sent.path}` });
        await withDeadline(run({ ...made, url: server.url, ask }));
      } finally {
        made.finishEvents();
        await server.close();
      }
    });
  }
}

/** An adapter that collects a body before it sends it would wait for ever. In milliseconds; busy machines need a second. */
const maxCaseMs = 10_000;

async function withDeadline(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`There is no answer after ${maxCaseMs} ms.`)), maxCaseMs);
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const json = { 'Content-Type': 'application/json' };
const textOf = ({ body }: Received): unknown => JSON.parse(body.toString());
const store = (body: Sent['body'], headers: Sent['headers'] = json): Sent => ({
  method: 'POST',
  path: '/texts',
  headers,
  ...(body === undefined ? {} : { body }),
});

const cases: readonly Case[] = [
  {
    name: 'hands over the path and the query as they were sent',
    async run({ ask }) {
      const received = await ask({ path: '/texts/a%20%C3%A9%2Fb?list[]=1&list[]=%26' });
      assert.equal(received.status, 200);
      assert.deepEqual(textOf(received), { text: 'a é/b', list: ['1', '&'], header: null });
    },
  },
  {
    name: 'hands over a target without normalizing it',
    needs: 'target',
    async run({ ask }) {
      assert.equal((await ask({ path: '/texts/../numbers' })).status, 404);
      assert.equal((await ask({ path: '//numbers' })).status, 404);
      assert.deepEqual(textOf(await ask({ path: '/texts/%2e%2e' })), { text: '..', list: null, header: null });
    },
  },
  {
    name: 'lets the facade answer a path that is not percent-encoded',
    needs: 'target',
    async run({ ask }) {
      const { status, headers } = await ask({ path: '/texts/%zz' });
      assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json']);
    },
  },
  {
    name: 'hands over headers',
    async run({ ask }) {
      const received = await ask({ path: '/texts/a', headers: { 'x-text': 'b  c' } });
      assert.deepEqual(textOf(received), { text: 'a', list: null, header: 'b  c' });
    },
  },
  {
    name: 'sends several values of a header, and links',
    async run({ ask }) {
      const { headers, body } = await ask({ path: '/numbers?page=2&per_page=2' });
      assert.equal(body.toString(), '[3,4]');
      assert.deepEqual(headers.vary?.split(/, */), ['Accept', 'Accept-Encoding']);
      assert.match(
        String(headers.link),
        /<https:\/\/api\.example\.org\/conformance\/numbers\?page=3&per_page=2>; rel="next"/,
      );
    },
  },
  {
    name: 'sends the type and the length of a body',
    async run({ ask }) {
      const { headers, body } = await ask({ path: '/texts/%C3%A9' });
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(Number(headers['content-length']), body.length);
    },
  },
  {
    name: 'answers HEAD with the headers of GET and without its body',
    async run({ ask }) {
      const get = await ask({ path: '/texts/a' });
      const head = await ask({ method: 'HEAD', path: '/texts/a' });
      assert.equal(head.status, 200);
      assert.equal(head.body.length, 0);
      for (const name of ['content-type', 'content-length', 'etag'])
        assert.equal(head.headers[name], get.headers[name], name);
    },
  },
  {
    name: 'answers 304 without a body',
    async run({ ask }) {
      const { headers } = await ask({ path: '/texts/a' });
      const { status, body } = await ask({ path: '/texts/a', headers: { 'If-None-Match': String(headers.etag) } });
      assert.deepEqual([status, body.length], [304, 0]);
    },
  },
  {
    name: 'answers 204 without a body or its type',
    async run({ ask }) {
      const { status, headers, body } = await ask({ method: 'DELETE', path: '/texts' });
      assert.deepEqual([status, headers['content-type'], body.length], [204, undefined, 0]);
    },
  },
  {
    name: 'hands over a JSON body',
    async run({ ask }) {
      const received = await ask(store('{"text":"é","list":["🐎"]}'));
      assert.deepEqual([received.status, textOf(received)], [201, { text: 'é', list: ['🐎'] }]);
    },
  },
  {
    name: 'hands over a body in chunks that cut a character',
    async run({ ask }) {
      const whole = Buffer.from('{"text":"🐎"}');
      const received = await ask(store([whole.subarray(0, 11), whole.subarray(11)]));
      assert.deepEqual([received.status, textOf(received)], [201, { text: '🐎', list: null }]);
    },
  },
  {
    name: 'hands over a form',
    async run({ ask }) {
      const received = await ask(store('text=a+b', { 'Content-Type': 'application/x-www-form-urlencoded' }));
      assert.deepEqual([received.status, textOf(received)], [201, { text: 'a b', list: null }]);
    },
  },
  {
    name: 'tells no body from an empty object',
    async run({ ask }) {
      const received = await ask(store(undefined, {}));
      assert.equal(received.status, 400);
    },
  },
  {
    name: 'lets the facade refuse a body that is too large, with a length and in chunks, and serves the next request',
    async run({ ask }) {
      const large = JSON.stringify({ text: 'x'.repeat(maxBodyBytes) });
      assert.equal((await ask(store(large))).status, 413);
      assert.equal((await ask(store([large.slice(0, 40_000), large.slice(40_000)]))).status, 413);
      assert.equal((await ask(store('{"text":"a"}'))).status, 201);
    },
  },
  {
    name: 'serves several requests on one connection, after errors too',
    async run({ ask }) {
      const agent = oneConnection();
      try {
        const statuses: number[] = [];
        for (const sent of [store('{'), { path: '/absent' }, store('{"text":"a"}'), { path: '/texts/a' }])
          statuses.push((await ask({ ...sent, agent })).status);
        assert.deepEqual(statuses, [400, 404, 201, 200]);
      } finally {
        agent.destroy();
      }
    },
  },
  {
    name: 'answers concurrent requests each with its own response',
    async run({ ask }) {
      const texts = Array.from({ length: 40 }, (_, at) => `text-${at}`);
      const received = await Promise.all(texts.map(text => ask({ path: `/texts/${text}` })));
      assert.deepEqual(
        received.map(one => (textOf(one) as { text: string }).text),
        texts,
      );
    },
  },
  {
    name: 'answers OPTIONS, and preflights of other origins',
    async run({ ask }) {
      const options = await ask({ method: 'OPTIONS', path: '/texts' });
      assert.deepEqual([options.status, options.headers.allow], [204, 'DELETE, POST, OPTIONS']);
      const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
      const preflight = await ask({ method: 'OPTIONS', path: '/texts/a', headers });
      const [first] = String(preflight.headers['access-control-allow-headers']).split(', ');
      assert.deepEqual([preflight.status, first], [204, 'X-Text']);
    },
  },
  {
    name: 'lets the facade refuse a method',
    async run({ ask }) {
      const { status, headers } = await ask({ method: 'PUT', path: '/texts', headers: json, body: '{}' });
      assert.deepEqual([status, headers.allow], [405, 'DELETE, POST, OPTIONS']);
    },
  },
  {
    name: 'lets the facade refuse a method that few servers know',
    needs: 'methods',
    async run({ ask }) {
      assert.equal((await ask({ method: 'PURGE', path: '/texts' })).status, 405);
    },
  },
  {
    name: 'answers a defect with 500, and reports it once',
    async run({ ask, defects }) {
      const { status, body } = await ask({ path: '/defect' });
      assert.equal(status, 500);
      assert.doesNotMatch(body.toString(), /secret/);
      assert.equal(defects.length, 1);
    },
  },
  {
    name: 'leaves requests outside the base paths to the host, with their bodies',
    async run({ url, responses }) {
      const received = await exchange(url, { method: 'POST', path: '/elsewhere', headers: json, body: '{"a":1}' });
      assert.deepEqual([received.status, received.body.toString()], [421, '{"a":1}']);
      assert.deepEqual(responses, []);
    },
  },
  {
    name: 'streams bytes, whole and in ranges',
    async run({ ask }) {
      const whole = await ask({ path: '/file' });
      assert.deepEqual([whole.status, whole.body.equals(file)], [200, true]);
      const range = await ask({ path: '/file', headers: { Range: 'bytes=100-199' } });
      assert.deepEqual([range.status, range.body.equals(file.subarray(100, 200))], [206, true]);
      assert.equal(range.headers['content-range'], `bytes 100-199/${file.length}`);
      assert.equal((await ask({ path: '/file', headers: { Range: `bytes=${file.length}-` } })).status, 416);
    },
  },
  {
    name: 'ends the connection when a body cannot be completed',
    async run({ ask, url }) {
      await assert.rejects(ask({ path: '/broken' }));
      assert.equal((await exchange(url, { path: `${basePath}/texts/a` })).status, 200);
    },
  },
  {
    name: 'sends each event when it is made',
    async run({ url, finishEvents }) {
      const response = await open(url, { path: `${basePath}/events`, headers: { Accept: 'text/event-stream' } });
      let text = '';
      for await (const chunk of response) {
        text += String(chunk);
        // Only now: a host that collects the body never comes here.
        if (text.includes('event: delta')) finishEvents();
      }
      assert.match(text, /^event: delta\ndata: \{"n":1\}\n\nevent: answer\ndata: \{"text":"done"\}\n\n$/);
    },
  },
  {
    name: 'tells resolvers that the client of events has disconnected',
    async run({ url, disconnected, defects }) {
      const response = await open(url, { path: `${basePath}/events`, headers: { Accept: 'text/event-stream' } });
      response.once('error', () => {});
      response.destroy();
      await disconnected;
      assert.deepEqual(defects, []);
    },
  },
  {
    name: 'outlives a client that disconnects within its body',
    async run({ url, ask, defects }) {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      const head = `POST ${basePath}/texts HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
      await new Promise<void>(resolve => socket.write(head, () => resolve()));
      await new Promise<void>(resolve => socket.once('close', () => resolve()).destroy());
      assert.equal((await ask(store('{"text":"a"}'))).status, 201);
      assert.deepEqual(defects, []);
    },
  },
];

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answersIn, type BareAnswer, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';
import { contracts } from './contracts.ts';
import { fuzzDocument, fuzzVariables, validQuery } from './fuzz-queries.ts';
import { fuzzBody, fuzzEscapes, fuzzHeaders, fuzzMethod, fuzzText } from './fuzz-values.ts';

const gateway = await testGateway();

/** Maximum duration of each property, so that the file takes less than twenty seconds. */
const time = { interruptAfterTimeLimit: 2_500, numRuns: 1_000 };
/** A later response counts as missing. */
const waitTimeoutMs = 10_000;

interface Sent {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer | undefined;
}

/** Sends a correctly framed request with arbitrary content and returns its response. Fails without one. */
async function exchange({ method, target, headers, body }: Sent): Promise<BareAnswer> {
  const connection = await BareConnection.open(gateway.url);
  try {
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    if (body) lines.push(`Content-Length: ${body.length}`);
    const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'User-Agent: fuzz', ...lines].join('\r\n');
    connection.send(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]));
    return await connection.answer(method, waitTimeoutMs);
  } finally {
    connection.destroy();
  }
}

type Words = 'health' | 'hosting' | 'graphql';

function wordsOf(target: string): Words {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] ?? '';
  if (/^\/graphql\/?$/.test(path)) return 'graphql';
  return /^\/api\/v1(\/|$)/.test(path) ? 'health' : 'hosting';
}

/** Whether an error has the JSON of its entry point. */
const hasErrorJson: Record<Words, (json: Record<string, unknown>, status: number) => boolean> = {
  health: ({ detail, code, ...fields }) =>
    typeof detail === 'string' ? typeof code === 'string' : Object.values(fields).length > 0 && code === undefined,
  hosting: ({ message, documentation_url: docs, status: bodyStatus }, status) =>
    typeof message === 'string' && typeof docs === 'string' && bodyStatus === String(status),
  graphql: ({ errors }) => Array.isArray(errors) && errors.every(error => typeof error.extensions.code === 'string'),
};

/** Whether an error may be a page: a browser reads a path that no contract serves, or sends a form there. */
const mayBePage = ({ method, headers }: Pick<Sent, 'method' | 'headers'>): boolean =>
  /^(GET|HEAD|POST)$/.test(method) &&
  headers.some(([name, value]) => /^accept$/i.test(name) && value.includes('text/html'));

/** Whether a path is one of the retired imports, which answer 503. */
const isRetired = (target: string): boolean => /^[^?]*\/repos\/[^/?]+\/[^/?]+\/import\b/i.test(target);

/** Holds for every response: no server error, the error JSON of its entry point (or a page), no internals. */
function expectSafeResponse(
  { status, headers, body }: BareAnswer,
  words: Words[],
  sent: Omit<Sent, 'body'> = { method: 'GET', target: '', headers: [] },
): void {
  const { method, target } = sent;
  if (status !== 503 || !isRetired(target)) expect(status).toBeLessThan(500);
  expect(headers['x-injected']).toBeUndefined();
  if (status < 400) return;
  if (mayBePage(sent) && headers['content-type'] === 'text/html; charset=utf-8') {
    expect(headers['content-security-policy']).toBeDefined();
    if (method !== 'HEAD') expect(body).toMatch(/^<!doctype html>/i);
    expect(body).not.toMatch(/node_modules|\n\s+at |\.ts:\d/);
    return;
  }
  if (status === 403 && headers['content-type'] === 'text/html') {
    // The only error in plain text: the one about a missing User-Agent.
    const isUserAgentError = words.includes('hosting') && /User-Agent header/.test(body);
    expect({ body, isUserAgentError }).toEqual({ body, isUserAgentError: true });
    return;
  }
  expect(headers['content-type']).toMatch(/^application\/(graphql-response\+)?json(; charset=utf-8)?$/);
  if (method === 'HEAD') return;
  const json = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
  const isError = words.some(entryPoint => hasErrorJson[entryPoint](json, status));
  expect({ body, isError }).toEqual({ body, isError: true });
  expect(body).not.toMatch(/node_modules|\n\s+at |\.ts:\d/);
}

/** Encodes only what a request line cannot contain: control characters, spaces and non-ASCII bytes, which are 400. */
const inLine = (text: string): string => text.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);

const documents = await Promise.all(
  contracts.map(async ({ product }) => ({
    product,
    document: (await gateway.request(`/openapi/${product.name}.json`)).json,
  })),
);
const templates = documents.flatMap(({ product, document }) =>
  product.basePaths.flatMap(base => Object.keys(document.paths).map(path => `${base}${path}`)),
);
const names = documents.flatMap(({ document }) =>
  Object.values(document.paths as Record<string, Record<string, { parameters?: { name?: string }[] }>>).flatMap(
    methods =>
      Object.values(methods).flatMap(({ parameters = [] }) => parameters.flatMap(parameter => parameter.name ?? [])),
  ),
);

interface Documented {
  requestBody?: { content: Record<string, { schema: { properties?: object } }> };
}
/** Operations with a body, and its documented keys. */
const writes = documents.flatMap(({ product, document }) =>
  Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const [content] = Object.values(requestBody?.content ?? {});
      const keys = Object.keys(content?.schema.properties ?? {});
      const target = `${product.basePaths[0]}${path.replace(/\{\w+\}/g, '1')}`;
      return keys.length === 0 ? [] : [{ target, method: method.toUpperCase(), keys }];
    }),
  ),
);
const oddJson = fc.oneof(
  { weight: 3, arbitrary: fuzzText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'a@example.org',
      'A',
      'Y',
      '1980-02-30',
      '1980-02-29',
      '70.55',
      '+4915112345678',
      'data:,',
    ),
  },
);

/** The value as a multipart form: one part per key; non-text values are files. */
function multipart(value: Record<string, unknown>): string {
  const parts = Object.entries(value).map(([key, one], at) => {
    const file = at % 3 === 2 ? `; filename="${at}.png"\r\nContent-Type: image/png` : '';
    return `--line\r\nContent-Disposition: form-data; name="${key}"${file}\r\n\r\n${typeof one === 'string' ? one : JSON.stringify(one)}\r\n`;
  });
  return `${parts.join('')}--line--\r\n`;
}

const segment = fc.oneof(
  { weight: 3, arbitrary: fuzzText.map(text => encodeURIComponent(text.toWellFormed())) },
  { weight: 1, arbitrary: fuzzText.map(inLine) },
  { weight: 1, arbitrary: fuzzEscapes },
);
const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...templates), segment)
      .map(([path, value]) => path.replace(/\{\w+\}/g, () => value)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...templates).map(path => path.replace(/\/$/, '')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/livez',
      '/metrics',
      '/docs',
      '/docs/',
      '/docs/start.js',
      '/openapi/health.json',
      '/graphql',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('/', '//', '/api/v1/', '/api/v3/', '/docs/', '/graphql/'), segment)
      .map(parts => parts.join('')),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...templates), segment).map(parts => parts.join('/')) },
);
const pair = fc.tuple(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        'page[]',
        'search[]',
        'page[a]',
        'page.a',
        '__proto__',
        'constructor',
        'query',
        'toString',
      ),
    },
    { weight: 1, arbitrary: segment },
  ),
  segment,
);
const query = fc.array(pair, { maxLength: 5 }).map(pairs => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const target = fc
  .tuple(fc.constantFrom('', '', '', '', 'http://b.example', 'HTTP://name:word@b.example:81'), path, query)
  .map(([origin, path, query]) => `${origin}${path}${query === '' ? '' : `?${query}`}`);

describe('requests generated from the published documents', () => {
  test('never cause a server error, and get the error JSON of their entry point', async () => {
    const request = fc.record({
      method: fuzzMethod,
      target,
      headers: fuzzHeaders,
      body: fc.option(fuzzBody, { nil: undefined, freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(request, async sent => expectSafeResponse(await exchange(sent), [wordsOf(sent.target)], sent)),
      time,
    );
    expect(gateway.defects).toEqual([]);
  });

  test('with the documented keys and arbitrary values get the same', async () => {
    // A guest may call operations that need an account; after it deletes itself a new one is registered.
    const guest = async (): Promise<string> =>
      (await gateway.request('/api/v1/auth/guest/', { method: 'POST' })).json.access;
    let access = await guest();
    const call = fc.constantFrom(...writes).chain(({ target, method, keys }) =>
      fc.record({
        target: fc.constant(target),
        method: fc.constant(method),
        value: fc.dictionary(fc.constantFrom(...keys, '__proto__', 'detail'), oddJson, { maxKeys: keys.length + 1 }),
        form: fc.nat(3).map(number => number === 0),
        known: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ target, method, value, form, known }) => {
        const headers: [string, string][] = known ? [['Authorization', `Bearer ${access}`]] : [];
        headers.push(['Content-Type', form ? 'multipart/form-data; boundary=line' : 'application/json']);
        const body = Buffer.from(form ? multipart(value) : JSON.stringify(value));
        const answer = await exchange({ target, method, headers, body });
        expectSafeResponse(answer, [wordsOf(target)], { method, target, headers });
        if (known && answer.status === 401) access = await guest();
      }),
      time,
    );
    expect(gateway.defects).toEqual([]);
  });

  test.each(['/api/v1/articles/', '/api/v1/nothing/', '/versions', '/nothing', '/livez', '/graphql'])(
    'ten megabytes to %s get a complete response',
    async path => {
      const body = Buffer.alloc(10_000_000, '[');
      const sent = {
        method: 'POST',
        target: path,
        headers: [['Content-Type', 'application/json']] as [string, string][],
        body,
      };
      const answer = await exchange(sent);
      expectSafeResponse(answer, [wordsOf(path)]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    },
  );

  test('no request modifies Object.prototype', () => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('arbitrary bytes', () => {
  const host = 'Host: localhost\r\nUser-Agent: fuzz\r\n';
  const valid = [
    `GET /versions HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/articles/?page_size=1 HTTP/1.1\r\n${host}Accept: */*\r\nConnection: close\r\n\r\n`,
    `POST /graphql HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 26\r\n\r\n{"query":"{ __typename }"}`,
    `POST /graphql HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n{"query":"{ __typename }"}\r\n0\r\n\r\n`,
    `GET /versions HTTP/1.1\r\n${host}\r\nGET /livez HTTP/1.1\r\n${host}\r\n`,
  ].map(text => Buffer.from(text));
  const marks = fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    ':',
    ',',
    '\t',
    '0',
    '-1',
    'ffffffffffffffff',
    ';a=b',
    'é',
    'HTTP/2.0',
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(8),
    insert: fc.option(marks, { nil: '' }),
  });
  const edited = fc
    .tuple(fc.constantFrom(...valid), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([bytes, edits]) =>
      edits.reduce((text, { at, remove, insert }) => {
        const from = Math.floor(at * text.length);
        return Buffer.concat([text.subarray(0, from), Buffer.from(insert), text.subarray(from + remove)]);
      }, bytes),
    );
  const noise = fc.uint8Array({ maxLength: 100 }).map(bytes => Buffer.from(bytes));

  test('are answered in JSON or not at all, and the connection ends after the client’s end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: edited }, { weight: 1, arbitrary: noise }), async bytes => {
        const connection = await BareConnection.open(gateway.url);
        try {
          connection.send(bytes);
          connection.end();
          const received = await connection.closed(waitTimeoutMs);
          for (const answer of answersIn(received)) expectSafeResponse(answer, ['health', 'hosting', 'graphql']);
        } finally {
          connection.destroy();
        }
      }),
      time,
    );
    expect(gateway.defects).toEqual([]);
    expect((await gateway.request('/livez')).status).toBe(200);
  });
});

describe('GraphQL documents', () => {
  const ask = async (body: object): Promise<{ answer: BareAnswer; codes: string[] }> => {
    const answer = await exchange({
      method: 'POST',
      target: '/graphql',
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(JSON.stringify(body)),
    });
    expectSafeResponse(answer, ['graphql']);
    const { errors = [] } = JSON.parse(Buffer.from(answer.body, 'latin1').toString('utf8'));
    const codes = errors.map((one: { extensions: { code: string } }) => one.extensions.code);
    expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
    return { answer, codes };
  };

  test('that are random or nearly valid are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fuzzDocument, fuzzVariables, async (query, variables) => {
        await ask({ query, variables });
      }),
      time,
    );
    expect(gateway.defects).toEqual([]);
  });

  test('that are valid are executed or rejected with a message', async () => {
    let answered = 0;
    const reasons = new Set<string>();
    await fc.assert(
      fc.asyncProperty(validQuery, async ({ query, variables }) => {
        const { answer, codes } = await ask({ query, variables });
        for (const code of codes) reasons.add(code);
        if (answer.status === 200) answered++;
      }),
      time,
    );
    expect(gateway.defects).toEqual([]);
    // Otherwise the generator generates only rejected requests and proves nothing.
    expect(answered).toBeGreaterThan(10);
    const unhelpful = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'GRAPHQL_PARSE_FAILED'];
    expect(unhelpful.filter(code => reasons.has(code))).toEqual([]);
  });
});

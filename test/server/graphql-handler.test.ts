import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { serverAudits } from 'graphql-http';
import { sql } from 'kysely';
import pg from 'pg';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();
const strict = await testGateway({ settings: { CORS_ORIGINS: 'https://page.example', STATEMENT_TIMEOUT_MS: '100' } });

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.request('/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });

/** Asserts an error in the shape of GraphQL without internals. Returns its first error. */
function expectError({ json, text, headers }: Answer) {
  expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json(; charset=utf-8)?$/);
  expect(Object.keys(json).filter(key => !['errors', 'data'].includes(key))).toEqual([]);
  expect(json.errors.length).toBeGreaterThan(0);
  for (const error of json.errors) {
    expect(typeof error.message).toBe('string');
    expect(error.extensions.code).toMatch(/^[A-Z_]+$/);
    expect(Object.keys(error.extensions).filter(key => /stack|exception|http|sql|originalError/i.test(key))).toEqual(
      [],
    );
  }
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d|\/src\/|\bselect\b.*\bfrom\b|relation "|mikro|kysely|postgres/i);
  return json.errors[0];
}

describe('GraphQL over HTTP, by the audits of graphql-http', () => {
  /** Audits that fail, and why. Every other audit must pass. */
  const deviations: Record<string, { status: 'warn'; why: string }> = {};
  const audits = serverAudits({ url: `${gateway.url}/graphql` });

  test('there are sixty-one audits', () => {
    expect(audits).toHaveLength(61);
    expect(Object.keys(deviations).filter(id => !audits.some(audit => audit.id === id))).toEqual([]);
  });

  test.each(audits)('$id $name', async ({ id, fn }) => {
    const { status, ...result } = await fn();
    const deviation = deviations[id];
    const { reason } = { reason: undefined, ...result };
    expect({ status, reason }).toEqual({
      status: deviation?.status ?? 'ok',
      reason: deviation ? expect.any(String) : undefined,
    });
  });
});

describe('requests that a page of another origin could send without a preflight', () => {
  const forms: [type: string, body: string][] = [
    ['text/plain', '{"query":"{ __typename }"}'],
    ['application/x-www-form-urlencoded', 'query=%7B__typename%7D'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n{__typename}\r\n--x--\r\n',
    ],
  ];

  test.each(forms)(
    'a POST of %s is rejected, with and without the Apollo-Require-Preflight header',
    async (type, body) => {
      for (const headers of [{}, { 'Apollo-Require-Preflight': 'yes' }]) {
        const answer = await post(body, { ...headers, 'Content-Type': type });
        expect(answer.status).toBe(415);
        expect(answer.headers.get('accept-post')).toBe('application/json');
        expect(expectError(answer).extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE');
        expect(answer.json.data).toBeUndefined();
      }
    },
  );

  test('a POST without a type is rejected', async () => {
    const body = new TextEncoder().encode('{"query":"{ __typename }"}');
    const answer = await gateway.request('/graphql', { method: 'POST', body });
    expect(answer.status).toBe(415);
    expect(expectError(answer).extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('pages of CORS_ORIGINS are allowed, without cookies', async () => {
    const preflight = (origin: string) =>
      strict.request('/graphql', {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type',
        },
      });
    const good = await preflight('https://page.example');
    expect(good.status).toBe(204);
    expect(good.headers.get('access-control-allow-origin')).toBe('https://page.example');
    expect(good.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect(good.headers.get('access-control-allow-headers')).toMatch(/Authorization, Content-Type/);
    expect(good.headers.get('access-control-allow-credentials')).toBeNull();
    const other = await preflight('https://other.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const everywhere = await gateway.request('/graphql', {
      method: 'POST',
      headers: { Origin: 'https://any.example' },
    });
    expect(everywhere.headers.get('access-control-allow-origin')).toBe('*');
    expect(everywhere.headers.get('vary')).toBe('Authorization, Origin, Accept-Encoding');
  });
});

describe('invalid requests', () => {
  test.each([
    ['a batch', '[{"query":"{ __typename }"},{"query":"{ __typename }"}]', 400],
    ['an empty batch', '[]', 400],
    ['malformed JSON', '{"query": "{ __type', 400],
    ['nothing', '', 400],
    ['null', 'null', 400],
    ['a text', '"{ __typename }"', 400],
    ['an empty object', '{}', 400],
    ['a query that is a number', '{"query": 1}', 400],
    ['a query that is a document object', '{"query": {"kind": "Document"}}', 400],
    ['variables that are a list', '{"query": "{ __typename }", "variables": []}', 400],
    ['an unknown operation name', '{"query": "query A { __typename }", "operationName": "B"}', 400],
    [
      'an unknown persisted query',
      `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}}`,
      200,
    ],
    ['300 KB', JSON.stringify({ query: `#${'x'.repeat(300_000)}\n{ __typename }` }), 413],
  ])('%s is refused', async (_, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expectError(answer);
    expect(answer.json.data).toBeUndefined();
  });

  test('a small body that decompresses to a large one is rejected', async () => {
    const packed = gzipSync(Buffer.alloc(20_000_000, ' '));
    const answer = await post(packed, { 'Content-Encoding': 'gzip' });
    expect(answer.status).toBe(413);
    expect(expectError(answer).extensions.code).toBe('BAD_REQUEST');
  });

  test('a compressed body is read', async () => {
    const answer = await post(gzipSync('{"query":"{ __typename }"}'), { 'Content-Encoding': 'gzip' });
    expect(answer.json).toEqual({ data: { __typename: 'Query' } });
  });

  test.each([
    [{ 'Content-Encoding': 'gzip' }, 400],
    [{ 'Content-Encoding': 'zip' }, 415],
    [{ 'Content-Type': 'application/json; charset=iso-8859-1' }, 415],
  ])('a body that contradicts its headers, %j, is %i', async (headers, status) => {
    const answer = await post('{"query":"{ __typename }"}', headers);
    expect(answer.status).toBe(status);
    expectError(answer);
  });

  const nested = `{"query":"{ __typename }","extensions":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
  test.each([
    // One byte of U+2201 is a quote: a byte-wise count would take all following brackets as part of a string.
    ['utf-16le', Buffer.from(nested.replace('{', '{"x":"\u2201",'), 'utf16le')],
    ['utf-16', Buffer.from(`\ufeff${nested}`, 'utf16le')],
    // Its bytes contain no bracket.
    ['utf-7', Buffer.from(`+${Buffer.from(nested, 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-`)],
  ])('nesting is not hidden by %s: no encoding but UTF-8 is read', async (charset, body) => {
    const answer = await post(new Uint8Array(body), { 'Content-Type': `application/json; charset=${charset}` });
    expect(answer.status).toBe(415);
    expect(expectError(answer).message).toContain('UTF-8');
  });

  test.each(['utf-8', '"UTF-8"'])('%s is read', async charset => {
    const answer = await post('{"query":"{ __typename }"}', { 'Content-Type': `application/json; charset=${charset}` });
    expect(answer.status).toBe(200);
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'HEAD'])('%s is 405 and lists the allowed methods', async method => {
    const answer = await gateway.request('/graphql', { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST, OPTIONS');
    if (method !== 'HEAD') expect(expectError(answer).extensions.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('OPTIONS without a preflight lists the methods', async () => {
    const answer = await gateway.request('/graphql', { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, POST, OPTIONS');
  });

  test('an invalid credential is 401 with its challenge, before anything runs', async () => {
    const answer = await post('{"query":"{ __typename }"}', { Authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(expectError(answer).extensions).toMatchObject({ code: 'BAD_CREDENTIAL', reason: 'token_not_valid' });
  });
});

describe('limits', () => {
  const nested = (levels: number): string => `${'related { '.repeat(levels)}id${' }'.repeat(levels)}`;

  test.each([
    [
      'a cost of 100 × 20 × 100',
      '{ articles(first: 100) { nodes { categories { articles(first: 100) { nodes { id } } } } } }',
      'QUERY_TOO_EXPENSIVE',
      /maxCost/,
    ],
    ['a depth of twenty', `{ article(databaseId: 1) { ${nested(20)} } }`, 'QUERY_TOO_EXPENSIVE', /maxDepth/],
    [
      'a hundred and one aliases',
      `{ article(databaseId: 1) { ${Array.from({ length: 101 }, (_, at) => `a${at}: id`).join(' ')} } }`,
      'QUERY_TOO_MANY_ALIASES',
      /maxAliases/,
    ],
    [
      'twenty-one fields at the root',
      `{ ${Array.from({ length: 21 }, (_, at) => `a${at}: __typename`).join(' ')} }`,
      'QUERY_TOO_MANY_ROOT_FIELDS',
      /maxRootFields/,
    ],
    ['over two thousand tokens', `{ ${'__typename '.repeat(2_001)} }`, 'GRAPHQL_PARSE_FAILED', /2000 tokens/],
    [
      'introspection twice',
      '{ a: __schema { types { name } } b: __schema { types { name } } }',
      'QUERY_INTROSPECTION_ALIASED',
      /./,
    ],
  ])('%s is refused by its code', async (_, query, code, message) => {
    const answer = await gateway.graphql(query);
    expect(answer.status).toBe(400);
    const error = expectError(answer);
    expect(error.extensions.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(answer.json.data).toBeUndefined();
  });

  test('the usual introspection query is served', async () => {
    const { status, json } = await gateway.graphql(getIntrospectionQuery());
    expect(status).toBe(200);
    expect(json.data.__schema.queryType.name).toBe('Query');
  });

  test('a browser gets Sandbox', async () => {
    const { status, headers, text } = await gateway.request('/graphql', { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(text).toContain('embeddable-sandbox');
    // The page has its own policy and must not be framed either.
    expect(headers.get('content-security-policy')).toMatch(/^frame-ancestors 'none'/);
  });
});

describe('bad input', () => {
  const first = 'query ($first: Int = 1) { articles(first: $first) { nodes { id } } }';

  test.each([
    ['first: 101', '{ articles(first: 101) { nodes { id } } }', {}, /first must be from 1 to 100, not 101/],
    ['first: 0', '{ articles(first: 0) { nodes { id } } }', {}, /first must be from 1 to 100, not 0/],
    ['last: 0', '{ articles(last: 0) { nodes { id } } }', {}, /last must be from 1 to 100, not 0/],
    ['last: -1', '{ articles(last: -1) { nodes { id } } }', {}, /last must be from 1/],
    ['NUL in a search', 'query ($s: String) { articles(search: $s) { nodes { id } } }', { s: 'a\0b' }, /./],
    ['NUL in a compared string', 'query ($s: String) { articles(category: $s) { nodes { id } } }', { s: 'a\0b' }, /./],
    [
      'null for an argument with a default value',
      'query ($dryRun: Boolean = true) { rateLimit(dryRun: $dryRun) { limit } }',
      { dryRun: null },
      /must not be null/,
    ],
    ['a string for a number', first, { first: 'many' }, /\$first/],
    ['a fraction for a whole number', first, { first: 1.5 }, /\$first/],
    ['a number beyond 32 bits', first, { first: 2 ** 31 }, /\$first/],
    ['an object for a number', first, { first: {} }, /\$first/],
    ['an unknown enum value', '{ articles(source: NOBODY) { nodes { id } } }', {}, /NOBODY/],
    ['an id beyond 2^53', '{ article(databaseId: 99999999999999999999) { id } }', {}, /./],
    [
      'null for the condition of a directive',
      'query ($x: Boolean = true) { __typename @include(if: $x) }',
      { x: null },
      /must not be null/,
    ],
  ])('%s is a clear error of the caller', async (_, query, variables, message) => {
    const answer = await gateway.graphql(query, variables);
    const error = expectError(answer);
    expect(error.message).toMatch(message);
    expect(error.extensions.code).toMatch(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/);
  });

  test('variables that cannot be read are 400', async () => {
    expect((await gateway.graphql(first, { first: 'many' })).status).toBe(400);
  });

  test('a page far beyond the last item is empty', async () => {
    const { json } = await gateway.graphql(
      'query ($after: String!) { articles(first: 100, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      { after: encodeCursor('ArticleConnection', 2_147_483_647) },
    );
    expect(json.data.articles).toEqual({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } });
  });
});

describe('internal errors', () => {
  test('a missing table is a server error without detail', async () => {
    await sql`alter table category rename to category_away`.execute(gateway.database.sql);
    try {
      const answer = await gateway.graphql('{ articleCategories { id } }');
      expect(expectError(answer)).toEqual({
        message: 'A server error occurred.',
        path: ['articleCategories'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      });
      const rest = await gateway.request('/api/v1/articles/');
      expect(rest.status).toBe(500);
      expect(rest.json).toEqual({ detail: 'A server error occurred.', code: 'error' });
    } finally {
      await sql`alter table category_away rename to category`.execute(gateway.database.sql);
    }
    expect(gateway.defects.splice(0).length).toBeGreaterThanOrEqual(2);
  });

  test('a statement timeout is 503 and not a defect', async () => {
    const locker = new pg.Client(strict.databaseUrl);
    await locker.connect();
    try {
      await locker.query('begin; lock table article in access exclusive mode');
      const answer = await strict.graphql('{ articles { nodes { id } } }');
      expect(expectError(answer).extensions).toEqual({ code: 'SERVICE_UNAVAILABLE', reason: 'statement_timeout' });
      expect((await strict.request('/api/v1/articles/')).status).toBe(503);
    } finally {
      await locker.end();
    }
  });
});

test('GraphQL and REST return the same data for the same articles', async () => {
  const fields =
    'id: databaseId headline summary imageUrl author source sourceUrl readTimeMinutes publishedAt likeCount commentCount isLiked isBookmarked categories { id: databaseId name slug }';
  const rest = await gateway.request('/api/v1/articles/?search=sleep&ordering=headline&page_size=100');
  const graph = await gateway.graphql(
    `{ articles(search: "sleep", orderBy: HEADLINE_ASC, first: 100) { nodes { ${fields} } totalCount } }`,
  );
  expect(rest.json.count).toBeGreaterThan(0);
  expect(graph.json.data.articles.totalCount).toBe(rest.json.count);
  const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  // The contract prints instants with six digits of a second.
  const asText = (value: unknown) =>
    typeof value === 'string' ? value.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000000Z') : value;
  const asRest = (node: Record<string, unknown>) => ({
    ...Object.fromEntries(Object.entries(node).map(([name, value]) => [snake(name), asText(value)])),
    source: String(node.source).toLowerCase(),
  });
  expect(graph.json.data.articles.nodes.map(asRest)).toEqual(rest.json.results);

  const [{ id }] = rest.json.results;
  const single = await gateway.request(`/api/v1/articles/${id}/`);
  const detail = await gateway.graphql(
    `{ article(databaseId: ${id}) { ${fields} body tags updatedAt language reviewer reviewedAt related { ${fields} } } }`,
  );
  const { related, ...article } = detail.json.data.article;
  expect({ ...asRest(article), related: related.map(asRest) }).toEqual(single.json);
});

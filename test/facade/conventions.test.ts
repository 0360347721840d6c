import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildOpenApi, countEnvelope, createFacade, defineProduct, githubErrors, linkHeader } from 'operation-rest';
import { fetchHandler } from 'operation-rest/fetch';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, createTestProduct, origin } from './test-facade.ts';

const source = join(import.meta.dirname, '..', '..', 'packages', 'operation-rest', 'src');

test('no product is named outside the conventions', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    name => /\.(ts|graphql)$/.test(name) && !name.startsWith('conventions'),
  );
  expect(files.length).toBeGreaterThan(60);
  const named = files.flatMap(file =>
    readFileSync(join(source, file), 'utf8')
      .split('\n')
      .filter(line => /\b(drf|django|portico)\b|github(?!-errors|Errors)|health|hosting/i.test(line))
      .map(line => `${file}: ${line.trim()}`),
  );
  // The public entry exports the conventions by their names.
  expect(named.filter(line => !line.includes('githubErrors'))).toEqual([]);
});

const graph = buildTestSchema(
  `
  enum Color { RED BLUE }
  input Inner { size: Int! }
  type Page { page: Int! last: Int! total: Int! }
  type List { items: [Int!]! pageInfo: Page! }
  type Query { list(page: Int, per_page: Int, color: Color): List fails(how: String!): Int }
  type Mutation { make(name: String!, inner: Inner): String! }`,
  {
    Query: {
      list: (_: unknown, { page = 1 }: { page?: number }) => ({
        items: [page],
        pageInfo: { page, last: 3, total: 3 },
      }),
      fails: (_: unknown, { how }: { how: string }) => {
        if (how === 'defect') throw new Error('secret');
        const problems = [{ path: ['how', 0], message: 'Too odd.' }];
        throw new GraphQLError('Refused.', { extensions: { code: 'ODD', http: { status: 409 }, problems } });
      },
    },
    Mutation: { make: (_: unknown, { name }: { name: string }) => name },
  },
);
const operations = {
  'a/list.graphql': `query List($page: Int = 1, $per_page: Int = 1, $color: Color) @rest(method: GET, path: "/list") {
    list(page: $page, per_page: $per_page, color: $color) { items @body pageInfo @page(style: COUNT) { page last total } } }`,
  'a/fails.graphql': 'query Fails($how: String!) @rest(method: GET, path: "/fails/{how}") { fails(how: $how) @body }',
  'a/make.graphql': `mutation Make($name: String!, $inner: Inner) @rest(method: POST, path: "/made", status: 201) {
    make(name: $name, inner: $inner) @body }`,
};
const { folder } = createTestProduct({ operations });
const defects: unknown[] = [];
const product = defineProduct({ name: 'plain', title: 'Plain', version: '1', folder });
const facade = createFacade({
  product,
  graph,
  context: () => ({}),
  origin: () => origin,
  onDefect: error => defects.push(error),
});
const handler = fetchHandler(facade);

async function ask(path: string, init?: RequestInit): Promise<[number, string | null, unknown]> {
  const answer = await handler(new Request(`${origin}${path}`, init));
  const text = await answer.text();
  return [answer.status, answer.headers.get('content-type'), text === '' ? '' : JSON.parse(text)];
}

test('a product that chooses nothing has the count envelope, ETags, and JSON', async () => {
  expect(await ask('/list?page=2&color=red')).toEqual([
    200,
    'application/json',
    {
      count: 3,
      next: `${origin}/list?page=3&color=red`,
      previous: `${origin}/list?color=red`,
      results: [2],
    },
  ]);
  const etag = (await handler(new Request(`${origin}/list`))).headers.get('etag');
  expect((await ask('/list', { headers: { 'if-none-match': String(etag) } }))[0]).toBe(304);
});

test('its errors are problem details', async () => {
  const type = 'about:blank';
  const problem = 'application/problem+json';
  const json = { 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = json) =>
    ask('/made', { method: 'POST', headers, body });
  expect(await ask('/nowhere')).toEqual([404, problem, { type, title: 'Not Found', status: 404 }]);
  expect(await ask('/list?color=pink')).toEqual([
    400,
    problem,
    {
      type,
      title: 'Invalid Parameters',
      status: 400,
      errors: [{ detail: 'The value must be one of red, blue.', pointer: '/color' }],
    },
  ]);
  expect(await post('{"inner":{"size":"a"}}')).toEqual([
    400,
    problem,
    {
      type,
      title: 'Invalid Parameters',
      status: 400,
      errors: [
        { detail: 'A value is required.', pointer: '/name' },
        { detail: 'The value must be of the type integer.', pointer: '/inner/size' },
      ],
    },
  ]);
  expect(await post('[]')).toMatchObject([400, problem, { detail: 'The body must be a JSON object, not array.' }]);
  expect(await post('{')).toMatchObject([400, problem, { detail: expect.stringMatching(/^JSON is malformed: /) }]);
  expect(await post('x', { 'content-type': 'text/plain' })).toMatchObject([415, problem, { status: 415 }]);
  expect(await post(`{"name":"${'x'.repeat(1024 * 1024)}"}`)).toMatchObject([413, problem, { status: 413 }]);
  expect(await ask('/list', { method: 'DELETE' })).toMatchObject([
    405,
    problem,
    { detail: 'Allowed are GET, HEAD, OPTIONS.' },
  ]);
  expect(await ask('/list', { headers: { accept: 'text/csv' } })).toMatchObject([406, problem, { status: 406 }]);
  expect(await ask('/list?page=9')).toMatchObject([404, problem, { title: 'Not Found' }]);
  expect(await ask('/fails/oddly')).toEqual([
    409,
    problem,
    {
      type,
      title: 'Conflict',
      status: 409,
      detail: 'Refused.',
      code: 'ODD',
      errors: [{ detail: 'Too odd.', pointer: '/how/0' }],
    },
  ]);
  expect(defects.splice(0)).toEqual([]);
  expect(await ask('/fails/defect')).toEqual([500, problem, { type, title: 'Internal Server Error', status: 500 }]);
  expect(defects.splice(0)).toEqual([expect.objectContaining({ message: 'secret' })]);
});

test('the OpenAPI document has the media type and the schema of its errors', () => {
  const document = buildOpenApi(product, facade.endpoints) as {
    paths: Record<string, Record<string, { responses: Record<string, object> }>>;
    components: { schemas: Record<string, unknown>; responses: Record<string, { content?: object }> };
  };
  expect(document.paths['/fails/{how}']?.get?.responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
  expect(document.components.responses.NotFound?.content).toMatchObject({
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  });
  expect(document.components.schemas).toHaveProperty('Problem');
});

test('a page with a total needs an envelope', () => {
  const { paging } = product;
  const { envelope: _, ...bare } = paging;
  expect(bootError({ graph, operations, overrides: { paging: bare } })).toContain(
    'a/list.graphql:1: @page(style: COUNT) needs `paging.envelope`',
  );
});

test('an envelope of a product is used as it is', async () => {
  const envelope = {
    ...countEnvelope,
    itemsKey: 'data',
    head: ({ total }: { total: unknown }) => ({ meta: { total } }),
  };
  const other = createFacade({
    product: { ...product, paging: { ...product.paging, envelope } },
    graph,
    context: () => ({}),
    origin: () => origin,
    onDefect: error => defects.push(error),
  });
  const answer = await fetchHandler(other)(new Request(`${origin}/list`));
  expect(await answer.text()).toBe('{"meta":{"total":3},"data":[1]}');
});

test('conventions have defaults that need no product', () => {
  const { formatProblem } = githubErrors({ docsUrl: at => `${at}/docs` });
  const problem = { kind: 'header', name: 'X-Version', reason: 'unsupported', value: '9' } as const;
  expect(formatProblem(problem, { origin }).body).toEqual({
    message: 'Bad Request',
    errors: 'The version "9" in the header X-Version is not supported.',
    documentation_url: `${origin}/docs/rest`,
    status: '400',
  });
  expect(linkHeader([])).toBeUndefined();
  expect(linkHeader([{ rel: 'next', url: 'https://a.example/?page=2' }])).toBe(
    '<https://a.example/?page=2>; rel="next"',
  );
});

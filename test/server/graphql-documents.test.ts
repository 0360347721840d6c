import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { bareGraphqlServer } from '../harness/bare-graphql-server.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;

const post = (body: object, token?: string) =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });

/** Documents found in the cache, and documents parsed and validated, by the metrics. */
async function documents(): Promise<{ known: number; new: number }> {
  const { text } = await gateway.metrics();
  const count = (word: string) =>
    Number(new RegExp(`^portico_graphql_documents_total{document="${word}"} (\\d+)$`, 'm').exec(text)?.[1]);
  return { known: count('known'), new: count('new') };
}

describe('a document', () => {
  const query = 'query Seen($first: Int) { articles(first: $first) { nodes { headline } totalCount } }';

  test('is parsed, validated and measured by its first request alone', async () => {
    const before = await documents();
    for (const first of [1, 2, 3, null]) expect((await post({ query, variables: { first } })).status).toBe(200);
    const get = `/graphql?${new URLSearchParams({ query, operationName: 'Seen', variables: '{"first":1}' })}`;
    expect((await gateway.request(get)).status).toBe(200);
    expect(await documents()).toEqual({ known: before.known + 4, new: before.new + 1 });
  });

  test('has its own operations by name', async () => {
    const two = 'query A { __typename } query B { b: __typename }';
    const before = await documents();
    for (let at = 0; at < 2; at++) {
      expect((await post({ query: two, operationName: 'A' })).json.data).toEqual({ __typename: 'Query' });
      expect((await post({ query: two, operationName: 'B' })).json.data).toEqual({ b: 'Query' });
    }
    expect(await documents()).toEqual({ known: before.known + 3, new: before.new + 1 });
    expect((await post({ query: two })).status).toBe(400);
    expect((await post({ query: two, operationName: 'C' })).status).toBe(400);
  });

  test('is measured for the variables of each request', async () => {
    const deep =
      'query Deep($n: Int!, $with: Boolean = false) { articles(first: $n) { nodes { related @include(if: $with) { comments(first: $n) { nodes { id } } } } } }';
    expect((await post({ query: deep, variables: { n: 100 } })).status).toBe(200);
    expect((await post({ query: deep, variables: { n: 3, with: true } })).status).toBe(200);
    const { status, json } = await post({ query: deep, variables: { n: 100, with: true } });
    expect([status, json.errors[0].extensions.code]).toEqual([400, 'QUERY_TOO_EXPENSIVE']);
    expect((await post({ query: deep, variables: { n: 3, with: true } })).status).toBe(200);
  });

  test('that is invalid is validated each time', async () => {
    const before = await documents();
    for (let at = 0; at < 3; at++) expect((await post({ query: '{ nothing }' })).status).toBe(400);
    expect(await documents()).toEqual({ known: before.known, new: before.new + 3 });
  });

  test('reports the place of an error in a document whose tokens are dropped', async () => {
    const missing =
      'query Missing {\n  article(databaseId: 999999) { id }\n  articles(first: 500) {\n    nodes { id } } }';
    const first = await post({ query: missing });
    const later = await post({ query: missing });
    expect(later.text).toBe(first.text);
    expect(later.json.errors).toEqual([
      expect.objectContaining({ locations: [{ line: 3, column: 3 }], path: ['articles'] }),
    ]);
  });
});

describe('listed operations', () => {
  const folder = join(import.meta.dirname, '..', '..', 'examples', 'operations');
  const values: Record<string, unknown> = {
    login: 'harbor-lab',
    owner: 'harbor-lab',
    name: 'compass',
    organization: 'harbor-lab',
    first: 5,
    period: 'WEEK',
    from: '2026-09-01T00:00:00Z',
    to: '2026-10-01T00:00:00Z',
    path: '',
    branch: 'main',
    ids: [],
  };
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));

  test.each(files)('%s gets the same response again and again', async file => {
    const text = readFileSync(join(folder, file), 'utf8');
    const [definition] = parse(text).definitions;
    const names = definition && 'variableDefinitions' in definition ? (definition.variableDefinitions ?? []) : [];
    const variables = Object.fromEntries(
      names
        .map(({ variable: { name } }) => name.value)
        .filter(name => name in values)
        .map(name => [name, values[name]]),
    );
    for (const token of [undefined, wren.classic_token]) {
      const first = await post({ query: text, variables }, token);
      expect(first.status).toBeLessThan(500);
      for (let at = 0; at < 2; at++) {
        const later = await post({ query: text, variables }, token);
        expect([later.status, withoutTimes(later.text)]).toEqual([first.status, withoutTimes(first.text)]);
      }
    }
  });
});

/** Times of the database differ between two requests. */
const withoutTimes = (text: string): string => text.replace(/"20\d\d-\d\d-\d\dT[^"]*"/g, '"time"');

describe('the cache', () => {
  const graph = buildSchema('type Query { field(n: Int): String  other: Query }');
  const rootField = graph.getQueryType()?.getFields().field;
  if (rootField) rootField.resolve = (_, { n }) => `${n}`;
  const otherField = graph.getQueryType()?.getFields().other;
  if (otherField) otherField.resolve = () => ({});

  test('is bounded for any number of documents, and by the fields of their plans', async () => {
    const { send, server, counts } = bareGraphqlServer(graph);
    const fields = Array.from({ length: 90 }, (_, at) => `a${at}: field(n: ${at})`).join(' ');
    for (let at = 0; at < 1_000; at++) {
      const { status, json } = await send({ query: `query Q${at} { other { ${fields} } }` });
      expect([status, json.data.other.a7]).toEqual([200, '7']);
      expect(server.documents.size.units).toBeLessThanOrEqual(100_000);
    }
    expect(counts).toEqual({ known: 0, new: 1_000 });
    // Of some 700 tokens, 90 planned fields and 2,000 characters each.
    expect(server.documents.size.documents).toBeGreaterThan(50);
    expect(server.documents.size.documents).toBeLessThan(150);
    await send({ query: `query Q999 { other { ${fields} } }` });
    await send({ query: `query Q0 { other { ${fields} } }` });
    expect(counts).toEqual({ known: 1, new: 1_001 });
  });

  test('finds a registered text by its hash, which is prepared once', async () => {
    const { send, counts } = bareGraphqlServer(graph);
    const text = '{ field(n: 1) }';
    const hash = createHash('sha256').update(text).digest('hex');
    expect(
      (await send({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } })).json.errors[0].extensions.code,
    ).toBe('PERSISTED_QUERY_NOT_FOUND');
    await send({ query: text, extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
    const { json } = await send({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
    expect(json).toEqual({ data: { field: '1' } });
    expect(counts).toEqual({ known: 1, new: 1 });
  });
});

import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLField, getNamedType, Kind, lexicographicSortSchema, printSchema } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { printGraph } from '../../src/server/print-graph.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();
const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'on' } });

describe('/schema.graphql', () => {
  test('is the served graph as text, for pages of any origin and for caches', async () => {
    const { status, headers, text } = await gateway.request('/schema.graphql');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const introspected = await gateway.graphql('{ __schema { types { name } } }');
    const builtIn = new Set(['Boolean', 'String', 'Int', 'Float', 'ID']);
    const names = introspected.json.data.__schema.types.map(({ name }: { name: string }) => name);
    for (const name of names.filter((one: string) => !one.startsWith('__') && !builtIn.has(one))) {
      expect(text).toMatch(new RegExp(`^(type|interface|union|enum|input|scalar) ${name}\\b`, 'm'));
    }
  });

  test('is not sent again to a client that has it', async () => {
    const etag = (await gateway.request('/schema.graphql')).headers.get('etag') ?? '';
    // Without it fetch adds `no-cache`, which asks for the text.
    const headers = { 'cache-control': 'max-age=0' };
    const answer = await gateway.request('/schema.graphql', { headers: { ...headers, 'if-none-match': etag } });
    expect([answer.status, answer.text]).toEqual([304, '']);
    const other = await gateway.request('/schema.graphql', { headers: { ...headers, 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  test.each(['POST', 'DELETE'])('%s is not served', async method => {
    expect((await gateway.request('/schema.graphql', { method })).status).toBeGreaterThanOrEqual(400);
  });

  test('is charged as a page and not as an operation', async () => {
    const answer = await limited.request('/schema.graphql');
    expect(answer.headers.get('x-ratelimit-remaining')).toBeNull();
    const { json } = await limited.graphql('{ rateLimit { used } articles(first: 1) { nodes { id } } }');
    expect(json.extensions.cost.used).toBe(1);
  });
});

describe('the printed schema', () => {
  const graph = buildGraph(readConfig({}));
  const text = printGraph(graph);
  const parsed = buildSchema(text);
  const field = (type: string, name: string): GraphQLField<unknown, unknown> | undefined => {
    const found = parsed.getType(type);
    return found && 'getFields' in found
      ? (found.getFields() as Record<string, GraphQLField<unknown, unknown>>)[name]
      : undefined;
  };
  const directives = (
    of: { astNode?: GraphQLField<unknown, unknown>['astNode'] } | undefined,
  ): Record<string, unknown> =>
    Object.fromEntries(
      (of?.astNode?.directives ?? []).map(({ name, arguments: given = [] }) => [
        name.value,
        Object.fromEntries(
          given.map(({ name, value }) => [
            name.value,
            value.kind === Kind.LIST
              ? value.values.map(one => (one.kind === Kind.STRING ? one.value : undefined))
              : value.kind === Kind.STRING || value.kind === Kind.INT || value.kind === Kind.BOOLEAN
                ? value.value
                : undefined,
          ]),
        ),
      ]),
    );

  test('is the schema of graphql-js with directives', () => {
    const plain = (sdl: string): string =>
      sdl.replace(/ @(cost|listSize)\([^)]*\)/g, '').replace(/^"""[\s\S]*?on FIELD_DEFINITION\n\n/, '');
    expect(plain(text)).toBe(`${printSchema(lexicographicSortSchema(graph))}\n`);
  });

  test('has the declared cost of a field and of its arguments', () => {
    expect(directives(field('Query', 'recommendedArticles')).cost).toEqual({ weight: '100' });
    const articles = field('Query', 'articles');
    const search = articles?.args.find(({ name }) => name === 'search');
    expect(search?.astNode?.directives?.map(({ name }) => name.value)).toEqual(['cost']);
    expect(directives(field('Article', 'headline'))).toEqual({});
  });

  test('has the size of every list with a slicing argument, and of those that declare one', () => {
    for (const type of Object.values(parsed.getTypeMap())) {
      if (!('getFields' in type) || type.name.startsWith('__')) continue;
      for (const one of Object.values(type.getFields()) as GraphQLField<unknown, unknown>[]) {
        if (!one.args?.some(({ name }) => name === 'first')) continue;
        const size = directives(one).listSize as { slicingArguments: string[]; sizedFields?: string[] };
        expect([type.name, one.name, size?.slicingArguments]).toEqual([
          type.name,
          one.name,
          expect.arrayContaining(['first']),
        ]);
        const page = getNamedType(one.type);
        for (const name of size.sizedFields ?? []) expect('getFields' in page && page.getFields()).toHaveProperty(name);
      }
    }
    expect(text).toMatch(/@listSize\(assumedSize: \d+\)/);
  });
});

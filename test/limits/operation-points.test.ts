import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { readConfig } from '../../src/config/config.ts';
import { hidesExecutedFields } from '../../src/limits/database-units-used.ts';
import { estimateOf } from '../../src/limits/operation-cost.ts';
import { measureQuery } from '../../src/limits/query-measure.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: 'on' } });
const graph = buildGraph(readConfig({}));
const points = (query: string, variables: Record<string, unknown> = {}): number =>
  estimateOf(measureQuery(graph, parse(query), undefined, variables));
const twenty = (each: (index: number) => string): string =>
  `{ ${Array.from({ length: 20 }, (_, at) => `a${at}: ${each(at)}`).join(' ')} }`;

describe('Twenty aliases', () => {
  test.each([
    ['a search', 'articles(search: "sleep") { nodes { id } }'],
    ['a search for messages', 'directMessages(userId: 1, search: "you") { nodes { id } }'],
    ['recommendations', 'recommendedArticles(first: 1) { nodes { id } }'],
    ['people like the caller', 'healthViewer { peerSuggestions(limit: 1) { score } }'],
    ['everything about the caller', 'healthViewer { dataExport { generatedAt } }'],
  ])('of %s cost a point each', (_, field) => {
    expect(points(`{ ${field} }`)).toBe(1);
    expect(points(twenty(() => field))).toBeGreaterThanOrEqual(20);
  });

  test.each([
    ['look-ups', 'repository(owner: "a", name: "b") { name owner { login } }'],
    ['pages', 'articles(first: 5) { nodes { id } totalCount }'],
    ['searches without a term', 'articles(search: "  ") { nodes { id } }'],
  ])('of %s cost one', (_, field) => {
    expect(points(twenty(() => field))).toBe(1);
  });
});

describe('Points', () => {
  test('count a search given by a variable or its default value, and none that is null', () => {
    const by = (declared: string): string =>
      `query(${declared}) { a: articles(search: $s) { nodes { id } } b: articles(search: $s) { nodes { id } } }`;
    expect(points(by('$s: String'), { s: 'sleep' })).toBe(2);
    // Default values are among the coerced variables.
    expect(points(by('$s: String = "sleep"'), { s: 'sleep' })).toBe(2);
    expect(points(by('$s: String'), { s: null })).toBe(1);
    expect(points(by('$s: String'))).toBe(1);
  });

  test('multiply a costly field by the number of items', () => {
    const related = (first: number): string => `{ articles(first: ${first}) { nodes { related { id } } } }`;
    expect(points(related(10))).toBe(1);
    expect(points(related(100))).toBe(3);
    const counts = (first: number): string =>
      `{ viewer { repositories(first: ${first}) { nodes { stargazerCount forkCount } } } }`;
    // Kept, so that they cost nothing beside the page.
    expect(points(counts(100))).toBe(1);
  });

  test('count rows that a page skips, up to a maximum', () => {
    const startingAt = (position: number): number =>
      points(`{ articles(first: 100, after: "${encodeCursor('ArticleConnection', position)}") { nodes { id } } }`);
    expect([startingAt(0), startingAt(10_000), startingAt(50_000), startingAt(2_147_483_647)]).toEqual([1, 1, 5, 10]);
  });

  test('are refunded for absent objects, by the weight that was charged', async () => {
    const { json } = await gateway.graphql('{ articles(first: 100) { nodes { related { id } } } }');
    expect(json.extensions.cost).toMatchObject({ estimated: 3, actual: 2 });
    const searches = await gateway.graphql(
      twenty(at => `articles(first: 1, search: "no such words ${at}") { nodes { id } }`),
    );
    expect(searches.json.extensions.cost).toMatchObject({ estimated: 20, actual: 20 });
  });

  test('are not refunded if an error hides what was executed', () => {
    const data = { fine: { list: [{ name: 'a' }, null] }, gone: null };
    expect(hidesExecutedFields(data, [])).toBe(false);
    expect(hidesExecutedFields(data, [{ path: ['gone'] }])).toBe(false);
    expect(hidesExecutedFields(data, [{ path: ['fine', 'list', 1] }])).toBe(false);
    expect(hidesExecutedFields(data, [{ path: ['gone', 'list', 0, 'name'] }])).toBe(true);
    expect(hidesExecutedFields(data, [{ path: ['fine', 'list', 1, 'name'] }])).toBe(true);
  });
});

import { describe, expect, test } from '@jest/globals';
import { pagedGraph } from './paging.ts';
import { startTestFacade } from './test-facade.ts';

const facade = await startTestFacade({
  graph: pagedGraph,
  product: 'hosting-like',
  operations: {
    'things/after.graphql': `query After($cursor: String, $per_page: Int = 50) @rest(method: GET, path: "/things") {
      after(cursor: $cursor, first: $per_page) { nodes @body { id } pageInfo @page(style: CURSOR) { nextCursor previousCursor } } }`,
  },
});
const base = 'https://api.example.org/things';

describe('paging by cursor', () => {
  const link = async (search: string): Promise<string | null> =>
    (await facade.request(`/things${search}`)).headers.get('link');

  test('has next and prev, in this order, if they exist', async () => {
    expect(await link('')).toBe(`<${base}?cursor=v1_50>; rel="next"`);
    expect(await link('?per_page=40&cursor=v1_40')).toBe(
      `<${base}?per_page=40&cursor=v1_80>; rel="next", <${base}?per_page=40&cursor=v1_0>; rel="prev"`,
    );
    expect(await link('?cursor=v1_50')).toBe(`<${base}?cursor=v1_0>; rel="prev"`);
    expect(await link('?per_page=100')).toBeNull();
  });

  test('keeps the order of the request’s parameters', async () => {
    expect(await link('?cursor=v1_40&per_page=40')).toContain(`<${base}?cursor=v1_80&per_page=40>; rel="next"`);
    expect(await link('?a=1&per_page=40')).toBe(`<${base}?a=1&per_page=40&cursor=v1_40>; rel="next"`);
  });

  test('leads through every entry once', async () => {
    const seen: number[] = [];
    let search: string | undefined = '?per_page=10';
    while (search !== undefined) {
      const { json, headers } = await facade.request(`/things${search}`);
      seen.push(...json.map((one: { id: number }) => one.id));
      search = /<[^>]*(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 95 }, (_, index) => index + 1));
  });
});

import { describe, expect, test } from '@jest/globals';
import { pagedGraph } from './paging.ts';
import { startTestFacade } from './test-facade.ts';

const facade = await startTestFacade({
  graph: pagedGraph,
  operations: {
    'things/list.graphql': `query List($page: Int = 1, $page_size: Int = 20) @rest(method: GET, path: "/things/") {
      things(first: $page_size, page: $page) { nodes @body { id } pageInfo @page(style: COUNT) { page last total } } }`,
    'things/few.graphql': `query Few($page: Int = 1, $page_size: Int = 20, $total: Int!) @rest(method: GET, path: "/few/{total}/") {
      things(first: $page_size, page: $page, total: $total) { pageInfo @page(style: COUNT) { page last total } nodes @body { id } } }`,
    'things/owned.graphql': `query Owned($owner: String!, $page: Int = 1, $page_size: Int = 20) @rest(method: GET, path: "/owners/{owner}/things/") {
      owner(name: $owner) { things(first: $page_size, page: $page) { pageInfo @page(style: COUNT) { page last total } nodes @body { id } } } }`,
    'things/all.graphql': `query All($page: Int = 1) @rest(method: GET, path: "/all/") { things(first: 100, page: $page) { nodes @body { id } } }`,
  },
});
const base = 'https://api.example.org/api/v1/things/';
const list = (search = '') => facade.request(`/api/v1/things/${search}`);
const ids = (json: { results: { id: number }[] }): number[] => json.results.map(one => one.id);
const lost = { detail: 'Invalid page.', code: 'not_found' };

describe('the envelope', () => {
  test('holds count, next, previous and results, in this order', async () => {
    const { status, json, headers } = await list();
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['count', 'next', 'previous', 'results']);
    expect(json).toMatchObject({ count: 95, next: `${base}?page=2`, previous: null });
    expect(ids(json)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(headers.get('link')).toBeNull();
  });

  test('leads through every page and ends', async () => {
    const seen: number[] = [];
    let next: string | null = base;
    while (next !== null) {
      const { json } = await list(next.slice(base.length));
      seen.push(...ids(json));
      next = json.next;
    }
    expect(seen).toEqual(Array.from({ length: 95 }, (_, index) => index + 1));
  });

  test('goes back to the first page by no page at all', async () => {
    expect((await list('?page=2')).json.previous).toBe(base);
    expect((await list('?page=2&page_size=10')).json.previous).toBe(`${base}?page_size=10`);
    expect((await list('?page=3')).json.previous).toBe(`${base}?page=2`);
  });

  test('of an empty list is a first page', async () => {
    const { status, json } = await facade.request('/api/v1/few/0/');
    expect([status, json]).toEqual([200, { count: 0, next: null, previous: null, results: [] }]);
    expect((await facade.request('/api/v1/few/0/?page=2')).json).toEqual(lost);
    expect((await facade.request('/api/v1/few/0/?page=last')).json.results).toEqual([]);
  });
});

describe('the page', () => {
  test.each([
    '0',
    '-1',
    '1.5',
    '2.0',
    'x',
    'Last',
    '1e1',
    '0x2',
    '6',
    '99999999999999999999',
    ' last',
    'NaN',
    '%00',
    '1%002',
  ])('%s is none', async page => {
    const { status, json } = await list(`?page=${page}`);
    expect([status, json]).toEqual([404, lost]);
  });

  test.each([
    ['', 1],
    ['1', 1],
    ['5', 5],
    ['+5', 5],
    ['%205%20', 5],
    ['05', 5],
  ])('"%s" is page %d', async (page, number) => {
    expect(ids((await list(`?page=${page}`)).json)[0]).toBe((number - 1) * 20 + 1);
  });

  test('named last is the last one, with links as by number', async () => {
    const { json } = await list('?page=last&x=1');
    expect(json).toMatchObject({ count: 95, next: null, previous: `${base}?page=4&x=1` });
    expect(ids(json)).toEqual([81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95]);
    expect(ids((await facade.request('/api/v1/few/7/?page=last')).json)).toHaveLength(7);
  });

  test('the last of a repeated key wins', async () => {
    expect(ids((await list('?page=5&page=2')).json)[0]).toBe(21);
    expect(ids((await list('?page=last&page=2')).json)[0]).toBe(21);
    expect(ids((await list('?page=2&page=last')).json)[0]).toBe(81);
    expect((await list('?page=2&page=x')).status).toBe(404);
    expect((await list('?page=x&page=2')).json).toMatchObject({ next: `${base}?page=3`, previous: base });
    expect((await list('?page_size=5&page_size=10')).json.results).toHaveLength(10);
  });

  test('of what is not there is not there, by name and by number', async () => {
    for (const search of ['', '?page=2', '?page=last']) {
      const { status, json } = await facade.request(`/api/v1/owners/nobody/things/${search}`);
      expect([status, json]).toEqual([404, { detail: 'Not found.', code: 'not_found' }]);
    }
    expect(ids((await facade.request('/api/v1/owners/ada/things/?page=last')).json)[0]).toBe(81);
  });

  test('of a list without an envelope may be named as well', async () => {
    expect((await facade.request('/api/v1/all/')).json).toHaveLength(95);
    expect((await facade.request('/api/v1/all/?page=2')).json).toEqual([]);
    expect((await facade.request('/api/v1/all/?page=last')).json).toHaveLength(95);
    expect((await facade.request('/api/v1/all/?page=0')).json).toEqual(lost);
  });
});

describe('the size of a page', () => {
  test.each([
    ['1', 1],
    ['10', 10],
    ['95', 95],
    ['100', 95],
    ['101', 95],
    ['99999999999999999999', 95],
  ])('%s gives %d', async (size, length) => {
    expect((await list(`?page_size=${size}`)).json.results).toHaveLength(length);
  });

  test.each(['0', '-5', 'x', '', '1.5', 'last', '%00'])('"%s" is the default', async size => {
    expect((await list(`?page_size=${size}`)).json.results).toHaveLength(20);
  });

  test('is repeated in the links as it was sent', async () => {
    expect((await list('?page_size=05')).json.next).toBe(`${base}?page_size=05&page=2`);
    expect((await list('?page_size=x')).json.next).toBe(`${base}?page_size=x&page=2`);
  });
});

describe('links', () => {
  test.each([
    ['?a=b%20c+d', '?a=b%20c+d&page=2'],
    ['?a=1&&b=&c', '?a=1&b=&c&page=2'],
    ['?%70age=1&a=1', '?page=2&a=1'],
    ['?page=1&a=1&page=1', '?page=2&a=1'],
    ['?a[]=1&a[]=2&a%5B%5D=3', '?a[]=1&a[]=2&a%5B%5D=3&page=2'],
    ['?q=%zz%&x=~%7E*()!', '?q=%zz%&x=~%7E*()!&page=2'],
    ['?q=%FF%C5%BE', '?q=%FF%C5%BE&page=2'],
    ['?=x&=y', '?=x&=y&page=2'],
    ['??a=1', '??a=1&page=2'],
    ['?', '?page=2'],
    ['?a=1?b=2', '?a=1?b=2&page=2'],
    ['?pages=7&mypage=8', '?pages=7&mypage=8&page=2'],
    ['?__proto__=1&constructor=2', '?__proto__=1&constructor=2&page=2'],
  ])('keep %s exactly', async (sent, next) => {
    expect((await list(sent)).json.next).toBe(`${base}${next}`);
  });
});

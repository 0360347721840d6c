import { describe, expect, test } from '@jest/globals';
import { testOfConnection } from './adapters.ts';
import { pagedGraph } from './paging.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const facade = await startTestFacade({
  graph: pagedGraph,
  product: 'hosting-like',
  operations: {
    'things/list.graphql': `query List($page: Int = 1, $per_page: Int = 30) @rest(method: GET, path: "/things") {
      things(first: $per_page, page: $page) { nodes @body { id } pageInfo @page(style: LINK) { page last } } }`,
    'things/few.graphql': `query Few($page: Int = 1, $per_page: Int = 30, $total: Int!) @rest(method: GET, path: "/few/{total}") {
      things(first: $per_page, page: $page, total: $total) { nodes @body { id } pageInfo @page(style: LINK) { page last } } }`,
    'things/owned.graphql': `query Owned($owner: String!, $page: Int = 1) @rest(method: GET, path: "/owners/{owner}/things") {
      owner(name: $owner) { things(first: 30, page: $page) { pageInfo @page(style: LINK) { page last } nodes @body { id } } } }`,
    'things/events.graphql': `query Events($page: Int = 1, $per_page: Int = 30, $total: Int!) @rest(method: GET, path: "/events/{total}") {
      things(first: $per_page, page: $page, total: $total) { nodes @body { id } pageInfo @page(style: LINK, maxEntries: 300) { page last } } }`,
    'things/unpaged.graphql': `query Unpaged($per_page: Int = 30) @rest(method: GET, path: "/unpaged") {
      things(first: $per_page, page: 1) { nodes @body { id } } }`,
  },
});
const base = 'https://api.example.org';
const links = async (path: string): Promise<string[]> => {
  const { status, headers } = await facade.request(path);
  expect(status).toBe(200);
  return headers.get('link')?.split(', ') ?? [];
};
const to = (page: number, rel: string, path = '/things', search = ''): string =>
  `<${base}${path}?${search}page=${page}>; rel="${rel}"`;

describe('the Link header', () => {
  test('has prev, next, last and first, in this order, if they exist', async () => {
    expect(await links('/things')).toEqual([to(2, 'next'), to(4, 'last')]);
    expect(await links('/things?page=2')).toEqual([to(1, 'prev'), to(3, 'next'), to(4, 'last'), to(1, 'first')]);
    expect(await links('/things?page=4')).toEqual([to(3, 'prev'), to(1, 'first')]);
  });

  test('leads back from beyond the end, where the list is empty', async () => {
    expect(await links('/things?page=9')).toEqual([to(4, 'prev'), to(4, 'last'), to(1, 'first')]);
    expect((await facade.request('/things?page=9')).json).toEqual([]);
    expect((await facade.request('/things?page=99999999999999999999')).json).toEqual([]);
    expect(await links('/few/0?page=3')).toEqual([
      to(1, 'prev', '/few/0'),
      to(1, 'last', '/few/0'),
      to(1, 'first', '/few/0'),
    ]);
  });

  test('is absent if there is one page', async () => {
    expect(await links('/few/0')).toEqual([]);
    expect(await links('/few/30')).toEqual([]);
    expect(await links('/few/31')).toHaveLength(2);
    expect(await links('/unpaged')).toEqual([]);
  });

  test('is absent if the list is empty', async () => {
    const { status, headers } = await facade.request('/owners/nobody/things?page=2');
    expect([status, headers.get('link')]).toEqual([404, null]);
  });

  test('keeps the requested base path', async () => {
    expect(await links('/api/v3/things')).toEqual([to(2, 'next', '/api/v3/things'), to(4, 'last', '/api/v3/things')]);
  });

  test('is absolute for every form of request target', async () => {
    const answer = await sendRaw(facade.url, rawRequest('GET', 'http://proxy.example:8080/things?a=1'));
    expect(answer).toContain(
      `\r\nLink: <${base}/things?a=1&page=2>; rel="next", <${base}/things?a=1&page=4>; rel="last"\r\n`,
    );
  });

  test('is sent for HEAD too', async () => {
    const { headers, text } = await facade.request('/things', { method: 'HEAD' });
    expect([headers.get('link'), text]).toEqual([`${to(2, 'next')}, ${to(4, 'last')}`, '']);
  });
});

describe('invalid and oversized values', () => {
  test.each(['0', '-1', 'x', '', '1.5', 'last', '%00', '1e1'])('page %s is the first', async page => {
    const { json, headers } = await facade.request(`/things?page=${page}`);
    expect(json[0]).toEqual({ id: 1 });
    expect(headers.get('link')).toBe(`${to(2, 'next')}, ${to(4, 'last')}`);
  });

  test('sizes are reduced or default, and are repeated as sent', async () => {
    expect((await facade.request('/things?per_page=1000')).json).toHaveLength(95);
    expect((await facade.request('/things?per_page=0')).json).toHaveLength(30);
    expect((await facade.request('/unpaged?per_page=-3')).json).toHaveLength(30);
    expect(await links('/things?per_page=abc')).toEqual([
      to(2, 'next', '/things', 'per_page=abc&'),
      to(4, 'last', '/things', 'per_page=abc&'),
    ]);
    expect(await links('/few/200?per_page=500')).toEqual([
      to(2, 'next', '/few/200', 'per_page=500&'),
      to(2, 'last', '/few/200', 'per_page=500&'),
    ]);
  });
});

describe('a list with maxEntries', () => {
  test('has the last reachable page', async () => {
    expect(await links('/events/1000')).toEqual([to(2, 'next', '/events/1000'), to(10, 'last', '/events/1000')]);
    expect(await links('/events/1000?per_page=100')).toEqual([
      to(2, 'next', '/events/1000', 'per_page=100&'),
      to(3, 'last', '/events/1000', 'per_page=100&'),
    ]);
    expect(await links('/events/1000?page=10')).toEqual([
      to(9, 'prev', '/events/1000'),
      to(1, 'first', '/events/1000'),
    ]);
    expect(await links('/events/40')).toEqual([to(2, 'next', '/events/40'), to(2, 'last', '/events/40')]);
  });

  test.each(['page=11', 'page=4&per_page=100', 'page=999999999', 'page=301&per_page=1'])('refuses %s', async query => {
    const { status, json } = await facade.request(`/events/1000?${query}`);
    expect([status, json]).toEqual([
      422,
      {
        message: 'In order to keep the API fast for everyone, pagination is limited for this resource.',
        documentation_url: 'https://docs.example.org/v3/#pagination',
        status: '422',
      },
    ]);
  });

  test('is empty beyond its end and within maxEntries', async () => {
    expect((await facade.request('/events/40?page=10')).json).toEqual([]);
  });
});

describe('the query string of a request', () => {
  test('keeps its bytes and order', async () => {
    expect(await links('/things?page=2&b=%20+%2B&a=1')).toContain(`<${base}/things?page=3&b=%20+%2B&a=1>; rel="next"`);
    expect(await links('/things?b[]=1&page=2&page=2')).toContain(`<${base}/things?b[]=1&page=3>; rel="next"`);
  });

  testOfConnection('cannot end a link or start another', async () => {
    const evil = '/things?a="><http://evil.example>;rel="next"#x';
    const answer = await sendRaw(facade.url, rawRequest('GET', evil));
    const link = /\r\nLink: (.*)\r\n/.exec(answer)?.[1] ?? '';
    expect(link).toBe(
      ['next', 'last']
        .map(
          (rel, at) =>
            `<${base}/things?a=%22%3E%3Chttp://evil.example%3E;rel=%22next%22%23x&page=${at === 0 ? 2 : 4}>; rel="${rel}"`,
        )
        .join(', '),
    );
  });
});

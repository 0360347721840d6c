import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { pagedGraph } from './paging.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const base = 'https://api.example.org';
const header = await startTestFacade({
  graph: pagedGraph,
  product: 'hosting-like',
  operations: {
    'things/list.graphql': `query List($page: Int = 1, $per_page: Int = 30) @rest(method: GET, path: "/things") {
      things(first: $per_page, page: $page) { nodes @body { id } pageInfo @page(style: LINK) { page last } } }`,
    'things/after.graphql': `query After($cursor: String, $per_page: Int = 50) @rest(method: GET, path: "/after") {
      after(cursor: $cursor, first: $per_page) { nodes @body { id } pageInfo @page(style: CURSOR) { nextCursor previousCursor } } }`,
  },
});
const counted = await startTestFacade({
  graph: pagedGraph,
  operations: {
    'things/list.graphql': `query List($page: Int = 1, $page_size: Int = 20) @rest(method: GET, path: "/things/") {
      things(first: $page_size, page: $page) { nodes @body { id } pageInfo @page(style: COUNT) { page last total } } }`,
  },
});

/** The Link header of a list. */
const linkOf = async (search: string, path = '/things'): Promise<string> => {
  const { status, headers } = await header.request(`${path}${search}`);
  expect(status).toBe(200);
  return headers.get('link') ?? '';
};
const zeros = '0'.repeat(7_000);

describe('links of a list with a long query string', () => {
  const four = ['prev', 'next', 'last', 'first'].map((rel, at) => [rel, [1, 3, 4, 1][at]] as const);
  const linksWith = (search: string): string =>
    four.map(([rel, page]) => `<${base}/things?${search}page=${page}>; rel="${rel}"`).join(', ');

  test.each([
    ['one parameter', `x=${'a'.repeat(7_000)}`],
    ['many parameters', Array.from({ length: 1_200 }, (_, at) => `p${at}=1`).join('&')],
    ['a name', 'a'.repeat(7_000)],
    ['empty pairs', '&'.repeat(7_000)],
    ['percent-encoding', `x=${'%41'.repeat(2_000)}`],
  ])('omit undeclared parameters: %s', async (_name, junk) => {
    expect(await linkOf(`?${junk}&page=2`)).toBe(linksWith(''));
    expect(await linkOf(`?per_page=30&${junk}&page=2`)).toBe(linksWith('per_page=30&'));
    expect((await linkOf(`?${junk}`, '/after')).length).toBeLessThan(200);
    const { json } = await counted.request(`/api/v1/things/?page=3&${junk}&page_size=20`);
    expect(json.next).toBe(`${base}/api/v1/things/?page=4&page_size=20`);
    expect(json.previous).toBe(`${base}/api/v1/things/?page=2&page_size=20`);
  });

  test('omit them if only the encoded URL is too long', async () => {
    const answer = await sendRaw(header.url, rawRequest('GET', `/things?x=${'"'.repeat(400)}&page=2`));
    expect(/\r\nLink: (.*)\r\n/.exec(answer)?.[1]).toBe(linksWith(''));
  });

  test('repeat the query string as sent up to 1,000 characters', async () => {
    const search = `x=${'a'.repeat(1_000 - '?x=&page=2'.length)}&`;
    expect(await linkOf(`?${search}page=2`)).toBe(linksWith(search));
    expect(await linkOf(`?${search}page=2&`)).toBe(linksWith(''));
  });

  test.each([
    ['a size', `?per_page=${zeros}20`],
    ['a page', `?page=${zeros}2`],
    ['one that is repeated', `?${'per_page=20&'.repeat(600)}`],
  ])('are refused if the declared parameters are too long: %s', async (_name, search) => {
    const { status, json, headers } = await header.request(`/things${search}`);
    expect({ status, json }).toEqual({
      status: 414,
      json: {
        message: 'The query string of a list may hold 1000 characters.',
        documentation_url: expect.any(String),
        status: '414',
      },
    });
    expect(headers.get('link')).toBeNull();
  });

  test('are refused by cursor and in a body too, with the product’s message', async () => {
    expect((await header.request(`/after?cursor=${zeros}`)).status).toBe(414);
    const { status, json } = await counted.request(`/api/v1/things/?page_size=${zeros}20`);
    expect({ status, json }).toEqual({
      status: 414,
      json: { detail: 'The query string of a list may hold 4000 characters.', code: 'uri_too_long' },
    });
  });
});

const gateway = await testGateway();

describe('both contracts', () => {
  test('send links that are shorter than the query string of the request', async () => {
    const junk = `x=${'a'.repeat(7_000)}`;
    const articles = await gateway.request(`/api/v1/articles/?page_size=1&${junk}`);
    expect(articles.json.next.replace(/&as_of=[\d.]+$/, '')).toBe(`${gateway.url}/api/v1/articles/?page_size=1&page=2`);
    const events = await gateway.request(`/events?per_page=1&${junk}`, { headers: { 'user-agent': 't' } });
    expect(events.status).toBe(200);
    expect(events.headers.get('link')).toContain(`<${gateway.url}/events?per_page=1&page=2>; rel="next"`);
  });

  test('refuse a search text that links cannot repeat', async () => {
    const { status, json } = await gateway.request(`/api/v1/articles/?search=${'a'.repeat(7_000)}`);
    expect({ status, code: json.code }).toEqual({ status: 414, code: 'uri_too_long' });
    const events = await gateway.request(`/users/wren/events?per_page=${zeros}1`, { headers: { 'user-agent': 't' } });
    expect({ status: events.status, told: events.json.status }).toEqual({ status: 414, told: '414' });
  });
});

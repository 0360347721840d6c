import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();
const list = (query = '') => gateway.request(`/api/v1/articles/${query}`);
const headlines = async (query: string): Promise<string[]> =>
  (await list(query)).json.results.map((one: { headline: string }) => one.headline);
const count = async (query: string): Promise<number> => (await list(query)).json.count;

/** A link without the anchor of its list: see `stable-lists.test.ts`. */
const unanchored = (link: string): string => link.replace(/[?&]as_of=[\d.]+$/, '');

describe('the envelope', () => {
  test('has the newest articles first, twenty a page', async () => {
    const { status, json, headers } = await list();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(Object.keys(json)).toEqual(['count', 'next', 'previous', 'results']);
    expect(json.count).toBe(60);
    expect(json.results).toHaveLength(20);
    expect(json.previous).toBeNull();
    expect(unanchored(json.next)).toBe(`${gateway.url}/api/v1/articles/?page=2`);
    const dates = json.results.map((one: { published_at: string }) => one.published_at);
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  test('an item has exactly the published keys, order and types', async () => {
    const [item] = (await list('?ordering=id')).json.results;
    expect(Object.keys(item)).toEqual([
      'id',
      'headline',
      'summary',
      'image_url',
      'author',
      'source',
      'source_url',
      'categories',
      'read_time_minutes',
      'published_at',
      'like_count',
      'comment_count',
      'is_liked',
      'is_bookmarked',
    ]);
    expect(item).toMatchObject({
      id: expect.any(Number),
      source: 'other',
      author: 'Portico demo',
      source_url: expect.stringMatching(/\/api\/v1\/articles\/\d+\/$/),
      image_url: `${gateway.url}/pictures/respiratory.svg`,
      like_count: 0,
      comment_count: 0,
      is_liked: false,
      is_bookmarked: false,
      published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
    expect(Object.keys(item.categories[0])).toEqual(['id', 'name', 'slug']);
  });

  test('following next visits every article once', async () => {
    const seen: number[] = [];
    let next: string | null = `${gateway.url}/api/v1/articles/?page_size=7&ordering=read_time_minutes`;
    while (next) {
      const { json } = await gateway.request(next.slice(gateway.url.length));
      seen.push(...json.results.map((one: { id: number }) => one.id));
      next = json.next;
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });

  test('links keep every other parameter, and the way back to the first page has no page', async () => {
    const second = await list('?search=people&page=2&page_size=10&anything=a%20b');
    expect(unanchored(second.json.previous)).toBe(
      `${gateway.url}/api/v1/articles/?search=people&page_size=10&anything=a%20b`,
    );
    expect(unanchored(second.json.next)).toBe(
      `${gateway.url}/api/v1/articles/?search=people&page=3&page_size=10&anything=a%20b`,
    );
  });

  test('an empty result is an empty page', async () => {
    expect((await list('?search=zzzzqqq')).json).toEqual({ count: 0, next: null, previous: null, results: [] });
  });
});

describe('page and page_size', () => {
  test.each(['0', '-1', 'x', '1.5', '4', '99999999999999999999', '%00'])(
    'page=%s is 404 «Invalid page.»',
    async page => {
      const { status, json } = await list(`?page=${page}`);
      expect(status).toBe(404);
      expect(json).toEqual({ detail: 'Invalid page.', code: 'not_found' });
    },
  );

  test('an empty page is the first one, and last is the last', async () => {
    expect((await list('?page=')).json.previous).toBeNull();
    const last = (await list('?page=last&page_size=25')).json;
    expect(last.next).toBeNull();
    expect(last.results).toHaveLength(10);
    expect(unanchored(last.previous)).toBe(`${gateway.url}/api/v1/articles/?page=2&page_size=25`);
  });

  test.each([
    ['1000', 60],
    ['100', 60],
    ['0', 20],
    ['-5', 20],
    ['abc', 20],
    ['', 20],
    ['3', 3],
  ])('page_size=%s gives %i items', async (size, items) => {
    expect((await list(`?page_size=${size}`)).json.results).toHaveLength(items);
  });
});

describe('filters', () => {
  test('an unknown source is 400 with the published text, an empty one is no filter', async () => {
    const { status, json } = await list('?source=xyz');
    expect(status).toBe(400);
    expect(json).toEqual({ source: ['Select a valid choice. xyz is not one of the available choices.'] });
    expect((await list('?source=WHO')).status).toBe(400);
    expect(await count('?source=')).toBe(60);
    const counts = await Promise.all(
      ['who', 'cdc', 'nih', 'nhs', 'medlineplus', 'mayo', 'other'].map(one => count(`?source=${one}`)),
    );
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(60);
    // Nobody but this project wrote the demo articles.
    expect(counts.at(-1)).toBe(60);
  });

  test('categories__slug filters, an unknown one gives an empty page', async () => {
    const { json } = await list('?categories__slug=sleep&page_size=100');
    expect(json.count).toBeGreaterThanOrEqual(5);
    for (const { categories } of json.results) {
      expect(categories.map((one: { slug: string }) => one.slug)).toContain('sleep');
    }
    expect(await count('?categories__slug=nonsense')).toBe(0);
    expect(await count('?categories__slug=')).toBe(60);
  });

  test('the last of repeated keys counts, unknown keys are ignored', async () => {
    expect(await count('?source=who&source=other&nonsense=1&__proto__=2&constructor=3')).toBe(
      await count('?source=other'),
    );
  });
});

describe('search', () => {
  test('every term must occur, in any field, in any case', async () => {
    const both = await count('?search=sleep+pressure');
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThanOrEqual(await count('?search=sleep'));
    expect(await count('?search=SLEEP,PRESSURE')).toBe(both);
  });

  test('a quoted phrase is one term', async () => {
    expect(await count('?search="blood+sugar"')).toBeGreaterThan(0);
    expect(await count('?search="sugar+blood"')).toBeLessThan(await count('?search=sugar+blood'));
  });

  test('covers author, body and category names, not across fields', async () => {
    const [first] = (await list('?page_size=1')).json.results;
    expect(await count(`?search="${encodeURIComponent(first.author)}"`)).toBeGreaterThan(0);
    const name = first.categories[0].name;
    expect(await count(`?search=${encodeURIComponent(`"${name}"`)}&categories__slug=${first.categories[0].slug}`)).toBe(
      await count(`?categories__slug=${first.categories[0].slug}`),
    );
    const across = `${first.headline.slice(-6)}${first.summary.slice(0, 6)}`;
    expect(await count(`?search=${encodeURIComponent(`"${across}"`)}`)).toBe(0);
  });

  test.each(['%25', '_', '%5C', "'", '%27%27', '"', '%22%22', ',', '+', '%F0%9F%98%80', '%'])(
    '%s is a term or nothing, never a wild card or a fault',
    async term => {
      expect((await list(`?search=${term}`)).status).toBe(200);
    },
  );

  test('a percent sign matches itself', async () => {
    expect(await count('?search=%25')).toBeLessThan(60);
    expect(await count('?search=_')).toBe(0);
  });

  test('NUL and too many terms are 400', async () => {
    expect(await list('?search=a%00b')).toMatchObject({
      status: 400,
      json: { search: ['Null characters are not allowed.'] },
    });
    expect(await list(`?search=${'a+'.repeat(21)}`)).toMatchObject({
      status: 400,
      json: { search: ['Ensure this search has at most 20 terms.'] },
    });
  });
});

describe('ordering', () => {
  test.each(['published_at', 'like_count', 'comment_count', 'read_time_minutes', 'headline', 'id'])(
    '%s runs both ways',
    async field => {
      const up = (await list(`?ordering=${field}&page_size=100`)).json.results;
      const down = (await list(`?ordering=-${field}&page_size=100`)).json.results;
      const values = up.map((one: Record<string, unknown>) => one[field]);
      expect(values).toEqual(values.toSorted((a: never, b: never) => (a < b ? -1 : a > b ? 1 : 0)));
      // The primary key breaks ties in the same direction, so the two orders are exact mirrors.
      expect(down.map((one: { id: number }) => one.id)).toEqual(up.map((one: { id: number }) => one.id).toReversed());
    },
  );

  test('unknown fields are ignored; without any the newest come first', async () => {
    const newest = await headlines('');
    expect(await headlines('?ordering=nonsense')).toEqual(newest);
    expect(await headlines('?ordering=body;drop,--id,%20-published_at%20')).toEqual(newest);
    expect(await headlines('?ordering=nonsense,headline')).toEqual(await headlines('?ordering=headline'));
  });

  test('several fields are applied in order', async () => {
    const { results } = (await list('?ordering=-read_time_minutes,headline&page_size=100')).json;
    const keys = results.map((one: { read_time_minutes: number; headline: string }) => [
      -one.read_time_minutes,
      one.headline,
    ]);
    expect(keys).toEqual(
      keys.toSorted(([a, b]: [number, string], [c, d]: [number, string]) => a - c || (b < d ? -1 : 1)),
    );
  });
});

describe('missing resources', () => {
  test('future and withdrawn articles are in no list; future ones appear at their time', async () => {
    const [{ id }] = (await list('?ordering=id')).json.results;
    await sql`update article set published_at = '2026-11-02T00:00:00Z' where id = ${id}`.execute(gateway.database.sql);
    try {
      expect(await count('')).toBe(59);
      gateway.clock.now = new Date('2026-11-02T00:00:00Z');
      expect(await count('')).toBe(60);
      await sql`update article set withdrawn_at = now() where id = ${id}`.execute(gateway.database.sql);
      expect(await count('')).toBe(59);
    } finally {
      gateway.clock.now = new Date('2026-11-01T12:00:00Z');
      await sql`update article set withdrawn_at = null, published_at = '2025-03-01T08:00:00Z' where id = ${id}`.execute(
        gateway.database.sql,
      );
    }
  });

  test('a path without a trailing slash is redirected, with the query', async () => {
    const { status, headers } = await gateway.request('/api/v1/articles?page=2&x=%20');
    expect(status).toBe(301);
    expect(headers.get('location')).toBe(`${gateway.url}/api/v1/articles/?page=2&x=%20`);
  });

  test('another method is 405 with Allow', async () => {
    const { status, json, headers } = await gateway.request('/api/v1/articles/', { method: 'PUT' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(json).toEqual({ detail: 'Method "PUT" not allowed.', code: 'method_not_allowed' });
  });

  test('an Accept header that excludes JSON is 406', async () => {
    const { status, json } = await gateway.request('/api/v1/articles/', { headers: { accept: 'text/csv' } });
    expect(status).toBe(406);
    expect(json.detail).toBe('Could not satisfy the request Accept header.');
  });
});

describe('credentials', () => {
  const withHeader = (authorization: string) => gateway.request('/api/v1/articles/', { headers: { authorization } });

  test('an invalid token is 401 even here, with the published body', async () => {
    const { status, json, headers } = await withHeader('Bearer nonsense');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      detail: 'Given token not valid for any token type',
      code: 'token_not_valid',
      messages: [{ token_class: 'AccessToken', token_type: 'access', message: 'Token is invalid' }],
    });
  });

  test('a malformed Bearer header is 401, another scheme is ignored', async () => {
    for (const header of ['Bearer', 'Bearer a b']) {
      expect(await withHeader(header)).toMatchObject({ status: 401, json: { code: 'bad_authorization_header' } });
    }
    expect((await withHeader('Basic YTpi')).status).toBe(200);
  });
});

test('one page takes one statement, whatever its size', async () => {
  for (const query of ['?page_size=1', '?page_size=100', '?search=sleep&categories__slug=sleep&ordering=headline']) {
    const sent = await gateway.statements(() => list(query));
    // The words of a search are looked up before.
    expect(sent.filter(text => !/from lexeme_df/.test(text))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(query.includes('search') ? 2 : 1);
  }
});

test('GraphQL returns the same articles', async () => {
  const { json } = await gateway.graphql(
    '{ articles(first: 100) { nodes { databaseId headline categories { slug } publishedAt } totalCount } }',
  );
  const rest = (await list('?page_size=100')).json;
  expect(json.data.articles.totalCount).toBe(rest.count);
  expect(json.data.articles.nodes).toEqual(
    rest.results.map((one: { id: number; headline: string; published_at: string; categories: { slug: string }[] }) => ({
      databaseId: one.id,
      headline: one.headline,
      categories: one.categories.map(({ slug }) => ({ slug })),
      publishedAt: one.published_at,
    })),
  );
});

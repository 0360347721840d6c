import { afterEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { importEntry } from '../../src/health/articles/import-articles.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const [ada, ...others] = (await createVisibleAccounts(gateway, 9)) as [TestAccount, ...TestAccount[]];
const get = async (path: string) => (await send(gateway, 'GET', path, undefined, ada.access)).json;
const pass = (): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
};

interface Page {
  count: number;
  next: string | null;
  previous: string | null;
  results: { id: number }[];
}

const pathOf = (link: string): string => link.replace(/^.*\/api\/v1/, '');

/** The ids of all pages from a path on, by the links; `write` runs after each of the first pages. */
async function walk(path: string, write: () => Promise<unknown>): Promise<number[]> {
  const seen: number[] = [];
  let writes = 0;
  const first: Page = await get(path);
  let page = first;
  for (;;) {
    expect(page.count).toBe(first.count);
    seen.push(...page.results.map(({ id }) => id));
    pass();
    if (writes++ < 3) await write();
    if (page.next === null) break;
    page = await get(pathOf(page.next));
  }
  return seen;
}

/** Asserts that the links lead through the list as it was, and that page numbers count in the list as it is. */
async function assertStable(path: string, write: () => Promise<unknown>): Promise<void> {
  const all: Page = await get(path.replace('page_size=3', 'page_size=100'));
  expect(all.count).toBeGreaterThan(6);
  expect(await walk(path, write)).toEqual(all.results.map(({ id }) => id));
  expect((await get(path)).count).toBeGreaterThan(all.count);
}

let articles = 0;

afterEach(async () => {
  await sql`delete from article where source_url like 'https://windows.example.org/%'`.execute(gateway.database.sql);
});

/** Stores an article that was published before all others of its search. */
async function importArticle(publishedAt: string): Promise<void> {
  const link = `https://windows.example.org/${++articles}`;
  const entry = {
    headline: `Sleep, pain and heart ${articles}`,
    summary: '',
    imageUrl: null,
    author: '',
    link,
    body: 'Text.',
    categories: [],
    tags: ['insomnia'],
    publishedAt,
    updatedAt: null,
  } as never;
  expect(await importEntry(gateway.database.orm.em.fork(), entry, 'other', gateway.clock.now)).toBe('added');
}

test.each([
  ['the newest first', ''],
  ['in another order', '&ordering=headline'],
  ['of a search', '&search=sleep'],
  ['of a search in another order', '&search=sleep&ordering=-published_at'],
  ['of a category', '&categories__slug=sleep'],
  ['of a publisher', '&source=other'],
])('articles %s: an import moves no page', async (_, query) => {
  await importArticle('2026-01-01T00:00:00Z');
  await assertStable(`/articles/?page_size=3${query}`, () => importArticle('2026-10-31T00:00:00Z'));
});

test('an article that is published at its time moves no page', async () => {
  await importArticle(new Date(gateway.clock.now.getTime() + 90_000).toISOString());
  await assertStable('/articles/?page_size=3', async () => undefined);
});

test('the last page leads back through the same list', async () => {
  const last: Page = await get('/articles/?page_size=20&page=last');
  await importArticle('2026-10-30T00:00:00Z');
  const before: Page = await get(pathOf(last.previous ?? ''));
  expect(before.count).toBe(last.count);
  expect(before.results.map(({ id }) => id)).not.toContain(last.results[0]?.id);
});

test.each(['', '&ordering=-created_at', '&ordering=id', '&search=word'])('comments of an article: %s', async query => {
  const [{ id }] = (await get('/articles/?page_size=1')).results;
  const say = () => send(gateway, 'POST', `/articles/${id}/comments/`, { text: 'A word' }, ada.access);
  for (let number = 0; number < 7; number++) await say();
  await assertStable(`/articles/${id}/comments/?page_size=3${query}`, say);
});

test('bookmarks of one person', async () => {
  const { results } = (await get('/articles/?page_size=20')) as Page;
  const unmarked = results.map(({ id }) => id);
  const mark = () => send(gateway, 'POST', `/articles/${unmarked.pop()}/bookmark/`, undefined, ada.access);
  for (let number = 0; number < 7; number++) await mark();
  await assertStable('/articles/bookmarks/?page_size=3', mark);
});

test('connections of one person', async () => {
  const strangers = [...others];
  const accept = async () => {
    const stranger = strangers.pop();
    if (stranger) await connect(gateway, stranger, ada);
  };
  for (let number = 0; number < 7; number++) await accept();
  const all: Page = await get('/community/peers/connections/');
  expect(await walk('/community/peers/connections/?page_size=5', accept)).toEqual(all.results.map(({ id }) => id));
});

test.each(['/articles/', '/articles/bookmarks/', '/articles/1/comments/', '/community/peers/connections/'])(
  '%s refuses what is no anchor, and an anchor of tomorrow shows nothing before its time',
  async path => {
    for (const anchor of ['x', '-1', '1.', '1.2.3', '99999999999999999999'])
      expect(await send(gateway, 'GET', `${path}?as_of=${anchor}`, undefined, ada.access)).toMatchObject({
        status: 400,
      });
    expect((await get(`${path}?as_of=99999999999999`)).count).toBe((await get(path)).count);
  },
);

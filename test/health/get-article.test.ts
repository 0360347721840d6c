import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();
const get = (id: string | number) => gateway.request(`/api/v1/articles/${id}/`);
const [listed] = (await gateway.request('/api/v1/articles/?page_size=1')).json.results;

/** Not in the published contract. */
const added = ['language', 'reviewer', 'reviewed_at'];

test('an article has the fields of the list, body, tags, update time and related articles', async () => {
  const { status, json } = await get(listed.id);
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual([...Object.keys(listed), 'body', 'tags', 'updated_at', 'related', ...added]);
  expect(json).toMatchObject(listed);
  expect(json.body).toMatch(/^<p>[\s\S]*<h2>/);
  expect(json.tags.length).toBeGreaterThanOrEqual(2);
});

test('related articles share a category, are at most three and never the article itself', async () => {
  const { related } = (await get(listed.id)).json;
  const own = new Set(listed.categories.map((one: { slug: string }) => one.slug));
  expect(related).toHaveLength(3);
  for (const one of related) {
    expect(Object.keys(one)).toEqual(Object.keys(listed));
    expect(one.id).not.toBe(listed.id);
    expect(one.categories.some(({ slug }: { slug: string }) => own.has(slug))).toBe(true);
  }
});

test.each(['abc', '0', '-1', '1.5', '99999999', '9007199254740993', '1e3', '%00', '%E0%A4', 'null', ' 1x', '1%2F2'])(
  'id %s is 404',
  async id => {
    const { status, json } = await get(id);
    expect(status).toBe(404);
    expect(json).toEqual({ detail: 'Not found.', code: 'not_found' });
  },
);

test('a future or withdrawn article is 404, in GraphQL null', async () => {
  const { id } = (await gateway.request('/api/v1/articles/?ordering=id&page_size=1')).json.results[0];
  await sql`update article set withdrawn_at = now() where id = ${id}`.execute(gateway.database.sql);
  expect((await get(id)).status).toBe(404);
  const { json } = await gateway.graphql('query($id: SafeInt!) { article(databaseId: $id) { id } }', { id });
  expect(json.data).toEqual({ article: null });
});

test('one article takes two statements: itself and the related ones', async () => {
  expect((await gateway.statements(() => get(listed.id))).length).toBe(2);
});

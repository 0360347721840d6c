import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

// Enough connections for fifty concurrent requests on a busy machine.
const gateway = await testGateway({ settings: { DATABASE_POOL: '20' } });
const strict = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on' } });
const [writer, other, third] = (await createAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
const guest: string = (await send(gateway, 'POST', '/auth/guest/')).json.access;
const articles: number[] = (
  await gateway.request('/api/v1/articles/?page_size=100&ordering=comment_count')
).json.results.map((one: { id: number }) => one.id);
/** An article without comments that no other test of this file uses. */
const fresh = (): number => articles.shift() ?? 0;

const list = (id: number | string, query = '', access: string | undefined = other.access) =>
  send(gateway, 'GET', `/articles/${id}/comments/${query}`, undefined, access);
const write = (id: number | string, body: unknown, access: string | undefined = writer.access) =>
  send(gateway, 'POST', `/articles/${id}/comments/`, body, access);
const remove = (id: number, comment: number | string, access: string | undefined = writer.access) =>
  send(gateway, 'DELETE', `/articles/${id}/comments/${comment}/`, undefined, access);
const texts = async (id: number, query = ''): Promise<string[]> =>
  (await list(id, query)).json.results.map((one: { text: string }) => one.text);

/** Whether the counters of an article and its comments equal the number of rows. */
async function countsAreRight(id: number): Promise<boolean> {
  const { rows } = await sql<{ right: boolean }>`
    select comment_count = (select count(*) from article_comment where article_id = a.id and deleted_at is null)
      and not exists (select from article_comment c where c.article_id = a.id and c.replies_count <>
        (select count(*) from article_comment r where r.parent_id = c.id and r.deleted_at is null)) as right
    from article a where id = ${id}`.execute(gateway.database.sql);
  return rows[0]?.right === true;
}

describe('writing', () => {
  test('returns the comment, adds it to the list and counts it', async () => {
    const id = fresh();
    const { status, json } = await write(id, { text: '  Helped me.\nThank you  ' });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      article: id,
      author: { id: writer.id, full_name: writer.name, profile_picture: null },
      author_name: writer.name,
      text: 'Helped me.\nThank you',
      parent: null,
      replies_count: 0,
      created_at: '2026-11-01T12:00:00.000000Z',
      is_mine: true,
      is_deleted: false,
    });
    const listed = await list(id);
    expect(listed.status).toBe(200);
    expect(listed.json).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [{ ...json, is_mine: false, author: { ...json.author, full_name: 'Robin N' }, author_name: 'Robin N' }],
    });
    expect((await list(id, '', writer.access)).json.results[0].is_mine).toBe(true);
    expect((await gateway.request(`/api/v1/articles/${id}/`)).json.comment_count).toBe(1);
  });

  test('keeps markup as text and removes control characters', async () => {
    const id = fresh();
    const text = '<script>alert(1)</script> & <b>bold</b>';
    expect((await write(id, { text: `${text}\u0007\u009f` })).json.text).toBe(text);
    expect(await texts(id)).toEqual([text]);
  });

  test.each([
    [{}, { text: ['This field is required.'] }],
    [{ text: null }, { text: ['This field may not be null.'] }],
    [{ text: '' }, { text: ['This field may not be blank.'] }],
    [{ text: ' \n\u0007 ' }, { text: ['This field may not be blank.'] }],
    [{ text: 'x'.repeat(2001) }, { text: ['Ensure this field has no more than 2000 characters.'] }],
    [{ text: 'x\u0000' }, { text: ['Null characters are not allowed.'] }],
    [{ text: ['x'] }, { text: ['Not a valid string.'] }],
    [{ text: 'x', parent: 'abc' }, { parent: ['A valid integer is required.'] }],
    [{ text: 'x', parent: 987654321 }, { parent: ['Invalid pk "987654321" - object does not exist.'] }],
    [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
  ])('%j is 400', async (body, problems) => {
    const [id] = articles.slice(-1);
    expect(await write(id ?? 0, body)).toMatchObject({ status: 400, json: problems });
  });

  test('accepts 2,000 characters, counted as code points', async () => {
    expect((await write(fresh(), { text: '🙂'.repeat(2000) })).status).toBe(201);
  });

  test('a reply is stored under its parent; a reply to a reply too', async () => {
    const id = fresh();
    const top = (await write(id, { text: 'top' })).json;
    const reply = (await write(id, { text: 'reply', parent: top.id }, other.access)).json;
    const second = (await write(id, { text: 'reply to the reply', parent: String(reply.id) })).json;
    expect([reply.parent, second.parent]).toEqual([top.id, top.id]);
    const { results } = (await list(id)).json;
    expect(results.map((one: { replies_count: number }) => one.replies_count)).toEqual([2, 0, 0]);
    expect(await countsAreRight(id)).toBe(true);
  });

  test('a parent of another article does not exist', async () => {
    const [one, another] = [fresh(), fresh()];
    const { id } = (await write(one, { text: 'here' })).json;
    expect(await write(another, { text: 'there', parent: id })).toMatchObject({
      status: 400,
      json: { parent: [`Invalid pk "${id}" - object does not exist.`] },
    });
    expect(await texts(another)).toEqual([]);
  });

  test('fifty concurrent comments and replies are all counted', async () => {
    const id = fresh();
    const top = (await write(id, { text: 'top' })).json.id;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        write(id, { text: `number ${at}`, parent: at % 2 ? top : null }, [writer, other, third][at % 3]?.access),
      ),
    );
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([201]));
    expect(await countsAreRight(id)).toBe(true);
    expect((await list(id)).json.results[0].replies_count).toBe(25);
  });
});

describe('the list', () => {
  const id = fresh();
  const times = ['12:03', '12:01', '12:02'];

  test('is ordered by time, both ways, and by id; searched in the text alone; and paged', async () => {
    for (const [at, text] of ['charlie', 'alpha', 'bravo'].entries()) {
      gateway.clock.now = new Date(`2026-11-01T${times[at]}:00Z`);
      await write(id, { text });
    }
    gateway.clock.now = new Date('2026-11-01T12:00:00Z');
    expect(await texts(id)).toEqual(['alpha', 'bravo', 'charlie']);
    expect(await texts(id, '?ordering=-created_at')).toEqual(['charlie', 'bravo', 'alpha']);
    expect(await texts(id, '?ordering=id')).toEqual(['charlie', 'alpha', 'bravo']);
    expect(await texts(id, '?ordering=text')).toEqual(['alpha', 'bravo', 'charlie']);
    expect(await texts(id, '?search=BRAV')).toEqual(['bravo']);
    expect(await texts(id, '?search=%25')).toEqual([]);
    expect(await texts(id, '?search=Robin')).toEqual([]);
    expect(await texts(id, '?page_size=2&page=last')).toEqual(['charlie']);
    expect(await list(id, '?page=7')).toMatchObject({ status: 404, json: { detail: 'Invalid page.' } });
  });

  test('takes session, article, page and total', async () => {
    expect(await gateway.statements(() => list(id, '?page_size=1'))).toHaveLength(4);
    expect(await gateway.statements(() => list(id, '?page_size=100'))).toHaveLength(4);
  });

  test('is available to guests, not to anonymous callers', async () => {
    const { json } = await list(id, '', guest);
    expect(json.count).toBe(3);
    expect(json.results[0].is_mine).toBe(false);
    expect(await gateway.request(`/api/v1/articles/${id}/comments/`)).toMatchObject({
      status: 401,
      json: { code: 'not_authenticated' },
    });
  });

  test("has absolute URLs of authors' pictures", async () => {
    const picture = '3f0f8f5e-6a7b-4d0c-9b44-6a2f1a5f7a01';
    await sql`update users set picture = ${picture} where id = ${writer.id}`.execute(gateway.database.sql);
    expect((await list(id)).json.results[0].author.profile_picture).toBe(`${gateway.url}/media/${picture}`);
    await sql`update users set picture = null where id = ${writer.id}`.execute(gateway.database.sql);
  });
});

describe('callers who may not write', () => {
  test('anonymous callers and guests', async () => {
    const [id = 0] = articles;
    const path = `/api/v1/articles/${id}/comments/`;
    const headers = { 'content-type': 'application/json' };
    expect(await gateway.request(path, { method: 'POST', headers, body: '{"text":"x"}' })).toMatchObject({
      status: 401,
      json: { code: 'not_authenticated' },
    });
    expect(await write(id, { text: 'x' }, guest)).toMatchObject({ status: 403, json: { code: 'not_verified' } });
  });

  test.each(['987654321', 'x', '0', '-1', '1.5'])('article %s is 404 for reading and writing', async id => {
    expect((await write(id, { text: 'x' })).status).toBe(404);
    expect(await list(id)).toMatchObject({ status: 404, json: { detail: 'Not found.', code: 'not_found' } });
  });

  test('a future or withdrawn article is 404 for both', async () => {
    const [future, withdrawn] = [fresh(), fresh()];
    await sql`update article set published_at = '2027-01-01T00:00:00Z' where id = ${future}`.execute(
      gateway.database.sql,
    );
    await sql`update article set withdrawn_at = '2026-01-01T00:00:00Z' where id = ${withdrawn}`.execute(
      gateway.database.sql,
    );
    for (const id of [future, withdrawn]) {
      expect((await write(id, { text: 'x' })).status).toBe(404);
      expect((await list(id)).status).toBe(404);
    }
  });
});

describe('deleting', () => {
  test('removes a comment without replies from list and count', async () => {
    const id = fresh();
    const { id: comment } = (await write(id, { text: 'gone soon' })).json;
    const answer = await remove(id, comment);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await list(id)).json).toMatchObject({ count: 0, results: [] });
    expect((await gateway.request(`/api/v1/articles/${id}/`)).json.comment_count).toBe(0);
    expect((await remove(id, comment)).status).toBe(404);
    const { rows } = await sql<{ text: string }>`select text from article_comment where id = ${comment}`.execute(
      gateway.database.sql,
    );
    expect(rows).toEqual([{ text: '' }]);
  });

  test('keeps a comment with replies as a placeholder until the last reply is deleted', async () => {
    const id = fresh();
    const top = (await write(id, { text: 'a secret' })).json;
    const reply = (await write(id, { text: 'reply', parent: top.id }, other.access)).json;
    await remove(id, top.id);
    const { json } = await list(id);
    expect(json.count).toBe(2);
    expect(json.results[0]).toMatchObject({ id: top.id, text: '', is_deleted: true, replies_count: 1 });
    expect(json.results[1]).toMatchObject({ id: reply.id, is_deleted: false, parent: top.id });
    expect(await texts(id, '?search=secret')).toEqual([]);
    // A deleted comment accepts no reply; its reply does.
    expect((await write(id, { text: 'x', parent: top.id })).status).toBe(400);
    const beside = (await write(id, { text: 'beside', parent: reply.id })).json;
    expect(beside.parent).toBe(top.id);
    await remove(id, beside.id);
    await remove(id, reply.id, other.access);
    expect((await list(id)).json.count).toBe(0);
    expect(await countsAreRight(id)).toBe(true);
  });

  test('requires the author and the right article', async () => {
    const [id, another] = [fresh(), fresh()];
    const { id: comment } = (await write(id, { text: 'mine' })).json;
    expect((await remove(id, comment, other.access)).status).toBe(404);
    expect((await remove(another, comment)).status).toBe(404);
    expect((await remove(id, comment, guest)).status).toBe(403);
    expect((await gateway.request(`/api/v1/articles/${id}/comments/${comment}/`, { method: 'DELETE' })).status).toBe(
      401,
    );
    for (const odd of ['987654321', 'x', '0']) expect((await remove(id, odd)).status).toBe(404);
    expect(await texts(id)).toEqual(['mine']);
  });

  test('and replying concurrently keep the counts and do not deadlock', async () => {
    const id = fresh();
    const tops: number[] = [];
    for (let at = 0; at < 10; at++) tops.push((await write(id, { text: `top ${at}` })).json.id);
    const answers = await Promise.all(
      tops.flatMap(top => [
        write(id, { text: 'reply', parent: top }, other.access),
        remove(id, top),
        remove(id, top),
        write(id, { text: 'another', parent: top }, third.access),
      ]),
    );
    expect(answers.every(({ status }) => [201, 204, 400, 404].includes(status))).toBe(true);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(10);
    expect(await countsAreRight(id)).toBe(true);
  });

  test('works in GraphQL without naming the article', async () => {
    const id = fresh();
    const { id: comment } = (await write(id, { text: 'by the graph' })).json;
    const ask = (access: string) =>
      gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({
          query: 'mutation($id: ID!) { deleteArticleComment(input: { commentId: $id }) { deletedId } }',
          variables: { id: encodeGlobalId('ArticleComment', comment) },
        }),
      });
    expect((await ask(other.access)).json.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await ask(writer.access)).json.data).toEqual({
      deleteArticleComment: { deletedId: encodeGlobalId('ArticleComment', comment) },
    });
    expect(await texts(id)).toEqual([]);
  });
});

test('more than twenty a minute are refused with Retry-After', async () => {
  const [eager] = (await createAccounts(strict, 1)) as [TestAccount];
  const { id } = (await strict.request('/api/v1/articles/?page_size=1')).json.results[0];
  const say = (text: string) => send(strict, 'POST', `/articles/${id}/comments/`, { text }, eager.access);
  // An invalid comment spends no budget.
  expect((await say('')).status).toBe(400);
  for (let at = 0; at < 20; at++) expect((await say(`number ${at}`)).status).toBe(201);
  const refused = await say('one more');
  expect(refused).toMatchObject({ status: 429, json: { code: 'throttled' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { addAd } from '../../src/health/ads/add-ad.ts';
import { allAds } from '../../src/health/ads/ads.queries.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const { sql: db } = gateway.database;
const [ada, ben] = (await createVisibleAccounts(gateway, [{ first_name: 'Ada' }, { first_name: 'Ben' }])) as [
  TestAccount,
  TestAccount,
];
await connect(gateway, ada, ben);

const get = (path: string) => send(gateway, 'GET', path, undefined, ada.access);
const head = async (path: string): Promise<number> => {
  const headers = { authorization: `Bearer ${ada.access}` };
  return (await gateway.request(`/api/v1${path}`, { method: 'HEAD', headers })).status;
};
const chat = (await get('/chat/private/')).json[0].id as string;
const unread = async (): Promise<number> => (await get('/chat/private/')).json[0].unread_count;
const write = (content: string) => send(gateway, 'POST', '/chat/messages/', { chat_id: chat, content }, ben.access);

test('HEAD marks no message as read, nor does a search; a GET of the page does', async () => {
  for (const content of ['one', 'two', 'three', 'needle']) await write(content);
  expect(await unread()).toBe(4);
  for (const path of [`/chat/private/${chat}/messages/`, `/chat/direct/${ben.id}/messages/`]) {
    expect(await head(path)).toBe(200);
    expect((await get(`${path}?search=needle`)).json.count).toBe(1);
    expect(await unread()).toBe(4);
  }
  await get(`/chat/private/${chat}/messages/`);
  expect(await unread()).toBe(0);
});

test('HEAD counts no impression of an ad', async () => {
  await sql`delete from ad`.execute(db);
  const id = await addAd(db, { title: 'A walk', targetUrl: 'https://walk.example.org/' }, gateway.clock.now);
  const impressions = async () => (await allAds(db)).find(one => one.id === id)?.impressions;
  expect(await head('/ads/')).toBe(200);
  expect(await impressions()).toBe(0);
  await get('/ads/');
  expect(await impressions()).toBe(1);
});

test('HEAD makes no recommendations, and marks none as seen', async () => {
  const count = async (status: string) => {
    const rows = await sql<{ article_id: number }>`select article_id from article_recommendation
      where user_id = ${ada.id} and status = ${status}`.execute(db);
    return rows.rows.length;
  };
  expect(await head('/articles/recommended/')).toBe(200);
  expect(await count('pending')).toBe(0);
  const { json } = await get('/articles/recommended/');
  expect(json.count).toBeGreaterThan(0);
  const [{ article }] = json.results;
  expect(await head(`/articles/${article?.id ?? json.results[0].id}/`)).toBe(200);
  expect(await count('seen')).toBe(0);
});

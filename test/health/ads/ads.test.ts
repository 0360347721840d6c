import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { addAd, endAd, type NewAd } from '../../../src/health/ads/add-ad.ts';
import { allAds } from '../../../src/health/ads/ads.queries.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const { sql: db } = gateway.database;
const guest = (await send(gateway, 'POST', '/auth/guest/')).json;
const other = (await send(gateway, 'POST', '/auth/guest/')).json;
const minutes = (count: number): Date => new Date(gateway.clock.now.getTime() + count * 60_000);

beforeEach(async () => {
  await sql`delete from ad`.execute(db);
});

const add = (ad: Partial<NewAd> = {}): Promise<number> =>
  addAd(db, { title: 'A walk', targetUrl: 'https://walk.example.org/', ...ad }, gateway.clock.now);
const shown = async () => {
  const { status, json } = await send(gateway, 'GET', '/ads/', undefined, guest.access);
  expect(status).toBe(200);
  return json;
};
const click = (id: number | string, access = guest.access) =>
  send(gateway, 'POST', `/ads/${id}/click/`, undefined, access);
const counts = async (id: number) => {
  const ad = (await allAds(db)).find(one => one.id === id);
  return { impressions: ad?.impressions, clicks: ad?.clicks };
};

describe('GET /ads/', () => {
  test('returns one live ad and counts an impression', async () => {
    const id = await add({
      body: 'Along the river.',
      advertiser: 'River Trust',
      imageUrl: 'https://walk.example.org/a.png',
    });
    expect(await shown()).toEqual({
      id,
      title: 'A walk',
      body: 'Along the river.',
      image_url: 'https://walk.example.org/a.png',
      target_url: 'https://walk.example.org/',
      advertiser: 'River Trust',
      slot: 'mid_page',
    });
    await Promise.all(Array.from({ length: 20 }, shown));
    expect(await counts(id)).toEqual({ impressions: 21, clicks: 0 });
  });

  test('returns null without a live ad: ended, scheduled, expired or exhausted', async () => {
    expect(await shown()).toBeNull();
    await endAd(db, await add());
    await add({ startsAt: minutes(1) });
    await add({ endsAt: gateway.clock.now });
    await add({ impressionBudget: 1 });
    expect((await shown()).id).toBeDefined();
    expect(await shown()).toBeNull();
  });

  test('an ad is live from its start time', async () => {
    const id = await add({ startsAt: gateway.clock.now, endsAt: minutes(1) });
    expect((await shown()).id).toBe(id);
  });

  test('an ad with its clicks exhausted is not shown but still accepts clicks', async () => {
    const id = await add({ clickBudget: 1 });
    expect((await click(id)).status).toBe(201);
    expect(await shown()).toBeNull();
    expect((await click(id, other.access)).status).toBe(201);
  });

  test('weights are relative frequencies', async () => {
    const heavy = await add({ weight: 9 });
    const light = await add({ weight: 1 });
    // A difference of 60 from 360 is ten standard deviations.
    await Promise.all(Array.from({ length: 400 }, shown));
    expect((await counts(heavy)).impressions).toBeGreaterThan(300);
    expect((await counts(light)).impressions).toBeGreaterThan(5);
  });

  test('anonymous callers get none', async () => {
    const id = await add();
    expect((await send(gateway, 'GET', '/ads/')).json.code).toBe('not_authenticated');
    expect((await send(gateway, 'POST', `/ads/${id}/click/`)).json.code).toBe('not_authenticated');
    expect(await counts(id)).toEqual({ impressions: 0, clicks: 0 });
  });

  test('takes one statement besides those of the session', async () => {
    await add();
    await shown();
    const statements = await gateway.statements(shown);
    expect(statements.filter(text => /\bad\b/.test(text))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(2);
  });
});

describe('POST /ads/{id}/click/', () => {
  test('returns the target', async () => {
    const id = await add();
    expect(await click(id)).toMatchObject({
      status: 201,
      json: { detail: 'Click recorded.', ad: id, target_url: 'https://walk.example.org/' },
    });
    expect((await counts(id)).clicks).toBe(1);
  });

  test('404 for an unknown, expired, ended or invalid ad', async () => {
    const over = await add({ endsAt: gateway.clock.now });
    const down = await add();
    await endAd(db, down);
    for (const id of [over, down, await add({ startsAt: minutes(1) }), 987654321, 'x', '1.5', '-1']) {
      expect(await click(id)).toMatchObject({ status: 404, json: { detail: 'Not found.', code: 'not_found' } });
    }
    expect(await counts(over)).toEqual({ impressions: 0, clicks: 0 });
  });

  test('concurrent clicks count once per user', async () => {
    const id = await add();
    const clicks = [guest.access, other.access].flatMap(access => Array.from({ length: 10 }, () => click(id, access)));
    for (const { status } of await Promise.all(clicks)) expect(status).toBe(201);
    expect((await counts(id)).clicks).toBe(2);
  });

  test('counts again ten minutes after the click that counted, not after the last one', async () => {
    const start = gateway.clock.now;
    const id = await add();
    for (const [minute, expected] of [
      [0, 1],
      [5, 1],
      [9.99, 1],
      [10, 2],
      [19, 2],
      [20, 3],
    ] as const) {
      gateway.clock.now = new Date(start.getTime() + minute * 60_000);
      await click(id);
      expect({ minute, clicks: (await counts(id)).clicks }).toEqual({ minute, clicks: expected });
    }
    gateway.clock.now = start;
  });

  test('a click stores user and time only; it is exported, and erased with the account', async () => {
    const leaver = (await send(gateway, 'POST', '/auth/guest/')).json;
    const id = await add();
    await click(id, leaver.access);
    const { now } = gateway.clock;
    gateway.clock.now = new Date(now.getTime() + 60_000);
    await click(id, leaver.access);
    await click(id, leaver.access);
    gateway.clock.now = now;
    const { rows } = await sql`select * from ad_click where user_id = ${leaver.user.id}`.execute(db);
    expect(Object.keys(rows[0] as object).toSorted()).toEqual([
      ...['ad_id', 'clicks', 'counted', 'first_at', 'last_at', 'latest_at', 'user_id'],
    ]);
    const exported = await send(gateway, 'GET', '/auth/me/export/', undefined, leaver.access);
    const at = gateway.clock.now.toISOString().replace('.000Z', '.000000Z');
    const latest = new Date(now.getTime() + 60_000).toISOString().replace('.000Z', '.000000Z');
    expect(exported.json.ad_clicks).toEqual([
      { ad: id, title: 'A walk', clicks: 3, counted: 1, first_at: at, last_at: at, latest_at: latest },
    ]);
    await send(gateway, 'DELETE', '/auth/me/delete/', undefined, leaver.access);
    await eraseDeletedAccounts(db, gateway.clock.now, 0);
    expect((await sql`select 1 from ad_click where user_id = ${leaver.user.id}`.execute(db)).rows).toEqual([]);
    expect((await counts(id)).clicks).toBe(1);
  });
});

describe('adding an ad', () => {
  test.each([
    ['targetUrl', { targetUrl: 'javascript:alert(1)' }],
    ['targetUrl', { targetUrl: 'data:text/html,x' }],
    ['targetUrl', { targetUrl: 'https://name:secret@example.org/' }],
    ['targetUrl', { targetUrl: '/relative' }],
    ['imageUrl', { imageUrl: 'ftp://example.org/a.png' }],
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(121) }],
    ['weight', { weight: 0 }],
    ['weight', { weight: Number.NaN }],
    ['impressionBudget', { impressionBudget: 1.5 }],
    ['endsAt', { startsAt: minutes(2), endsAt: minutes(1) }],
  ])('refuses a wrong %s', async (field, wrong) => {
    await expect(add(wrong)).rejects.toMatchObject({ extensions: { problems: [{ path: [field], code: 'INVALID' }] } });
    expect(await allAds(db)).toEqual([]);
  });
});

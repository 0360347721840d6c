import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import type { RepositoryEvent } from '../../../src/hosting/webhooks/hook-event.ts';
import { recordHookEvent } from '../../../src/hosting/webhooks/record-hook-event.ts';
import { testGateway } from '../../harness/gateway.ts';
import { appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { until } from '../../jobs/job-harness.ts';
import { type Behaviour, openReceiver, payloadOf, type Received } from './receiver.ts';

const gateway = await testGateway({
  data: 'demo',
  workers: true,
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10' },
});
const demo = await demoOf(gateway);
let behave: Behaviour | undefined;
const receiver = await openReceiver((request, response, nth) => {
  if (behave) behave(request, response, nth);
  else response.end('ok');
});
afterAll(() => receiver.close());
const db = gateway.database.sql;
const { rows: found } = await sql<{ id: number }>`select r.id from repository r join account o on o.id = r.owner_id
  where o.login = 'harbor-lab' and r.name = 'compass'`.execute(db);
const repositoryId = found[0]?.id ?? 0;

const settled = (): Promise<unknown> =>
  until('every delivery is made', async () => {
    const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(db);
    return rows.length === 0;
  });
/** Recorded at once, so that a worker loads them together. */
const record = (...events: Partial<RepositoryEvent>[]): Promise<void> =>
  inTransaction(gateway.database, async inside => {
    for (const event of events)
      await recordHookEvent(inside, { event: 'star', action: 'created', repositoryId, at: new Date(), ...event });
  });
const asApp = async (method: string, path: string, body?: unknown) =>
  call(gateway, method, path, `Bearer ${await appJwt(gateway, demo)}`, body);
const deliveries = async () => (await asApp('GET', '/app/hook/deliveries?per_page=100')).json;

beforeEach(async () => {
  behave = undefined;
  await sql`update app set events = array['star', 'push'], webhook_url = ${`${receiver.url}/hooks`}, webhook_content_type = 'json',
    webhook_retries = false, webhook_disabled_at = null where id = ${demo.app.id}`.execute(db);
  await sql`update installation set suspended_at = null, repository_selection = 'all',
    permissions = '{"contents":"write","metadata":"read"}' where id = ${demo.app.installation_id}`.execute(db);
  await settled();
  await sql`delete from webhook_delivery`.execute(db);
  receiver.received.length = 0;
});

describe('concurrent deliveries', () => {
  test('are loaded, with their objects, by as many statements as one', async () => {
    const sent = async (count: number): Promise<Record<string, number>> => {
      const texts = await gateway.statements(async () => {
        await record(...Array.from({ length: count }, (_, nth) => ({ own: { nth } })));
        await settled();
      });
      const reads = texts.filter(text => !text.includes('insert into webhook_delivery'));
      const of = (part: string): number => reads.filter(text => text.includes(part)).length;
      return {
        deliveries: of('from webhook_delivery d left join app'),
        repositories: of('from repository r'),
        accounts: of('from account a where a.id = any'),
      };
    };
    await sent(1);
    const one = await sent(1);
    expect(one).toEqual({ deliveries: 1, repositories: 1, accounts: 1 });
    expect(await sent(20)).toEqual(one);
    expect(
      receiver.received
        .slice(2)
        .map(got => payloadOf(got).nth)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, nth) => nth));
    const bodies = receiver.received.map(got => JSON.stringify({ ...payloadOf(got), nth: undefined }));
    expect(new Set(bodies).size).toBe(1);
  });

  test('each contain what their own installation can see', async () => {
    // Another app, installed on other repositories of the same account before the delivery is sent.
    const other = await sql<{ id: number; installationId: number }>`
      with made as (insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, events, webhook_url,
          webhook_content_type, created_at, updated_at)
        select id, 'other', 'Other', 'Iv.other', '', 'https://example.org', array['star'], ${`${receiver.url}/other`}, 'json', now(), now()
        from account where login = 'harbor-lab' returning id, owner_id),
      installed as (insert into installation (app_id, account_id, repository_selection, created_at, updated_at)
        select id, owner_id, 'all', now(), now() from made returning id)
      select made.id, installed.id as "installationId" from made, installed`.execute(db);
    const { id, installationId } = other.rows[0] ?? { id: 0, installationId: 0 };
    await sql`update repository set is_private = true where id = ${repositoryId}`.execute(db);
    try {
      await record({});
      await settled();
      const told = receiver.received.map(got => [got.path, payloadOf(got).installation.id]).sort();
      expect(told).toEqual([
        ['/hooks', demo.app.installation_id],
        ['/other', installationId],
      ]);
      await inTransaction(gateway.database, async inside => {
        await recordHookEvent(inside, { event: 'star', action: 'created', repositoryId, at: new Date() });
        await sql`update installation set repository_selection = 'selected' where id = ${installationId}`.execute(
          inside,
        );
      });
      await settled();
      expect(receiver.received.slice(2).map(({ path }) => path)).toEqual(['/hooks']);
      const { rows } =
        await sql`select status, status_code from webhook_delivery where app_id = ${id} order by id`.execute(db);
      expect(rows).toEqual([
        { status: 'OK', status_code: 200 },
        { status: 'the app is not installed any more', status_code: 404 },
      ]);
    } finally {
      await sql`delete from app where id = ${id}`.execute(db);
      await sql`update repository set is_private = false where id = ${repositoryId}`.execute(db);
    }
  });

  test('that are postponed are sent later, once each, and say so', async () => {
    await sql`update app set webhook_retries = true where id = ${demo.app.id}`.execute(db);
    behave = (_, response, nth) =>
      nth === 1 ? response.writeHead(429, { 'retry-after': '1' }).end() : response.end('ok');
    await record({ own: { nth: 0 } });
    await until('it has too much', async () => (await deliveries())[0]?.status_code === 429);
    await record(...[1, 2, 3].map(nth => ({ own: { nth } })));
    await until('all have come', () => receiver.received.length === 5);
    await settled();
    const made = (await deliveries()) as { redelivery: boolean; throttled_at: string | null; status_code: number }[];
    const held = made.filter(({ redelivery, status_code }) => !redelivery && status_code === 200);
    expect(held.map(one => one.throttled_at !== null)).toEqual([true, true, true]);
    expect(receiver.received.map(got => payloadOf(got).nth).sort()).toEqual([0, 0, 1, 2, 3]);
  }, 30_000);
});

test('a payload of 25 MB is sent; one byte more is only recorded', async () => {
  const largest = 25 * 1024 * 1024;
  await record({ own: { text: '' } });
  await settled();
  const rest = largest - (receiver.received[0]?.body.length ?? 0);
  await record({ own: { text: 'x'.repeat(rest) } });
  await settled();
  expect(receiver.received.map(({ body }) => body.length)).toEqual([largest - rest, largest]);
  await record({ own: { text: 'x'.repeat(rest + 1) } });
  await settled();
  expect(receiver.received).toHaveLength(2);
  const [refused, sent] = await deliveries();
  expect([sent.status, sent.status_code]).toEqual(['OK', 200]);
  expect([refused.status, refused.status_code]).toEqual(['the payload is larger than 25 MB', 413]);
  const { json } = await asApp('GET', `/app/hook/deliveries/${refused.id}`);
  expect([json.request, json.response]).toEqual([
    { headers: null, payload: null },
    { headers: null, payload: null },
  ]);
}, 60_000);

test('a new secret applies to the next delivery', async () => {
  for (const secret of ['first', 'second', 'whsec_c2Vjb25k', 'first']) {
    await asApp('PATCH', '/app/hook/config', { secret });
    receiver.received.length = 0;
    await record({});
    await settled();
    const { headers, body } = receiver.received[0] as Received;
    expect(headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  }
});

test('times in payloads have second precision', async () => {
  gateway.clock.now = new Date('2026-11-01T12:00:07.250Z');
  const id = await globalIdOf(gateway, 'harbor-lab/compass');
  for (const mutation of ['removeStar', 'addStar']) {
    const query = `mutation { ${mutation}(input: { starrableId: "${id}" }) { starrable { id } } }`;
    await graphql(gateway, query, demo.users.wren.classic_token);
  }
  await asApp('PATCH', '/app/hook/config', { url: `${receiver.url}/elsewhere` });
  await settled();
  const [starred] = receiver.of('star', 'created').map(payloadOf);
  const [ping] = receiver.of('ping').map(payloadOf);
  expect(starred.starred_at).toBe('2026-11-01T12:00:07Z');
  expect(ping.hook).toMatchObject({
    updated_at: '2026-11-01T12:00:07Z',
    created_at: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/),
  });
});

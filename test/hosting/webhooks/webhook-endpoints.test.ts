import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { deleteOldDeliveries } from '../../../src/hosting/webhooks/webhooks.tasks.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { appJwt, call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo' });
const demo = await demoOf(gateway);
const db = gateway.database.sql;
const asApp = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${await appJwt(gateway, demo)}`, body);

/** Inserts sent deliveries of an app with the given ids; every third one failed. */
async function insert(appId: number, ids: readonly number[], at = '2026-11-01T11:00:00Z'): Promise<void> {
  await sql`insert into webhook_delivery (id, app_id, guid, event, action, installation_id, repository_id, payload, created_at,
      delivered_at, duration, status, status_code, url, request_headers, response_headers, response_payload)
    select id, ${appId}, ('00000000-0000-4000-8000-' || lpad(id::text, 12, '0'))::uuid, 'star', 'created', 5, 6,
      '{"b":1,"a":{"c":null}}', ${at}::timestamptz, ${at}::timestamptz, 0.27, case when id % 3 = 0 then 'timed out' else 'OK' end,
      case when id % 3 = 0 then 504 else 200 end, 'https://receiver.example.org/', '{"Accept":"*/*"}', '{"server":"x"}', 'thanks'
    from unnest(${[...ids]}::bigint[]) as id`.execute(db);
}
async function otherApp(): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url,
      created_at, updated_at)
    select id, 'other-' || gen_random_uuid(), 'Other', gen_random_uuid()::text, '\\x00', 'https://example.org', now(), now()
    from account where login = 'linh' returning id`.execute(db);
  return rows[0]?.id ?? 0;
}
const other = await otherApp();
await insert(other, [105, 999]);
await insert(
  Number(demo.app.id),
  Array.from({ length: 10 }, (_, at) => 101 + at).filter(id => id !== 105),
);
const ids = ({ json }: Answer): number[] => json.map(({ id }: { id: number }) => id);
const links = (answer: Answer): string | null => answer.headers.get('link')?.replaceAll(gateway.url, '') ?? null;

test('the configuration is set and merged', async () => {
  expect((await asApp('GET', '/app/hook/config')).json).toEqual({ content_type: 'form', insecure_ssl: '0' });
  const set = await asApp('PATCH', '/app/hook/config', {
    url: 'https://receiver.example.org/hooks?x=1',
    content_type: 'json',
    secret: 'quiet',
    insecure_ssl: '1',
  });
  const whole = {
    content_type: 'json',
    insecure_ssl: '1',
    secret: '********',
    url: 'https://receiver.example.org/hooks?x=1',
  };
  expect([set.status, set.json]).toEqual([200, whole]);
  for (const [sent, answered] of [
    [{}, {}],
    [{ insecure_ssl: 0 }, { insecure_ssl: '0' }],
    [{ insecure_ssl: true }, { insecure_ssl: '1' }],
    [{ insecure_ssl: false }, { insecure_ssl: '0' }],
    [{ insecure_ssl: 1, unknown: 2 }, { insecure_ssl: '1' }],
    [{ content_type: 'form' }, { content_type: 'form' }],
    [{ url: 'http://receiver.example.org:8080/' }, { url: 'http://receiver.example.org:8080/' }],
  ] as const) {
    const answer = await asApp('PATCH', '/app/hook/config', sent);
    Object.assign(whole, answered);
    expect([answer.status, answer.json]).toEqual([200, whole]);
  }
  const sealed = async (): Promise<unknown> =>
    (await sql`select webhook_secret_sealed from app where id = ${demo.app.id}`.execute(db)).rows;
  const before = await sealed();
  await asApp('PATCH', '/app/hook/config', { secret: '********' });
  expect(await sealed()).toEqual(before);
  expect(JSON.stringify(before)).not.toContain('quiet');
  const { secret: _, ...open } = whole;
  expect((await asApp('PATCH', '/app/hook/config', { secret: '' })).json).toEqual(open);
});

test.each([
  [{ url: '' }, 'url cannot be blank'],
  [{ url: ' ' }, 'url cannot be blank'],
  [{ url: 'ftp://example.org/' }, 'url must be an http or https address'],
  [{ url: 'example.org' }, 'url must be an http or https address'],
  [
    { url: 'http://localhost/' },
    "url is not supported because it isn't reachable over the public Internet (localhost)",
  ],
  [
    { url: 'http://2130706433/' },
    "url is not supported because it isn't reachable over the public Internet (127.0.0.1)",
  ],
  [{ url: 'https://[::1]/' }, "url is not supported because it isn't reachable over the public Internet ([::1])"],
  [{ url: 'https://a:b@example.org/' }, 'url must not hold a name or a password'],
  [{ url: `https://example.org/${'x'.repeat(3000)}` }, 'url is longer than 2048 characters'],
  [{ secret: 'x'.repeat(256) }, 'secret is longer than 255 characters'],
])('an invalid configuration: %#', async (settings, message) => {
  const answer = await asApp('PATCH', '/app/hook/config', settings);
  expect([answer.status, answer.json.message, answer.json.errors]).toEqual([
    422,
    'Validation Failed',
    [{ resource: 'Hook', code: 'custom', message }],
  ]);
});

test.each([
  [{ content_type: 'xml' }, 'Invalid request.\n\nxml is not a member of ["json", "form"].'],
  [{ url: 5 }, "Invalid request.\n\nFor 'properties/url', 5 is not a string."],
  [{ insecure_ssl: '2' }, 'Invalid request.\n\nFor \'properties/insecure_ssl\', it must be "0" or "1".'],
])('a malformed configuration: %#', async (settings, message) => {
  const answer = await asApp('PATCH', '/app/hook/config', settings);
  expect([answer.status, answer.json.message]).toEqual([422, message]);
});

test('only the app itself has access', async () => {
  const made = await asApp('POST', `/app/installations/${demo.app.installation_id}/access_tokens`);
  const { classic_token, fine_grained_token } = demo.users.wren;
  for (const token of [classic_token, fine_grained_token, made.json.token, demo.tokens.user_to_server]) {
    for (const [method, path] of [
      ['GET', '/app/hook/config'],
      ['PATCH', '/app/hook/config'],
      ['GET', '/app/hook/deliveries'],
      ['GET', '/app/hook/deliveries/101'],
      ['POST', '/app/hook/deliveries/101/attempts'],
    ] as const) {
      const answer = await call(gateway, method, path, `Bearer ${token}`, method === 'GET' ? undefined : {});
      expect([answer.status, answer.json.message]).toEqual([401, 'A JSON web token could not be decoded']);
    }
  }
});

test('cursor pages, in the order of the caller', async () => {
  const all = await asApp('GET', '/app/hook/deliveries');
  expect(ids(all)).toEqual([110, 109, 108, 107, 106, 104, 103, 102, 101]);
  expect(links(all)).toBeNull();
  expect(all.json[0]).toEqual({
    id: 110,
    guid: '00000000-0000-4000-8000-000000000110',
    delivered_at: '2026-11-01T11:00:00Z',
    redelivery: false,
    duration: 0.27,
    status: 'OK',
    status_code: 200,
    event: 'star',
    action: 'created',
    installation_id: 5,
    repository_id: 6,
    throttled_at: null,
  });
  const at = (query: string) => asApp('GET', `/app/hook/deliveries?${query}`);
  const first = await at('per_page=4');
  expect([ids(first), links(first)]).toEqual([
    [110, 109, 108, 107],
    '</app/hook/deliveries?per_page=4&cursor=v1_106>; rel="next"',
  ]);
  const second = await at('cursor=v1_106&per_page=4');
  expect([ids(second), links(second)]).toEqual([
    [106, 104, 103, 102],
    '</app/hook/deliveries?cursor=v1_101&per_page=4>; rel="next", </app/hook/deliveries?cursor=v1_110&per_page=4>; rel="prev"',
  ]);
  const last = await at('cursor=v1_101&per_page=4');
  expect([ids(last), links(last)]).toEqual([[101], '</app/hook/deliveries?cursor=v1_106&per_page=4>; rel="prev"']);
  const failed = await at('status=failure&per_page=2');
  expect([ids(failed), links(failed)]).toEqual([[108, 102], null]);
  expect(ids(await at('status=success'))).toEqual([110, 109, 107, 106, 104, 103, 101]);
});

test('invalid cursors, and those of other apps', async () => {
  for (const cursor of ['106', 'v1_', 'v2_106', 'v1_x', 'v1_-1', 'v1_1e3', `v1_${'9'.repeat(30)}`, 'null']) {
    const answer = await asApp('GET', `/app/hook/deliveries?cursor=${cursor}`);
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        message: 'Invalid cursor',
        documentation_url: `${gateway.url}/docs/rest/apps/webhooks#list-deliveries-for-an-app-webhook`,
        status: '400',
      },
    ]);
  }
  // Shows and reveals nothing of the other app.
  expect(ids(await asApp('GET', '/app/hook/deliveries?cursor=v1_105&per_page=2'))).toEqual([104, 103]);
  expect(ids(await asApp('GET', '/app/hook/deliveries?cursor=v1_999&per_page=1'))).toEqual([110]);
  const bad = await asApp('GET', '/app/hook/deliveries?status=odd');
  expect([bad.status, bad.json.message]).toEqual([
    422,
    'Invalid request.\n\nodd is not a member of ["success", "failure"].',
  ]);
});

test('one delivery in full', async () => {
  const answer = await asApp('GET', '/app/hook/deliveries/101');
  expect(answer.json).toMatchObject({
    id: 101,
    url: 'https://receiver.example.org/',
    request: { headers: { Accept: '*/*' }, payload: { b: 1, a: { c: null } } },
    response: { headers: { server: 'x' }, payload: 'thanks' },
  });
  for (const id of ['105', '12345', '0', '-1']) {
    const missing = await asApp('GET', `/app/hook/deliveries/${id}`);
    expect([id, missing.status, missing.json.message]).toEqual([id, 404, 'Not Found']);
  }
});

test('a delivery is redelivered, within three days', async () => {
  const again = await asApp('POST', '/app/hook/deliveries/101/attempts');
  expect([again.status, again.text]).toEqual([202, '{}']);
  const { rows } = await sql<{ guid: string; redelivery: boolean; payload: string; delivered_at: null }>`
    select guid, redelivery, payload, delivered_at from webhook_delivery where id not in (select * from generate_series(101, 110)) and app_id = ${demo.app.id}
      and event = 'star'`.execute(db);
  expect(rows).toEqual([
    {
      guid: '00000000-0000-4000-8000-000000000101',
      redelivery: true,
      payload: '{"b":1,"a":{"c":null}}',
      delivered_at: null,
    },
  ]);
  // A pending delivery is not listed.
  expect(ids(await asApp('GET', '/app/hook/deliveries?per_page=1'))).toEqual([110]);
  expect((await asApp('POST', '/app/hook/deliveries/105/attempts')).status).toBe(404);
  await insert(Number(demo.app.id), [90], '2026-10-29T11:59:59Z');
  const late = await asApp('POST', '/app/hook/deliveries/90/attempts');
  expect([late.status, late.json.message]).toEqual([
    422,
    'Deliveries that are older than 3 days cannot be redelivered.',
  ]);
  await sql`delete from webhook_delivery where id = 90 or delivered_at is null`.execute(db);
});

test('the same in the graph, for those who manage the app', async () => {
  const wren = demo.users.wren.classic_token;
  const app = encodeGlobalId('App', Number(demo.app.id));
  const idOf = (id: number): string => encodeGlobalId('WebhookDelivery', id);
  const query = `query ($app: ID!) { node(id: $app) { ... on App { webhook { contentType isTlsVerified isRetried disabledAt
    deliveries(first: 2, outcome: FAILURE) { nodes { databaseId statusCode } pageInfo { hasNextPage hasPreviousPage } }
    delivery(id: "${idOf(101)}") { event request { payload } } } } } }`;
  const answer = await graphql(gateway, query, wren, { app });
  expect(answer.data.node.webhook).toMatchObject({
    isRetried: false,
    disabledAt: null,
    deliveries: {
      nodes: [
        { databaseId: 108, statusCode: 504 },
        { databaseId: 102, statusCode: 504 },
      ],
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    },
    delivery: { event: 'star', request: { payload: { b: 1, a: { c: null } } } },
  });
  const again = `mutation ($id: ID!) { redeliverAppDelivery(input: { deliveryId: $id }) { delivery { databaseId } } }`;
  expect((await graphql(gateway, again, wren, { id: idOf(102) })).data).toEqual({
    redeliverAppDelivery: { delivery: { databaseId: 102 } },
  });
  for (const [token, id] of [
    [demo.users.linh.classic_token, 102],
    [wren, 105],
  ] as const) {
    const refused = await graphql(gateway, again, token, { id: idOf(id) });
    expect(refused.errors[0].extensions.code).toBe('NOT_FOUND');
  }
  expect((await graphql(gateway, query, demo.users.linh.classic_token, { app })).data).toEqual({ node: null });
});

test('deliveries older than 30 days are deleted', async () => {
  const old = Array.from({ length: 1_500 }, (_, at) => 2_000 + at);
  await insert(Number(demo.app.id), old, '2026-10-02T11:59:59Z');
  await insert(Number(demo.app.id), [4_000], '2026-10-02T12:00:00Z');
  const gone = await deleteOldDeliveries(work => inTransaction(gateway.database, work), gateway.clock.now);
  expect(gone).toBe(1_500);
  expect((await asApp('GET', '/app/hook/deliveries/4000')).status).toBe(200);
});

test.each(['abc', '1.5', '99999999999999999999'])('the malformed delivery_id %s is 400', async id => {
  for (const [method, path] of [
    ['GET', `/app/hook/deliveries/${id}`],
    ['POST', `/app/hook/deliveries/${id}/attempts`],
  ] as const) {
    const { status, json } = await asApp(method, path);
    expect([method, status, json.message]).toEqual([method, 400, 'The path parameter delivery_id is not valid.']);
  }
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { refusalOf, subscribe } from '../../harness/subscription.ts';
import { until } from '../../jobs/job-harness.ts';
import { openReceiver } from './receiver.ts';

const gateway = await testGateway({
  data: 'demo',
  workers: true,
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10' },
});
const beside = await testGateway({ beside: gateway });
const demo = await demoOf(gateway);
const { wren, linh } = demo.users;
const db = gateway.database.sql;
const receiver = await openReceiver();
afterAll(() => receiver.close());

beforeAll(async () => {
  await sql`update app set events = array['push'], webhook_url = ${`${receiver.url}/hooks`}, webhook_insecure_ssl = false,
    webhook_retries = false, webhook_disabled_at = null where id = ${demo.app.id}`.execute(db);
  await sql`update installation set suspended_at = null, repository_selection = 'all',
    permissions = '{"contents":"write","metadata":"read"}' where id = ${demo.app.installation_id}`.execute(db);
});

const document = `subscription($id: ID!) { webhookDeliveryAdded(appId: $id) {
  id event status statusCode deliveredAt isRedelivery repository { name } request { payload } response { payload } } }`;

interface Added {
  webhookDeliveryAdded: {
    id: string;
    event: string;
    status: string;
    statusCode: number;
    repository: { name: string };
    request: { payload: { ref: string; after: string } };
    response: { payload: string };
  };
}

const appId = encodeGlobalId('App', Number(demo.app.id));
const listen = (access: string, id = appId) => subscribe<Added>(beside, access, document, { id });

let files = 0;
/** Pushes a commit, which is one delivery. Returns its id. */
async function push(): Promise<string> {
  const answer = await call(
    gateway,
    'PUT',
    `/repos/harbor-lab/compass/contents/live/${++files}.txt`,
    `Bearer ${wren.classic_token}`,
    { message: `File ${files}`, content: Buffer.from(`file ${files}`).toString('base64') },
  );
  expect(answer.status).toBe(201);
  return answer.json.commit.sha;
}

/** Pushes until an event arrives: a delivery before the subscription starts is not announced. Returns the pushed commits. */
async function pushUntil(first: Promise<unknown>): Promise<string[]> {
  let arrived = false;
  const mark = (): void => {
    arrived = true;
  };
  first.then(mark, mark);
  const pushed: string[] = [];
  while (!arrived) {
    pushed.push(await push());
    await until('the delivery is made', async () => {
      const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(db);
      return rows.length === 0;
    });
  }
  return pushed;
}

test('an attempted delivery arrives once, on a gateway that did not send it', async () => {
  const events = listen(wren.classic_token);
  const first = events.next();
  const pushed = await pushUntil(first);
  const seen = (await first).value.data.webhookDeliveryAdded;
  expect(seen).toMatchObject({
    event: 'push',
    status: 'OK',
    statusCode: 200,
    isRedelivery: false,
    repository: { name: 'compass' },
    response: { payload: 'ok' },
  });
  expect(pushed).toContain(seen.request.payload.after);
  for (let at = 0; at < 3; at++) pushed.push(await push());
  const expected = pushed.slice(pushed.indexOf(seen.request.payload.after) + 1);
  const ids = new Set([seen.id]);
  const later: string[] = [];
  for (const _ of expected) {
    const { value } = await events.next();
    expect(value.errors).toBeUndefined();
    later.push(value.data.webhookDeliveryAdded.request.payload.after);
    ids.add(value.data.webhookDeliveryAdded.id);
  }
  expect(later.toSorted()).toEqual(expected.toSorted());
  expect(ids.size).toBe(expected.length + 1);
  await events.return?.();
});

test.each([
  ['to the app of others', () => linh.classic_token, appId, 'NOT_FOUND'],
  ['to an absent app', () => wren.classic_token, encodeGlobalId('App', 987654321), 'NOT_FOUND'],
  ['with an id of another type', () => wren.classic_token, encodeGlobalId('User', 1), 'BAD_USER_INPUT'],
])('a subscription %s does not start', async (_, access, id, code) => {
  expect(await refusalOf(listen(access(), id))).toContain(code);
});

test('a batch of attempts is recorded and announced by one statement', async () => {
  await push();
  const sent = await gateway.sent(async () => {
    await pushUntil(Promise.resolve());
  });
  const announcing = sent.filter(({ values }) => JSON.stringify(values).includes('portico_deliveries'));
  expect(announcing.length).toBeGreaterThan(0);
  for (const { text } of announcing) expect(text).toContain('update webhook_delivery d set delivered_at');
});

test.each([
  ['the app has another owner', 'owner'],
  ['the credential is revoked', 'credential'],
])('a subscription ends when %s', async (_, withdrawn) => {
  const events = listen(wren.classic_token);
  const first = events.next();
  await pushUntil(first);
  const [{ owner } = {}] = await gateway.database.read<{ owner: number }>(
    sql`select owner_id as owner from app where id = ${demo.app.id}`,
  );
  if (withdrawn === 'owner')
    await sql`update app set owner_id = (select id from account where login = 'linh') where id = ${demo.app.id}`.execute(
      db,
    );
  else
    await sql`update host_credential set revoked_at = now() where last_eight = ${wren.classic_token.slice(-8)}`.execute(
      db,
    );
  await sql`select pg_notify('portico_deliveries', ${String(demo.app.id)})`.execute(db);
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect(last.done).toBe(true);
  await sql`update app set owner_id = ${owner} where id = ${demo.app.id}`.execute(db);
});

import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { deviceName } from '../../../src/auth/device-name.ts';
import { createAccounts, signIn, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { graphRequests } from '../groups/graph-requests.ts';

const gateway = await testGateway({ data: 'empty' });
const { ask, change } = graphRequests(gateway);
const sessionsOf = async (access: string) => (await send(gateway, 'GET', '/auth/me/sessions/', undefined, access)).json;
const end = (id: string, access?: string) => send(gateway, 'DELETE', `/auth/me/sessions/${id}/`, undefined, access);
const one = async (): Promise<TestAccount> => (await createAccounts(gateway, 1))[0] as TestAccount;

test('a session has the name of its device, its times, and says whether it is the current one', async () => {
  const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const opened = await gateway.request('/api/v1/auth/guest/', { method: 'POST', headers: { 'user-agent': agent } });
  const { access } = opened.json;
  const at = gateway.clock.now.toISOString().replace('Z', '000Z');
  expect(await sessionsOf(access)).toMatchObject({
    count: 1,
    results: [{ device: 'Firefox on Windows', created_at: at, last_used_at: at, is_current: true }],
  });
  const exported = await send(gateway, 'GET', '/auth/me/export/', undefined, access);
  expect(exported.json.sessions).toMatchObject([{ device: 'Firefox on Windows' }]);
  expect(exported.text).not.toContain('143');
});

test('a session is ended from another one, at once and once', async () => {
  const me = await one();
  const lost = await signIn(gateway, me.id);
  const { results } = await sessionsOf(me.access);
  const [{ id }] = results.filter((session: { is_current: boolean }) => !session.is_current);
  expect(results).toHaveLength(2);
  expect((await end(id, me.access)).status).toBe(204);
  expect((await send(gateway, 'GET', '/auth/me/', undefined, lost.access)).status).toBe(401);
  expect((await send(gateway, 'POST', '/auth/token/refresh/', { refresh: lost.refresh })).status).toBe(401);
  expect((await end(id, me.access)).status).toBe(404);
  expect((await sessionsOf(me.access)).count).toBe(1);
  const { json } = await send(gateway, 'GET', '/auth/me/export/', undefined, me.access);
  expect(json.events.map((event: { kind: string }) => event.kind)).toEqual(['logged_out']);
});

test('of two requests at once one ends a session', async () => {
  const me = await one();
  await signIn(gateway, me.id);
  const { results } = await sessionsOf(me.access);
  const [{ id }] = results.filter((session: { is_current: boolean }) => !session.is_current);
  const answers = await Promise.all([end(id, me.access), end(id, me.access)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
});

test('the graph lists and ends them, and one may end itself', async () => {
  const me = await one();
  const listed = await ask(me, '{ healthViewer { sessions(first: 5) { totalCount nodes { id device isCurrent } } } }');
  const [{ id }] = listed.data.healthViewer.sessions.nodes;
  const node = await ask(me, 'query ($id: ID!) { node(id: $id) { ... on HealthSession { isCurrent } } }', { id });
  expect(node.data.node).toEqual({ isCurrent: true });
  expect((await change(me, 'endHealthSession', { sessionId: id }, 'deletedId')).payload).toEqual({ deletedId: id });
  expect((await send(gateway, 'GET', '/auth/me/', undefined, me.access)).status).toBe(401);
});

describe('sessions of others', () => {
  test('are neither listed, found nor ended', async () => {
    const [me, other] = [await one(), await one()];
    const [{ id }] = (await sessionsOf(me.access)).results;
    expect((await sessionsOf(other.access)).results.map((session: { id: string }) => session.id)).not.toContain(id);
    expect((await end(id, other.access)).status).toBe(404);
    expect((await end(id)).status).toBe(401);
    const sessionId = encodeGlobalId('HealthSession', id);
    const node = await ask(other, 'query ($id: ID!) { node(id: $id) { id } }', { id: sessionId });
    expect(node.data.node).toBeNull();
    expect((await change(other, 'endHealthSession', { sessionId }, 'deletedId')).refused).toBe('NOT_FOUND');
    expect((await sessionsOf(me.access)).count).toBe(1);
  });
});

test('sessions that can no longer be renewed are not listed', async () => {
  const me = await one();
  await signIn(gateway, me.id);
  const before = gateway.clock.now;
  gateway.clock.now = new Date(before.getTime() + 15 * 24 * 3_600_000);
  try {
    const { count, results } = await sessionsOf(me.access);
    expect([count, results[0].is_current]).toEqual([1, true]);
  } finally {
    gateway.clock.now = before;
  }
});

test.each([
  [undefined, ''],
  ['', ''],
  ['curl/8.9.1', 'curl'],
  ['okhttp/4.12.0', 'okhttp'],
  ['Portico/3 CFNetwork/1494 Darwin/23.4.0', 'Portico'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
  ['<script>alert(1)</script>', ''],
  ['x'.repeat(10_000), 'x'.repeat(40)],
])('the device of %j is %j', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});

import { expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty', settings: { RATE_LIMIT_FACTOR: 'on' } });

test('a user may send sixty messages a minute', async () => {
  const [ada] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
  const { id } = (await send(gateway, 'POST', '/chat/groups/', { name: 'Fast' }, ada.access)).json;
  const write = () => send(gateway, 'POST', `/chat/groups/${id}/messages/`, { content: 'x' }, ada.access);
  for (let at = 0; at < 60; at++) expect((await write()).status).toBe(201);
  const refused = await write();
  expect({ status: refused.status, json: refused.json, after: refused.headers.get('retry-after') }).toEqual({
    status: 429,
    json: { detail: 'Request was throttled. Expected available in 60 seconds.', code: 'throttled' },
    after: '60',
  });
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  expect((await write()).status).toBe(201);
});

test('a user may send thirty connection requests a day', async () => {
  const [ada, ...others] = (await createVisibleAccounts(gateway, 32)) as [TestAccount, ...TestAccount[]];
  const ask = (to: number) => send(gateway, 'POST', '/community/peers/connect/', { receiver_id: to }, ada.access);
  expect((await ask(987_654_321)).status).toBe(404);
  for (const other of others.slice(0, 29)) expect((await ask(other.id)).status).toBe(201);
  const refused = await ask(others[30]?.id ?? 0);
  expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({
    status: 429,
    after: '86400',
  });
  // Invalid input is refused without spending the budget.
  expect((await ask(ada.id)).status).toBe(400);
});

test('requests to connect are counted one by one, also with other names in one document', async () => {
  const [ada, ...others] = (await createVisibleAccounts(gateway, 33)) as [TestAccount, ...TestAccount[]];
  const fields = others.map(
    (other, at) =>
      `r${at}: requestPeer(input: { personId: "${encodeGlobalId('Person', other.id)}" }) { peerLink { status } }`,
  );
  const statuses: unknown[] = [];
  for (const half of [fields.slice(0, 16), fields.slice(16)]) {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.access}` },
      body: JSON.stringify({ query: `mutation { ${half.join(' ')} }` }),
    });
    statuses.push(...Object.values(json.data).map(one => (one === null ? null : 'asked')));
  }
  expect(statuses).toEqual([...Array(30).fill('asked'), null, null]);
});

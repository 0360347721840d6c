import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { notBlockedBetween } from '../../../src/health/community/blocks.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });

const get = async (who: TestAccount, path: string) => (await send(gateway, 'GET', path, undefined, who.access)).json;
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const block = (who: TestAccount, userId: number) =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
    body: JSON.stringify({
      query: 'mutation ($id: ID!) { blockPeer(input: { personId: $id }) { peerLink { status peer { personId } } } }',
      variables: { id: encodeGlobalId('Person', userId) },
    }),
  });

/** Two users who share everything two users can share, and a third who sees the same. */
async function world() {
  const [ada, ben, eve] = (await createVisibleAccounts(gateway, [
    { first_name: 'Ada', conditions: ['gout'] },
    { first_name: 'Ben', conditions: ['gout'] },
    { first_name: 'Eve', conditions: ['gout'] },
  ])) as [TestAccount, TestAccount, TestAccount];
  const connection = await connect(gateway, ada, ben);
  await post(ada, '/chat/messages/', { receiver_id: ben.id, content: 'private-ada' });
  const community = (await post(ben, '/community/groups/', { name: `Gout ${ada.id}` })).json.id as number;
  const group = (await post(eve, '/chat/groups/', { name: 'Talk' })).json.id as string;
  for (const who of [ada, ben, eve]) {
    await post(who, `/community/groups/${community}/join/`);
    await post(who, `/chat/groups/${group}/join/`);
  }
  await post(ada, '/chat/messages/', { group_id: group, content: 'group-ada' });
  await post(ben, '/chat/messages/', { group_id: group, content: 'group-ben' });
  const chat = (await get(ada, '/chat/private/'))[0].id as string;
  return { ada, ben, eve, connection, community, group, chat };
}

/** Everything that one of the two can read, as one text. */
async function everything(
  who: TestAccount,
  { community, group }: { community: number; group: string },
): Promise<string> {
  const paths = [
    '/community/groups/',
    `/community/groups/${community}/`,
    '/community/peers/connections/',
    '/community/peers/connections/?status=pending',
    '/community/peers/connections/?status=declined',
    '/community/peers/requests/',
    '/community/peers/suggested/',
    '/chat/users/',
    '/chat/private/',
    '/chat/groups/',
    '/chat/groups/discover/',
    `/chat/groups/${group}/`,
    `/chat/groups/${group}/messages/?search=group`,
  ];
  return JSON.stringify(await Promise.all(paths.map(path => get(who, path))));
}

test('a block hides the two users from each other everywhere, and from nobody else', async () => {
  const all = await world();
  const { ada, ben, eve, connection, chat, group } = all;
  expect(await everything(ada, all)).toContain(ben.name);
  expect(await everything(ben, all)).toContain('group-ada');
  await send(gateway, 'PATCH', `/community/peers/${connection}/`, { status: 'blocked' }, ada.access);

  for (const [who, other] of [
    [ada, ben],
    [ben, ada],
  ] as const) {
    const seen = await everything(who, all);
    expect(seen).not.toContain(other.name);
    expect(seen).not.toContain(`group-${other.name.split(' ')[0]?.toLowerCase()}`);
    expect(seen).not.toContain(`"id":${other.id},"full_name"`);
    const { results } = await get(who, `/chat/groups/${group}/messages/`);
    expect(results.find((one: { is_mine: boolean }) => !one.is_mine)).toMatchObject({
      sender_id: 0,
      sender_name: 'Blocked user',
      sender: { id: 0, full_name: 'Blocked user', profile_picture: null },
      content: '',
      is_deleted: false,
    });
    expect((await send(gateway, 'GET', `/chat/private/${chat}/messages/`, undefined, who.access)).status).toBe(404);
    expect((await send(gateway, 'GET', `/chat/direct/${other.id}/messages/`, undefined, who.access)).status).toBe(404);
    for (const [path, body] of [
      ['/chat/messages/', { receiver_id: other.id, content: 'x' }],
      ['/chat/messages/', { chat_id: chat, content: 'x' }],
      ['/chat/private/', { user_id: other.id }],
    ] as const) {
      // The same as for a user with whom there was never a connection.
      expect(await post(who, path, body)).toMatchObject({ status: 403, json: { code: 'not_connected' } });
    }
    expect(await post(who, '/community/peers/connect/', { receiver_id: other.id })).toMatchObject({ status: 404 });
    expect(await post(who, '/chat/groups/', { name: 'x', participant_ids: [other.id] })).toMatchObject({
      status: 400,
      json: { participant_ids: [`Invalid pk "${other.id}" - object does not exist.`] },
    });
  }
  const third = await everything(eve, all);
  for (const text of ['Ada N', 'Ben N', 'group-ada', 'group-ben']) expect(third).toContain(text);
});

test('a block hides comments and excludes them from the count', async () => {
  const { ada, ben, eve, connection } = await world();
  const article = await sql<{
    id: number;
  }>`insert into article (headline, source, body_markdown, body, read_time_minutes,
      published_at, updated_at) values ('Gout', 'other', 'x', 'x', 1, '2026-01-01', '2026-01-01') returning id`.execute(
    gateway.database.sql,
  );
  const path = `/articles/${article.rows[0]?.id}/comments/`;
  await post(ben, path, { text: 'words of ben' });
  await send(gateway, 'PATCH', `/community/peers/${connection}/`, { status: 'blocked' }, ada.access);
  expect(await get(ada, path)).toMatchObject({ count: 0, results: [] });
  expect(await get(eve, path)).toMatchObject({ count: 1, results: [{ text: 'words of ben' }] });
});

test('unblocking restores messages and does not reconnect', async () => {
  const all = await world();
  const { ada, ben, connection, chat } = all;
  const answer = (status: string) => send(gateway, 'PATCH', `/community/peers/${connection}/`, { status }, ada.access);
  await answer('blocked');
  expect((await answer('declined')).json.status).toBe('declined');
  expect((await get(ben, `/chat/private/${chat}/messages/`)).count).toBe(1);
  expect(await post(ben, '/chat/messages/', { chat_id: chat, content: 'x' })).toMatchObject({ status: 403 });
  expect(await everything(ben, all)).toContain('group-ada');
});

test('strangers can be blocked repeatedly; the caller, unknown users and the blocking user cannot', async () => {
  const [ada, ben, guest] = (await createVisibleAccounts(gateway, [{}, {}, { is_guest: true }])) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  for (const _ of [1, 2]) {
    expect((await block(ada, ben.id)).json.data.blockPeer).toEqual({
      peerLink: { status: 'BLOCKED', peer: { personId: encodeGlobalId('Person', ben.id) } },
    });
  }
  const codes = [];
  for (const id of [ada.id, 987_654_321, guest.id]) {
    codes.push((await block(ada, id)).json.errors[0].extensions.code);
  }
  expect(codes).toEqual(['BAD_USER_INPUT', 'NOT_FOUND', 'NOT_FOUND']);
  expect((await block(ben, ada.id)).json.errors[0].extensions.code).toBe('NOT_FOUND');
});

test('the block condition is one lookup in the pair index', async () => {
  const { ada, ben, eve, connection } = await world();
  const query = sql<{ id: number }>`select u.id from users u where u.id in (${ben.id}, ${eve.id})
    and ${notBlockedBetween(ada.id, 'u.id')} order by u.id`;
  expect(await gateway.database.read(query)).toEqual([{ id: ben.id }, { id: eve.id }]);
  await send(gateway, 'PATCH', `/community/peers/${connection}/`, { status: 'blocked' }, ben.access);
  expect(await gateway.database.read(query)).toEqual([{ id: eve.id }]);
  const plan = await sql<{ 'QUERY PLAN': string }>`explain (costs off) select 1 from users u
    where u.id = ${ben.id} and ${notBlockedBetween(ada.id, 'u.id')}`.execute(gateway.database.sql);
  expect(JSON.stringify(plan.rows)).toMatch(/peer_connection/);
});

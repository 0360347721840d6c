import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [ada, ben, cleo] = (await createVisibleAccounts(gateway, [
  { first_name: 'Ada', email: 'ada@example.org' },
  { first_name: 'Ben', email: 'ben@example.org' },
  { first_name: 'Cleo' },
])) as [TestAccount, TestAccount, TestAccount];
const connection = await connect(gateway, ada, ben);

const get = (who: TestAccount, path: string) => send(gateway, 'GET', path, undefined, who.access);
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const write = (who: TestAccount, body: object) => post(who, '/chat/messages/', body);

const chat = (await get(ada, '/chat/private/')).json[0].id as string;

const notConnected = { detail: 'You are not connected with this person.', code: 'not_connected' };
const notFound = { detail: 'Not found.', code: 'not_found' };

describe('private chats', () => {
  test('are created once, by either user', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await connect(gateway, dora, emil);
    await sql`delete from private_chat where low_id = ${dora.id}`.execute(gateway.database.sql);
    const answers = await Promise.all([
      post(dora, '/chat/private/', { user_id: emil.id }),
      post(emil, '/chat/private/', { receiver_id: dora.id }),
      post(dora, '/chat/private/', { user_id: emil.id }),
    ]);
    expect(answers.map(one => one.status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(one => one.json.id)).size).toBe(1);
  });

  test('return both users with masked e-mail addresses', async () => {
    await write(ada, { chat_id: chat, content: 'Hello' });
    const { json } = await post(ada, '/chat/private/', { user_id: ben.id });
    const person = (who: TestAccount) => ({
      id: who.id,
      full_name: who.name,
      email: `${who.email[0]}…@example.org`,
      profile_picture: null,
    });
    expect(json).toEqual({
      id: chat,
      participants: [person(ada), person(ben)],
      peer: person(ben),
      last_message: { content: expect.any(String), sender_name: expect.any(String), timestamp: expect.any(String) },
      unread_count: expect.any(Number),
      created_at: '2026-11-01T12:00:00.000000Z',
    });
  });

  test('require a connection', async () => {
    const begin = (id: unknown) => post(ada, '/chat/private/', { user_id: id });
    expect(await begin(ada.id)).toMatchObject({
      status: 400,
      json: { user_id: ['You cannot start a chat with yourself.'] },
    });
    expect(await begin(cleo.id)).toMatchObject({ status: 403, json: notConnected });
    expect(await begin(987_654_321)).toMatchObject({ status: 404, json: notFound });
    expect(await begin('x')).toMatchObject({ status: 400, json: { user_id: ['A valid integer is required.'] } });
    expect(await post(ada, '/chat/private/', {})).toMatchObject({
      status: 400,
      json: { user_id: ['This field is required.'] },
    });
  });

  test('are sorted by latest activity', async () => {
    const [me, ...others] = (await createVisibleAccounts(gateway, 4)) as [TestAccount, ...TestAccount[]];
    for (const other of others) await connect(gateway, me, other);
    const start = gateway.clock.now;
    for (const [at, index] of [1, 0, 2, 0].entries()) {
      gateway.clock.now = new Date(start.getTime() + (at + 1) * 1000);
      await write(others[index] as TestAccount, { receiver_id: me.id, content: 'hello' });
    }
    gateway.clock.now = start;
    const { json } = await get(me, '/chat/private/');
    const order = json.map((one: { peer: { id: number } }) => others.findIndex(other => other.id === one.peer.id));
    expect(order).toEqual([0, 2, 1]);
    const statements = await gateway.statements(() => get(me, '/chat/private/'));
    expect(statements.filter(text => text.includes('private_chat'))).toHaveLength(1);
  });

  test('become read-only after disconnecting', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    const id = await connect(gateway, dora, emil);
    await write(dora, { receiver_id: emil.id, content: 'good-bye' });
    const { id: place } = (await get(dora, '/chat/private/')).json[0];
    await send(gateway, 'PATCH', `/community/peers/${id}/`, { status: 'declined' }, emil.access);
    expect((await get(dora, `/chat/private/${place}/messages/`)).json.count).toBe(1);
    expect(await write(dora, { chat_id: place, content: 'x' })).toMatchObject({ status: 403, json: notConnected });
    expect(await write(dora, { receiver_id: emil.id, content: 'x' })).toMatchObject({
      status: 403,
      json: notConnected,
    });
    expect((await get(dora, `/chat/direct/${emil.id}/messages/`)).status).toBe(404);
  });
});

test('chat users are those with an accepted connection, by name', async () => {
  const [me, ...others] = (await createVisibleAccounts(gateway, [
    {},
    { first_name: 'Zoe', last_name: 'Quist', email: 'zoe.quist@example.org' },
    { first_name: 'adam', last_name: 'Quist' },
    { first_name: 'Mia', last_name: 'Other' },
  ])) as [TestAccount, ...TestAccount[]];
  const ids = [];
  for (const other of others) ids.push(await connect(gateway, me, other));
  await sql`update users set is_active = false, deleted_at = ${gateway.clock.now.toISOString()}
    where id = ${others[2]?.id}`.execute(gateway.database.sql);
  const { json } = await get(me, '/chat/users/');
  expect(json.map((one: { full_name: string }) => one.full_name)).toEqual(['adam Quist', 'Zoe Quist']);
  expect(json[1]).toEqual({
    id: others[0]?.id,
    full_name: 'Zoe Quist',
    email: 'z…@example.org',
    avatar: null,
    profile_picture: null,
    chat_id: expect.any(String),
    connection_id: ids[0],
  });
  expect((await get(me, '/chat/users/?search=ZOE')).json).toHaveLength(1);
  expect((await get(cleo, '/chat/users/')).json).toEqual([]);
  const statements = await gateway.statements(() => get(me, '/chat/users/'));
  expect(statements.filter(text => text.includes('peer_connection'))).toHaveLength(1);
  expect(connection).toEqual(expect.any(Number));
});

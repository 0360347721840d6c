import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [ada, ben, cleo] = (await createVisibleAccounts(gateway, [
  { first_name: 'Ada', email: 'ada@example.org' },
  { first_name: 'Ben', email: 'ben@example.org' },
  { first_name: 'Cleo' },
])) as [TestAccount, TestAccount, TestAccount];
await connect(gateway, ada, ben);

const get = (who: TestAccount, path: string) => send(gateway, 'GET', path, undefined, who.access);
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const write = (who: TestAccount, body: object) => post(who, '/chat/messages/', body);

const chat = (await get(ada, '/chat/private/')).json[0].id as string;
const group = (await post(ada, '/chat/groups/', { name: 'Walkers', participant_ids: [ben.id] })).json.id as string;

const notMember = { detail: 'You are not a member of this group.', code: 'not_member' };
const notConnected = { detail: 'You are not connected with this person.', code: 'not_connected' };
const notFound = { detail: 'Not found.', code: 'not_found' };

describe('sending', () => {
  test('returns the message', async () => {
    const { status, json } = await write(ada, { chat_id: chat, content: '  Good\r\nmorning \u0007' });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      sender_id: ada.id,
      sender_name: ada.name,
      sender: { id: ada.id, full_name: ada.name, profile_picture: null },
      content: 'Good\r\nmorning',
      timestamp: expect.stringMatching(/^2026-11-01T12:00:00/),
      is_deleted: false,
      is_mine: true,
    });
  });

  test('requires exactly one destination', async () => {
    const problem = { non_field_errors: ['Provide exactly one of chat_id, group_id or receiver_id.'] };
    for (const place of [
      {},
      { chat_id: null },
      { chat_id: chat, group_id: group },
      { chat_id: chat, receiver_id: ben.id },
      { chat_id: chat, group_id: group, receiver_id: ben.id },
    ]) {
      expect(await write(ada, { content: 'x', ...place })).toMatchObject({ status: 400, json: problem });
    }
  });

  test.each([
    [{}, { content: ['This field is required.'] }],
    [{ content: null }, { content: ['This field may not be null.'] }],
    [{ content: ' \n ' }, { content: ['This field may not be blank.'] }],
    [{ content: 'x'.repeat(4001) }, { content: ['Ensure this field has no more than 4000 characters.'] }],
    [{ content: 'x', chat_id: 'nonsense' }, { chat_id: ['Must be a valid UUID.'] }],
    [{ content: 'x', client_id: '1' }, { client_id: ['Must be a valid UUID.'] }],
    [{ content: 'x', receiver_id: 'Ben' }, { receiver_id: ['A valid integer is required.'] }],
  ])('refuses %j', async (body, problems) => {
    const { status, json } = await write(ada, { ...('chat_id' in body ? {} : { chat_id: chat }), ...body });
    expect({ status, json }).toEqual({ status: 400, json: problems });
  });

  test('reaches the same chat by id, by user under three field names, and by path', async () => {
    const ways: [string, object][] = [
      ['/chat/messages/', { chat_id: chat }],
      ['/chat/messages/', { receiver_id: ben.id }],
      ['/chat/messages/', { recipient_id: ben.id }],
      ['/chat/messages/', { user_id: String(ben.id) }],
      [`/chat/direct/${ben.id}/messages/`, {}],
      [`/chat/private/${chat}/messages/`, {}],
    ];
    const sent: string[] = [];
    for (const [path, place] of ways) {
      const { status, json } = await post(ada, path, { content: 'by any way', ...place });
      expect({ path, status }).toEqual({ path, status: 201 });
      sent.push(json.id);
    }
    const { json } = await get(ben, `/chat/private/${chat}/messages/?page_size=6`);
    expect(json.results.map((one: { id: string }) => one.id)).toEqual(sent.toReversed());
    expect((await post(ada, `/chat/groups/${group}/messages/`, { content: 'to all' })).status).toBe(201);
  });

  test('is refused without write access, with the reason', async () => {
    const unknown = randomUUID();
    const outcomes: [TestAccount, object, number, object][] = [
      [cleo, { chat_id: chat }, 403, { detail: 'You are not part of this chat.', code: 'not_participant' }],
      [cleo, { group_id: group }, 403, notMember],
      [cleo, { receiver_id: ada.id }, 403, notConnected],
      [ada, { chat_id: unknown }, 404, notFound],
      [ada, { group_id: unknown }, 404, notFound],
      [ada, { receiver_id: 987_654_321 }, 404, notFound],
      [ada, { receiver_id: ada.id }, 404, notFound],
    ];
    for (const [who, place, status, json] of outcomes) {
      expect(await write(who, { content: 'x', ...place })).toMatchObject({ status, json });
    }
  });

  test('is idempotent per client_id and user, also concurrently', async () => {
    const client = randomUUID();
    const body = { chat_id: chat, content: 'once', client_id: client };
    const answers = await Promise.all(Array.from({ length: 6 }, () => write(ada, body)));
    expect(new Set(answers.map(one => `${one.status} ${one.json.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    for (const other of [
      { ...body, content: 'other words' },
      { receiver_id: ben.id, content: 'other words', client_id: client },
      { group_id: group, content: 'once', client_id: client },
    ])
      expect(await write(ada, other)).toMatchObject({ status: 409, json: { code: 'client_id_used' } });
    expect((await write(ada, { receiver_id: ben.id, content: 'once', client_id: client })).json.id).toBe(
      answers[0]?.json.id,
    );
    expect((await write(ben, body)).json.id).not.toBe(answers[0]?.json.id);
    const { rows } = await sql<{ messages: number; told: number }>`
      select count(*)::int as messages, max(c.message_count) as told
      from chat_message m join private_chat c on c.id = m.chat_id where c.id = ${chat}`.execute(gateway.database.sql);
    expect(rows[0]?.told).toBe(rows[0]?.messages);
  });

  test('gives concurrent messages distinct timestamps', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => write(at % 2 ? ada : ben, { group_id: group, content: `${at}` })),
    );
    const { json } = await get(ada, `/chat/groups/${group}/messages/?page_size=100`);
    const times = json.results.map((one: { timestamp: string }) => one.timestamp);
    expect(new Set(times).size).toBe(times.length);
    expect(times.length).toBe(json.count);
  });
});

describe('reading', () => {
  test('pages through a chat, newest first or in another order', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await connect(gateway, dora, emil);
    for (let at = 0; at < 7; at++) await write(dora, { receiver_id: emil.id, content: `number ${at}` });
    const texts = async (query: string): Promise<string[]> => {
      const { status, json } = await get(emil, `/chat/direct/${dora.id}/messages/${query}`);
      expect({ query, status }).toEqual({ query, status: 200 });
      return json.results.map((one: { content: string }) => one.content.replace('number ', ''));
    };
    expect(await texts('?page_size=3')).toEqual(['6', '5', '4']);
    expect(await texts('?page_size=3&page=3')).toEqual(['0']);
    expect(await texts('?page_size=3&page=last')).toEqual(['0']);
    expect(await texts('?ordering=timestamp&page_size=2')).toEqual(['0', '1']);
    expect(await texts('?ordering=nonsense&page_size=1')).toEqual(['6']);
    expect(await texts('?search=number%203')).toEqual(['3']);
    expect(await texts('?search=nothing')).toEqual([]);
    expect((await get(emil, `/chat/direct/${dora.id}/messages/?page_size=3&page=4`)).json).toEqual({
      detail: 'Invalid page.',
      code: 'not_found',
    });
  });

  test('is empty without messages', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await connect(gateway, dora, emil);
    const empty = { count: 0, next: null, previous: null, results: [] };
    expect((await get(dora, `/chat/direct/${emil.id}/messages/`)).json).toEqual(empty);
    await sql`delete from private_chat where low_id = ${dora.id}`.execute(gateway.database.sql);
    expect(await get(dora, `/chat/direct/${emil.id}/messages/`)).toMatchObject({ status: 200, json: empty });
  });

  test('is 404 for other chats, and 403 for a group of others', async () => {
    for (const id of [cleo.id, ada.id, 987_654_321, 'x', '0', '1.5']) {
      expect({ id, ...(await get(ada, `/chat/direct/${id}/messages/`)) }).toMatchObject({ id, status: 404 });
    }
    for (const id of [randomUUID(), 'x', '0', chat.slice(1)]) {
      for (const path of [`/chat/private/${id}/messages/`, `/chat/groups/${id}/messages/`, `/chat/groups/${id}/`]) {
        expect({ path, ...(await get(ada, path)) }).toMatchObject({ path, status: 404, json: notFound });
      }
    }
    expect(await get(cleo, `/chat/private/${chat}/messages/`)).toMatchObject({ status: 404, json: notFound });
    for (const path of [`/chat/groups/${group}/messages/`, `/chat/groups/${group}/`]) {
      expect(await get(cleo, path)).toMatchObject({ status: 403, json: notMember });
    }
  });

  test('of the group itself responds like its messages', async () => {
    const [one, other] = [await get(ben, `/chat/groups/${group}/`), await get(ben, `/chat/groups/${group}/messages/`)];
    expect(one.json.results).toEqual(other.json.results);
    expect(one.json.count).toBe(other.json.count);
  });

  test('marks messages as read per reader', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await connect(gateway, dora, emil);
    for (const content of ['one', 'two', 'three']) await write(dora, { receiver_id: emil.id, content });
    const unread = async (who: TestAccount): Promise<number> => (await get(who, '/chat/private/')).json[0].unread_count;
    expect([await unread(dora), await unread(emil)]).toEqual([0, 3]);
    // Reading a page of old messages leaves newer ones unread.
    await get(emil, `/chat/direct/${dora.id}/messages/?page_size=2&page=2`);
    expect(await unread(emil)).toBe(2);
    await get(emil, `/chat/direct/${dora.id}/messages/`);
    expect(await unread(emil)).toBe(0);
    await get(emil, `/chat/direct/${dora.id}/messages/?page_size=2&page=2`);
    expect(await unread(emil)).toBe(0);
    await write(dora, { receiver_id: emil.id, content: 'four' });
    expect([await unread(dora), await unread(emil)]).toEqual([0, 1]);
  });

  test('takes three statements, and a fourth to count a search', async () => {
    const counted = async (path: string): Promise<number> => {
      const statements = await gateway.statements(() => get(ben, path));
      return statements.filter(text => /chat_/.test(text)).length;
    };
    await write(ada, { chat_id: chat, content: 'news' });
    // Access check, page, read position; without new messages the position is not written.
    expect(await counted(`/chat/private/${chat}/messages/`)).toBe(3);
    expect(await counted(`/chat/private/${chat}/messages/`)).toBe(2);
    expect(await counted(`/chat/private/${chat}/messages/?search=news`)).toBe(3);
  });
});

describe('deleting', () => {
  test('leaves a placeholder without text for all readers', async () => {
    const secret = `secret-${randomUUID()}`;
    const { id } = (await write(ada, { chat_id: chat, content: secret })).json;
    const path = `/chat/messages/${id}/`;
    expect((await send(gateway, 'DELETE', path, undefined, ben.access)).status).toBe(404);
    expect((await send(gateway, 'DELETE', path, undefined, ada.access)).status).toBe(204);
    expect((await send(gateway, 'DELETE', path, undefined, ada.access)).status).toBe(204);
    for (const who of [ada, ben]) {
      const { json } = await get(who, `/chat/private/${chat}/messages/?page_size=1`);
      expect(json.results[0]).toMatchObject({ id, content: '', is_deleted: true, sender_id: ada.id });
      expect((await get(who, `/chat/private/${chat}/messages/?search=${secret}`)).json.count).toBe(0);
      expect((await get(who, '/chat/private/')).json[0].last_message.content).toBe('');
    }
    const { rows } = await sql`select 1 from chat_message where content like ${`%${secret}%`}`.execute(
      gateway.database.sql,
    );
    expect(rows).toEqual([]);
    for (const unknown of [randomUUID(), 'x']) {
      expect((await send(gateway, 'DELETE', `/chat/messages/${unknown}/`, undefined, ada.access)).status).toBe(404);
    }
  });

  test('works in GraphQL', async () => {
    const { id } = (await write(ada, { chat_id: chat, content: 'by the graph' })).json;
    const ask = (access: string) =>
      gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({
          query: 'mutation ($id: ID!) { deleteChatMessage(input: { messageId: $id }) { message { text isDeleted } } }',
          variables: { id: encodeGlobalId('ChatMessage', id) },
        }),
      });
    expect((await ask(ben.access)).json.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await ask(ada.access)).json).toEqual({
      data: { deleteChatMessage: { message: { text: '', isDeleted: true } } },
    });
  });
});

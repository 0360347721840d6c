import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../harness/accounts.ts';
import { type Answer, type TestGateway, testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const beside = await testGateway({ beside: gateway });
/** `few` and `many` have 1 and 50 chats of each kind; `ada` and `ben` are connected; `eve` is in nothing. */
const [few, many, ada, ben, eve] = (await createVisibleAccounts(gateway, 5)) as [
  TestAccount,
  TestAccount,
  TestAccount,
  TestAccount,
  TestAccount,
];
await connect(gateway, ada, ben);

interface Errors {
  message: string;
  extensions: { code: string };
}
/** Each query has a shape of its own. */
type Data = Answer['json'];

async function ask(who: TestAccount, query: string, variables: object = {}, at = gateway) {
  const { json } = await at.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
    body: JSON.stringify({ query, variables }),
  });
  return json as { data: Data; errors?: Errors[] };
}

async function data(...of: Parameters<typeof ask>): Promise<Data> {
  const answer = await ask(...of);
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

const rest = (who: TestAccount, method: string, path: string, body?: object) =>
  send(gateway, method, path, body, who.access);
const privateId = (uuid: string) => encodeGlobalId('PrivateChat', uuid);
const groupId = (uuid: string) => encodeGlobalId('ChatGroup', uuid);

let chat: string;
let group: string;

/** Gives a person `count` connected peers with a private chat each, chat groups and community groups, all with messages. */
async function fill({ id: viewer }: TestAccount, count: number): Promise<void> {
  const now = sql`${gateway.clock.now.toISOString()}::timestamptz`;
  const mark = `${viewer}-`;
  const series = sql`generate_series(1, ${count}::int) n`;
  for (const statement of [
    sql`insert into users (email, first_name, last_name, is_verified, is_active, is_visible_in_community, date_of_birth, date_joined, last_seen_at)
      select ${mark} || n || '@example.org', 'Peer', n, true, true, true, date '1990-05-04', ${now}, ${now} from ${series}`,
    sql`insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
      select id, ${viewer}, 'accepted', ${now}, ${now} from users where email like ${`${mark}%`}`,
    sql`insert into private_chat (id, low_id, high_id, created_at, message_count, last_message_at)
      select gen_random_uuid(), ${viewer}, id, ${now}, 3, ${now} from users where email like ${`${mark}%`}`,
    sql`insert into private_chat_reader select id, unnest(array[low_id, high_id]), 'epoch' from private_chat where low_id = ${viewer}`,
    sql`insert into chat_message (id, chat_id, author_id, content, ordinal, sent_at)
      select gen_random_uuid(), id, high_id, 'Message ' || n, 3 - n, ${now} - n * interval '1 minute'
      from private_chat, generate_series(0, 2) n where low_id = ${viewer}`,
    sql`insert into community_group (name, slug, created_at, creator_id)
      select 'Circle ' || ${mark} || n, ${mark} || n, ${now}, ${viewer} from ${series}`,
    sql`insert into community_membership select g.id, unnest(array[${viewer}, ${ada.id}]::bigint[]), ${now}
      from community_group g where g.creator_id = ${viewer}`,
    sql`insert into chat_group (id, name, created_at, creator_id, community_id, participant_count, message_count, last_message_at)
      select gen_random_uuid(), name, ${now}, ${viewer}, id, 2, 3, ${now} + interval '1 hour' from community_group where creator_id = ${viewer}`,
    sql`insert into chat_membership select g.id, u.id, u.id = ${viewer}, ${now}, 'epoch' from chat_group g
      join users u on u.id in (${viewer}, ${ada.id}) where g.creator_id = ${viewer}`,
    sql`insert into chat_message (id, group_id, author_id, content, ordinal, sent_at)
      select gen_random_uuid(), id, ${ada.id}, 'Group message ' || n, 3 - n, ${now} - n * interval '1 minute'
      from chat_group, generate_series(0, 2) n where creator_id = ${viewer}`,
  ])
    await statement.execute(gateway.database.sql);
}

beforeAll(async () => {
  await fill(few, 1);
  await fill(many, 50);
  chat = (await rest(ada, 'GET', '/chat/private/')).json[0].id;
  group = (await rest(ada, 'POST', '/chat/groups/', { name: 'Ours', visibility: 'open', participant_ids: [ben.id] }))
    .json.id;
});

/** Every list of the area, each with lists and objects below it. */
const queries = {
  'unread chats with their newest message':
    '{ healthViewer { chats(unreadOnly: true, first: 100) { nodes { unreadCount messages(first: 1) { nodes { text } } } } } }',
  'chats with all below them': `{ healthViewer { chats(first: 100) { totalCount nodes { id createdAt lastMessage { text }
    messages(last: 2, search: "message") { totalCount nodes { id text sender { fullName } } pageInfo { hasNextPage } }
    ... on PrivateChat { peer { fullName personId } }
    ... on ChatGroup { members(first: 5) { totalCount nodes { fullName } } communityGroup { name } } } } } }`,
  'private chats':
    '{ healthViewer { privateChats(first: 100) { nodes { messages(first: 2) { nodes { text } totalCount } } } } }',
  'chat groups':
    '{ healthViewer { chatGroups(first: 100) { nodes { name isAdmin members { nodes { fullName } } } } } }',
  'groups to discover':
    '{ healthViewer { chatGroups(discover: true, first: 100) { nodes { name messages { nodes { id } } } } } }',
  contacts: `{ healthViewer { contacts(first: 100) { totalCount nodes { maskedEmail person { fullName }
    chat { unreadCount messages(first: 1) { nodes { text } } } peerLink { status } } } } }`,
  peers: '{ healthViewer { peers(first: 100) { nodes { status peer { fullName } chat { lastMessage { text } } } } } }',
  'community groups': `{ communityGroups(first: 100) { totalCount nodes { name createdBy { fullName }
    members { totalCount nodes { fullName } } chatGroup { name messages(first: 1) { nodes { text } } } } } }`,
};

describe('a list', () => {
  test.each(Object.entries(queries))(
    'of %s takes as many statements for 50 of each kind as for one, and writes nothing',
    async (_, query) => {
      const [one, all] = [
        await gateway.statements(() => data(few, query)),
        await gateway.statements(() => data(many, query)),
      ];
      expect(all).toHaveLength(one.length);
      for (const text of all) expect(text).not.toMatch(/\b(insert into|update|delete from|pg_notify)\b/);
    },
  );

  test('of chats has both kinds, most recently active first, each with its own messages', async () => {
    const { chats } = (
      await data(
        many,
        '{ healthViewer { chats(first: 60) { totalCount nodes { __typename id unreadCount messages(first: 1) { totalCount nodes { text isMine } } } } } }',
      )
    ).healthViewer;
    expect(chats.totalCount).toBe(100);
    expect(chats.nodes.map((one: Data) => one.__typename)).toEqual([
      ...Array(50).fill('ChatGroup'),
      ...Array(10).fill('PrivateChat'),
    ]);
    expect(new Set(chats.nodes.map((one: Data) => one.id)).size).toBe(60);
    for (const one of chats.nodes) expect(one).toMatchObject({ unreadCount: 3, messages: { totalCount: 3 } });
    expect(chats.nodes[0].messages.nodes).toEqual([{ text: 'Group message 0', isMine: false }]);
    expect(chats.nodes[50].messages.nodes).toEqual([{ text: 'Message 0', isMine: false }]);
  });

  test('is paged by cursors of its own', async () => {
    const page = (args: string) =>
      `{ healthViewer { chats(${args}) { nodes { id } pageInfo { endCursor hasNextPage } } } }`;
    const all = (await data(many, page('first: 100'))).healthViewer.chats.nodes;
    const first = (await data(many, page('first: 30'))).healthViewer.chats;
    const second = (await data(many, page(`first: 70, after: "${first.pageInfo.endCursor}"`))).healthViewer.chats;
    expect([...first.nodes, ...second.nodes]).toEqual(all);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
    for (const args of ['first: 101', 'first: 0', `after: "${encodeCursor('ContactConnection', 1)}"`, 'after: "x"']) {
      const { data: none, errors } = await ask(many, page(args));
      expect([none.healthViewer.chats, errors?.[0]?.extensions.code]).toEqual([null, 'BAD_USER_INPUT']);
    }
  });
});

describe('reading', () => {
  test('marks nothing in the graph; the REST contract and markChatRead do', async () => {
    await rest(ben, 'POST', '/chat/messages/', { chat_id: chat, content: 'one' });
    const unread = async () =>
      (
        await data(
          ada,
          `{ node(id: "${privateId(chat)}") { ... on Chat { unreadCount messages { nodes { text } } lastMessage { text } } } }`,
        )
      ).node;
    const before = await unread();
    expect(before).toEqual({ unreadCount: 1, messages: { nodes: [{ text: 'one' }] }, lastMessage: { text: 'one' } });
    expect(await unread()).toEqual(before);
    await rest(ada, 'GET', `/chat/private/${chat}/messages/`);
    expect((await unread()).unreadCount).toBe(0);
    await rest(ben, 'POST', '/chat/messages/', { chat_id: chat, content: 'two' });
    const mark = 'mutation ($id: ID!) { markChatRead(input: { chatId: $id }) { chat { __typename unreadCount } } }';
    for (const _ of [1, 2]) {
      expect((await data(ada, mark, { id: privateId(chat) })).markChatRead).toEqual({
        chat: { __typename: 'PrivateChat', unreadCount: 0 },
      });
    }
    expect((await data(ada, mark, { id: groupId(group) })).markChatRead.chat.__typename).toBe('ChatGroup');
    expect((await ask(eve, mark, { id: privateId(chat) })).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await ask(eve, mark, { id: groupId(group) })).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  test('finds only chats, messages and links of the caller', async () => {
    const { json: message } = await rest(ben, 'POST', '/chat/messages/', { group_id: group, content: 'inside' });
    const ids = [privateId(chat), encodeGlobalId('ChatMessage', message.id), privateId(randomUUID())];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
    expect((await data(ada, query, { ids })).nodes).toEqual([
      { id: ids[0], __typename: 'PrivateChat' },
      { id: ids[1], __typename: 'ChatMessage' },
      null,
    ]);
    expect((await data(eve, query, { ids })).nodes).toEqual([null, null, null]);
    const links = (await data(ada, '{ healthViewer { peers { nodes { id } } } }')).healthViewer.peers.nodes;
    expect((await data(ada, query, { ids: [links[0].id] })).nodes).toEqual([{ ...links[0], __typename: 'PeerLink' }]);
    expect((await data(eve, query, { ids: [links[0].id] })).nodes).toEqual([null]);
  });

  test('shows a group that can be joined without members and messages, and not to a banned person', async () => {
    const query = `{ node(id: "${groupId(group)}") { ... on ChatGroup { name isMember unreadCount lastMessage { text }
      members { totalCount } messages { totalCount } } } }`;
    const joinable = {
      name: 'Ours',
      isMember: false,
      unreadCount: 0,
      lastMessage: null,
      members: null,
      messages: null,
    };
    expect((await data(eve, query)).node).toEqual(joinable);
    expect((await data(ben, query)).node).toMatchObject({ isMember: true, members: { totalCount: 2 } });
    await rest(eve, 'POST', `/chat/groups/${group}/join/`);
    const remove = `mutation { removeChatMember(input: { chatGroupId: "${groupId(group)}", personId: "${encodeGlobalId('Person', eve.id)}" }) {
      chatGroup { memberCount members { nodes { personId } } } } }`;
    const members = [ada, ben].map(({ id }) => ({ personId: encodeGlobalId('Person', id) }));
    expect((await data(ada, remove)).removeChatMember.chatGroup).toEqual({
      memberCount: 2,
      members: { nodes: members },
    });
    expect((await data(eve, query)).node).toBeNull();
  });

  test('of guests is refused', async () => {
    const { access } = (await send(gateway, 'POST', '/auth/guest/')).json;
    const { data: none, errors } = await ask(
      { ...eve, access },
      '{ healthViewer { chats { totalCount } peers { totalCount } } }',
    );
    expect(none.healthViewer).toEqual({ chats: null, peers: null });
    expect(errors?.map(one => one.extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  });
});

describe('an input', () => {
  test.each([
    ['sendChatMessage(input: { text: "x", chatId: "nonsense" }) { message { id } }', 'BAD_USER_INPUT'],
    [
      `sendChatMessage(input: { text: "x", chatId: "${encodeGlobalId('Person', 1)}" }) { message { id } }`,
      'BAD_USER_INPUT',
    ],
    [`sendChatMessage(input: { text: "x", chatId: "${privateId(randomUUID())}" }) { message { id } }`, 'NOT_FOUND'],
    [
      `sendChatMessage(input: { text: "x", personId: "${encodeGlobalId('Person', 987_654_321)}" }) { message { id } }`,
      'NOT_FOUND',
    ],
    ['sendChatMessage(input: { text: "x" }) { message { id } }', 'BAD_USER_INPUT'],
    [`startPrivateChat(input: { personId: "${groupId(randomUUID())}" }) { chat { id } }`, 'BAD_USER_INPUT'],
    [`joinChatGroup(input: { chatGroupId: "${privateId(randomUUID())}" }) { chatGroup { id } }`, 'BAD_USER_INPUT'],
    [`joinChatGroup(input: { chatGroupId: "${groupId(randomUUID())}" }) { chatGroup { id } }`, 'NOT_FOUND'],
    [
      `joinCommunityGroup(input: { communityGroupId: "${encodeGlobalId('CommunityGroup', 987_654_321)}" }) { communityGroup { id } }`,
      'NOT_FOUND',
    ],
    [`requestPeer(input: { personId: "${encodeGlobalId('Person', 987_654_321)}" }) { peerLink { id } }`, 'NOT_FOUND'],
    [
      `answerPeerRequest(input: { peerLinkId: "${encodeGlobalId('PeerLink', 987_654_321)}", answer: ACCEPTED }) { peerLink { id } }`,
      'NOT_FOUND',
    ],
    [
      `deleteChatMessage(input: { messageId: "${encodeGlobalId('ChatMessage', randomUUID())}" }) { message { id } }`,
      'NOT_FOUND',
    ],
  ])('that names nothing of the caller is refused: %s', async (field, code) => {
    const { data: none, errors } = await ask(eve, `mutation { ${field} }`);
    expect(Object.values(none)).toEqual([null]);
    expect(errors?.map(one => one.extensions.code)).toEqual([code]);
  });

  test('of a message is stored once for one idempotency key, and goes to a person as well', async () => {
    const write = `mutation ($key: UUID!) { sendChatMessage(input: { text: "hello", personId: "${encodeGlobalId('Person', ben.id)}", idempotencyKey: $key }) {
      message { id uuid text sentAt isMine sender { fullName } } } }`;
    const key = randomUUID();
    const sent = (await data(ada, write, { key })).sendChatMessage.message;
    expect(sent).toMatchObject({ text: 'hello', isMine: true, id: encodeGlobalId('ChatMessage', sent.uuid) });
    expect((await data(ada, write, { key })).sendChatMessage.message).toEqual(sent);
    const other = `mutation { deleteChatMessage(input: { messageId: "${sent.id}" }) { message { id text isDeleted } } }`;
    expect((await ask(ben, other)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await data(ada, other)).deleteChatMessage.message).toEqual({ id: sent.id, text: '', isDeleted: true });
  });

  test('creates, joins and leaves groups, whose payload is the group', async () => {
    const created = (
      await data(
        ben,
        'mutation { createCommunityGroup(input: { name: "Runners" }) { communityGroup { id isMember memberCount chatGroup { id name isMember } } } }',
      )
    ).createCommunityGroup.communityGroup;
    expect(created).toMatchObject({ isMember: true, memberCount: 1, chatGroup: { name: 'Runners', isMember: false } });
    const change = (verb: string) =>
      `mutation { ${verb}CommunityGroup(input: { communityGroupId: "${created.id}" }) { communityGroup { isMember memberCount } } }`;
    expect((await data(ada, change('join'))).joinCommunityGroup.communityGroup).toEqual({
      isMember: true,
      memberCount: 2,
    });
    expect((await data(ada, change('leave'))).leaveCommunityGroup.communityGroup).toEqual({
      isMember: false,
      memberCount: 1,
    });
    expect(
      (await data(ada, `{ communityGroup(id: "${created.id}") { members { totalCount } } }`)).communityGroup.members
        .totalCount,
    ).toBe(0);
    const chatChange = (verb: string) =>
      `mutation { ${verb}ChatGroup(input: { chatGroupId: "${created.chatGroup.id}" }) { chatGroup { isMember memberCount } } }`;
    expect((await data(ada, chatChange('join'))).joinChatGroup.chatGroup).toEqual({ isMember: true, memberCount: 1 });
    expect((await data(ada, chatChange('leave'))).leaveChatGroup.chatGroup).toEqual({
      isMember: false,
      memberCount: 0,
    });
  });
});

const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.dispose();
});

/** Events of a subscription, from the moment the gateway listens. */
async function subscribe(at: TestGateway, who: TestAccount, field: string, chatId: string) {
  const client = createClient({
    url: `${at.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { Authorization: `Bearer ${who.access}` },
  });
  clients.push(client);
  return client.iterate<Data>({ query: `subscription ($chatId: ID!) { ${field} }`, variables: { chatId } });
}

/** The protocol has no acknowledgement of a subscription: `act` is repeated until an event arrives. */
async function firstEvent(events: AsyncIterableIterator<Data>, act: () => Promise<unknown>): Promise<Data> {
  const event = events.next();
  let arrived = false;
  void event.finally(() => {
    arrived = true;
  });
  for (let tries = 0; tries < 40 && !arrived; tries++) {
    await act();
    await Promise.race([event, new Promise(resolve => setTimeout(resolve, 250))]);
  }
  return (await event).value.data;
}

describe('a subscription', () => {
  test('to messages gets those that another gateway stored', async () => {
    const events = await subscribe(beside, ada, 'chatMessageAdded(chatId: $chatId) { text isMine }', privateId(chat));
    const write = () => rest(ben, 'POST', '/chat/messages/', { chat_id: chat, content: 'across' });
    expect(await firstEvent(events, write)).toEqual({ chatMessageAdded: { text: 'across', isMine: false } });
  });

  test('to the read position gets those that another device moved through another gateway, and none of others', async () => {
    const events = await subscribe(
      beside,
      ada,
      'chatRead(chatId: $chatId) { chatId unreadCount readAt }',
      groupId(group),
    );
    const read = async () => {
      await rest(ben, 'POST', '/chat/messages/', { group_id: group, content: 'news' });
      // A position of somebody else.
      await rest(ben, 'GET', `/chat/groups/${group}/messages/`);
      await rest(ada, 'GET', `/chat/groups/${group}/messages/`);
    };
    expect(await firstEvent(events, read)).toEqual({
      chatRead: { chatId: groupId(group), unreadCount: 0, readAt: expect.any(String) },
    });
  });

  test.each(['chatMessageAdded(chatId: $chatId) { text }', 'chatRead(chatId: $chatId) { readAt }'])(
    'is refused without membership: %s',
    async field => {
      for (const [chatId, code] of [
        [privateId(chat), 'NOT_FOUND'],
        [privateId(randomUUID()), 'NOT_FOUND'],
        [encodeGlobalId('Person', eve.id), 'BAD_USER_INPUT'],
        ['nonsense', 'BAD_USER_INPUT'],
      ] as const) {
        const events = await subscribe(gateway, eve, field, chatId);
        const refusal = events.next().then(
          ({ value }) => value?.errors,
          (error: unknown) => error,
        );
        expect(await refusal).toEqual([expect.objectContaining({ extensions: expect.objectContaining({ code }) })]);
      }
    },
  );
});

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [ada, ben, cleo] = (await createVisibleAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
await connect(gateway, ada, ben);

const get = (who: TestAccount, path: string) => send(gateway, 'GET', path, undefined, who.access);
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const make = async (body: object = {}, who = ada): Promise<string> =>
  (await post(who, '/chat/groups/', { name: 'Group', ...body })).json.id;
const graph = (who: TestAccount, query: string, variables: object) =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
    body: JSON.stringify({ query, variables }),
  });
const remove = (who: TestAccount, groupId: string, userId: number) =>
  graph(
    who,
    'mutation ($input: RemoveChatMemberInput!) { removeChatMember(input: $input) { chatGroup { memberCount } } }',
    { input: { chatGroupId: encodeGlobalId('ChatGroup', groupId), personId: encodeGlobalId('Person', userId) } },
  );

async function membersOf(id: string): Promise<{ user: number; admin: boolean }[]> {
  const { rows } = await sql<{ user: number; admin: boolean }>`select user_id as user, is_admin as admin
    from chat_membership where group_id = ${id} order by joined_at, user_id`.execute(gateway.database.sql);
  return rows;
}

async function stateOf(id: string): Promise<{ active: boolean; count: number } | undefined> {
  const { rows } = await sql<{ active: boolean; count: number }>`
    select is_active as active, participant_count as count from chat_group where id = ${id}`.execute(
    gateway.database.sql,
  );
  return rows[0];
}

describe('creating a group', () => {
  test('returns it with its admin and initial participants', async () => {
    const { status, json } = await post(ada, '/chat/groups/', {
      name: 'Walkers',
      description: 'On Sundays',
      participant_ids: [ben.id, ben.id, ada.id],
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(String),
      name: 'Walkers',
      description: 'On Sundays',
      participants: [ada, ben].map(one => ({
        id: one.id,
        full_name: one.name,
        email: 'b…@example.org',
        profile_picture: null,
      })),
      participant_count: 2,
      last_message: null,
      is_member: true,
      is_admin: true,
      is_active: true,
      visibility: 'closed',
      community_group_id: null,
      created_at: '2026-11-01T12:00:00.000000Z',
    });
    const { json: theirs } = await get(ben, '/chat/groups/');
    expect(theirs).toMatchObject([{ id: json.id, is_member: true, is_admin: false }]);
  });

  test.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: '' }, { name: ['This field may not be blank.'] }],
    [{ name: 'x'.repeat(101) }, { name: ['Ensure this field has no more than 100 characters.'] }],
    [
      { name: 'x', description: 'x'.repeat(501) },
      { description: ['Ensure this field has no more than 500 characters.'] },
    ],
    [{ name: 'x', participant_ids: 'x' }, { participant_ids: ['Expected a list of items but got type "str".'] }],
    [
      { name: 'x', participant_ids: [987_654_321] },
      { participant_ids: ['Invalid pk "987654321" - object does not exist.'] },
    ],
  ])('refuses %j', async (body, problems) => {
    const { status, json } = await post(ada, '/chat/groups/', body);
    expect({ status, json }).toEqual({ status: 400, json: problems });
  });

  test('refuses participants without a connection like unknown users, and creates nothing', async () => {
    const before = (await get(ada, '/chat/groups/')).json.length;
    const { status, json } = await post(ada, '/chat/groups/', { name: 'x', participant_ids: [ben.id, cleo.id] });
    expect({ status, json }).toEqual({
      status: 400,
      json: { participant_ids: [`Invalid pk "${cleo.id}" - object does not exist.`] },
    });
    expect((await get(ada, '/chat/groups/')).json).toHaveLength(before);
  });

  test('allows equal names', async () => {
    expect(await make({ name: 'Twice' })).not.toBe(await make({ name: 'Twice' }));
  });
});

describe('joining and leaving', () => {
  test('is idempotent and returns the count', async () => {
    const id = await make();
    for (const round of [1, 2]) {
      const joined = await post(cleo, `/chat/groups/${id}/join/`);
      expect({ round, ...joined }).toMatchObject({
        round,
        status: 201,
        json: { is_member: true, participant_count: 2 },
      });
    }
    for (const round of [1, 2]) {
      const left = await post(cleo, `/chat/groups/${id}/leave/`);
      expect({ round, ...left }).toMatchObject({
        round,
        status: 201,
        json: { is_member: false, participant_count: 1 },
      });
    }
    for (const unknown of [randomUUID(), 'x', '1']) {
      expect((await post(cleo, `/chat/groups/${unknown}/join/`)).status).toBe(404);
      expect((await post(cleo, `/chat/groups/${unknown}/leave/`)).status).toBe(404);
    }
  });

  test('makes the longest-standing member an admin when the last admin leaves', async () => {
    const id = await make();
    const start = gateway.clock.now;
    gateway.clock.now = new Date(start.getTime() + 1000);
    await post(cleo, `/chat/groups/${id}/join/`);
    gateway.clock.now = new Date(start.getTime() + 2000);
    await post(ben, `/chat/groups/${id}/join/`);
    gateway.clock.now = start;
    await post(ada, `/chat/groups/${id}/leave/`);
    expect(await membersOf(id)).toEqual([
      { user: cleo.id, admin: true },
      { user: ben.id, admin: false },
    ]);
  });

  test('deactivates the group with its last member', async () => {
    const id = await make();
    await post(ada, `/chat/groups/${id}/leave/`);
    expect(await stateOf(id)).toEqual({ active: false, count: 0 });
    expect(await post(ben, `/chat/groups/${id}/join/`)).toMatchObject({
      status: 403,
      json: { detail: 'This group is over.', code: 'group_inactive' },
    });
    const { json } = await get(ben, '/chat/groups/discover/');
    expect(json.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('keeps the count and an admin under concurrency', async () => {
    const id = await make();
    const crowd = await createVisibleAccounts(gateway, 6);
    const moves = [...crowd, ada, ...crowd, ...crowd].map((who, at) =>
      post(who, `/chat/groups/${id}/${at % 3 === 0 ? 'leave' : 'join'}/`),
    );
    for (const { status } of await Promise.all(moves)) expect([201, 403]).toContain(status);
    const members = await membersOf(id);
    const state = await stateOf(id);
    expect(state?.count).toBe(members.length);
    expect(state?.active).toBe(members.length > 0);
    if (members.length > 0) expect(members.filter(one => one.admin).length).toBeGreaterThan(0);
  });

  test('by all at once leaves an inactive, empty group', async () => {
    const crowd = await createVisibleAccounts(gateway, 5);
    const id = await make({}, crowd[0]);
    for (const who of crowd.slice(1)) await post(who, `/chat/groups/${id}/join/`);
    await Promise.all(crowd.map(who => post(who, `/chat/groups/${id}/leave/`)));
    expect(await stateOf(id)).toEqual({ active: false, count: 0 });
  });
});

describe('the chat of a community group', () => {
  test('is joined separately and stays active when empty', async () => {
    const made = await post(ada, '/community/groups/', { name: 'Community with chat' });
    const { chat_group_id: chat, id: community } = made.json;
    expect(await post(ada, '/chat/messages/', { group_id: chat, content: 'x' })).toMatchObject({ status: 403 });
    expect((await post(ben, `/chat/groups/${chat}/join/`)).json).toMatchObject({ participant_count: 1 });
    expect((await get(ben, '/chat/groups/')).json).toContainEqual(
      expect.objectContaining({ id: chat, community_group_id: community, is_admin: true }),
    );
    await post(ben, `/chat/groups/${chat}/leave/`);
    expect(await stateOf(chat)).toEqual({ active: true, count: 0 });
    expect((await post(cleo, `/chat/groups/${chat}/join/`)).status).toBe(201);
    // The creator of the community group becomes an admin of its chat on joining.
    await post(ada, `/chat/groups/${chat}/join/`);
    expect(await membersOf(chat)).toContainEqual({ user: ada.id, admin: true });
  });
});

describe('removing a member', () => {
  test('requires an admin and bans until lifted', async () => {
    const id = await make();
    await post(cleo, `/chat/groups/${id}/join/`);
    const code = (answer: { json: { errors: { extensions: { code: string; reason?: string } }[] } }) =>
      answer.json.errors[0]?.extensions.code;
    expect(code(await remove(cleo, id, ada.id))).toBe('FORBIDDEN');
    expect(code(await remove(ben, id, cleo.id))).toBe('FORBIDDEN');
    expect(code(await remove(ada, id, ada.id))).toBe('BAD_USER_INPUT');
    expect(code(await remove(ada, id, 987_654_321))).toBe('NOT_FOUND');
    expect(code(await remove(ada, randomUUID(), cleo.id))).toBe('NOT_FOUND');
    expect((await remove(ada, id, cleo.id)).json).toEqual({
      data: { removeChatMember: { chatGroup: { memberCount: 1 } } },
    });
    expect(await post(cleo, `/chat/groups/${id}/join/`)).toMatchObject({ status: 403, json: { code: 'banned' } });
    expect(await post(cleo, '/chat/messages/', { group_id: id, content: 'x' })).toMatchObject({
      status: 403,
      json: { code: 'not_member' },
    });
    const open = (await get(cleo, '/chat/groups/discover/')).json;
    expect(open.map((one: { id: string }) => one.id)).not.toContain(id);
    const lift = 'mutation ($input: LiftChatBanInput!) { liftChatBan(input: $input) { chatGroup { memberCount } } }';
    const input = { chatGroupId: encodeGlobalId('ChatGroup', id), personId: encodeGlobalId('Person', cleo.id) };
    expect(code(await graph(cleo, lift, { input }))).toBe('FORBIDDEN');
    expect((await graph(ada, lift, { input })).json.data.liftChatBan).toEqual({ chatGroup: { memberCount: 1 } });
    expect((await post(cleo, `/chat/groups/${id}/join/`)).status).toBe(201);
  });
});

describe('discovery', () => {
  test('returns joinable groups, without participants and messages for non-members', async () => {
    const id = await make({ name: 'Open to all' });
    await post(ada, '/chat/messages/', { group_id: id, content: 'inside' });
    for (const path of ['/chat/groups/discover/', '/chat/groups/?discover=true']) {
      const find = async (who: TestAccount) => (await get(who, path)).json.find((one: { id: string }) => one.id === id);
      expect(await find(cleo)).toMatchObject({
        is_member: false,
        is_admin: false,
        participants: [],
        participant_count: 1,
        last_message: null,
      });
      expect(await find(ada)).toMatchObject({ is_member: true, last_message: { content: 'inside' } });
    }
    expect((await get(cleo, '/chat/groups/')).json.map((one: { id: string }) => one.id)).not.toContain(id);
    const statements = await gateway.statements(() => get(ada, '/chat/groups/'));
    expect(statements.filter(text => text.includes('chat_group'))).toHaveLength(1);
  });
});

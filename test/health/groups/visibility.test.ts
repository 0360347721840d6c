import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { chatGroupId, communityGroupId, graphRequests, personId } from './graph-requests.ts';

const gateway = await testGateway({ data: 'empty' });
const { ask, change } = graphRequests(gateway);
const [ada, ben, cleo, dana] = (await createVisibleAccounts(gateway, 4)) as [
  TestAccount,
  TestAccount,
  TestAccount,
  TestAccount,
];
for (const other of [ben, dana]) await connect(gateway, ada, other);

const get = (who: TestAccount, path: string) => send(gateway, 'GET', path, undefined, who.access);
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const say = (who: TestAccount, group: string, content: string) =>
  post(who, '/chat/messages/', { group_id: group, content });
const makeChat = async (body: object = {}): Promise<string> =>
  (await post(ada, '/chat/groups/', { name: 'Group', ...body })).json.id;
let made = 0;
const makeCommunity = async (body: object = {}, who = ada): Promise<{ id: number; chat: string }> => {
  const { json } = await post(who, '/community/groups/', { name: `Circle ${++made}`, ...body });
  return { id: json.id, chat: json.chat_group_id };
};
const idsOf = async (who: TestAccount, path: string): Promise<unknown[]> =>
  (await get(who, path)).json.map((one: { id: unknown }) => one.id);
const entriesOf = async (who: TestAccount, turn: string) =>
  (
    await ask(
      who,
      `{ healthViewer { groupEntries(turn: ${turn}) { totalCount nodes { id kind person { fullName } chatGroup { name } communityGroup { name } } } } }`,
    )
  ).data.healthViewer.groupEntries.nodes;

describe('a group with named participants', () => {
  test('is closed: found, and neither joined nor read by others', async () => {
    const id = await makeChat({ name: 'Family', participant_ids: [ben.id] });
    await say(ada, id, 'Mother is in hospital.');
    expect(await idsOf(cleo, '/chat/groups/discover/')).toContain(id);
    expect(await post(cleo, `/chat/groups/${id}/join/`)).toMatchObject({ status: 403, json: { code: 'group_closed' } });
    expect(await get(cleo, `/chat/groups/${id}/messages/`)).toMatchObject({
      status: 403,
      json: { code: 'not_member' },
    });
    expect(await say(cleo, id, 'x')).toMatchObject({ status: 403, json: { code: 'not_member' } });
    expect((await get(ben, `/chat/groups/${id}/messages/`)).json.count).toBe(1);
  });

  test('is open where its creator says so', async () => {
    const id = await makeChat({ participant_ids: [ben.id], visibility: 'open' });
    expect((await post(cleo, `/chat/groups/${id}/join/`)).status).toBe(201);
  });
});

describe('a secret group', () => {
  test('of chat is 404 for everybody else', async () => {
    const id = await makeChat({ visibility: 'secret', participant_ids: [ben.id] });
    await say(ada, id, 'secret');
    for (const path of ['/chat/groups/discover/', '/chat/groups/?discover=true', '/chat/groups/'])
      expect(await idsOf(cleo, path)).not.toContain(id);
    for (const path of ['join', 'leave']) expect((await post(cleo, `/chat/groups/${id}/${path}/`)).status).toBe(404);
    for (const path of ['', 'messages/']) expect((await get(cleo, `/chat/groups/${id}/${path}`)).status).toBe(404);
    expect((await say(cleo, id, 'x')).status).toBe(404);
    const node = await ask(cleo, 'query ($id: ID!) { node(id: $id) { id } }', { id: chatGroupId(id) });
    expect(node.data.node).toBeNull();
    const input = { chatGroupId: chatGroupId(id), personId: personId(ben) };
    for (const name of ['removeChatMember', 'liftChatBan'])
      expect(await change(cleo, name, input, 'chatGroup { id }')).toMatchObject({ refused: 'NOT_FOUND' });
    const group = { groupId: chatGroupId(id) };
    expect(await change(cleo, 'requestGroupEntry', group, 'groupEntry { id }')).toMatchObject({ refused: 'NOT_FOUND' });
    expect(await change(cleo, 'changeGroupAccess', group, 'chatGroup { id }')).toMatchObject({ refused: 'NOT_FOUND' });
    // Who has left knows no more than a stranger.
    expect((await post(ben, `/chat/groups/${id}/leave/`)).status).toBe(201);
    expect((await post(ben, `/chat/groups/${id}/join/`)).status).toBe(404);
  });

  test('of the community is 404 for everybody else, with its name and its chat', async () => {
    const { id, chat } = await makeCommunity({ name: 'Hidden circle', visibility: 'secret' });
    expect(await idsOf(ada, '/community/groups/')).toContain(id);
    expect(await idsOf(cleo, '/community/groups/')).not.toContain(id);
    expect((await get(cleo, `/community/groups/${id}/`)).status).toBe(404);
    for (const path of ['join', 'leave']) {
      expect((await post(cleo, `/community/groups/${id}/${path}/`)).status).toBe(404);
      expect((await post(cleo, `/chat/groups/${chat}/${path}/`)).status).toBe(404);
    }
    expect((await post(cleo, '/community/groups/', { name: 'hidden CIRCLE' })).status).toBe(201);
    expect(await post(cleo, '/community/groups/', { name: 'Other', slug: 'mine', visibility: 'secret' })).toMatchObject(
      {
        status: 400,
        json: { slug: [expect.any(String)] },
      },
    );
    const shown = await change(
      ada,
      'changeGroupAccess',
      { groupId: communityGroupId(id), visibility: 'OPEN' },
      'communityGroup { id }',
    );
    expect(shown).toMatchObject({ refused: 'BAD_USER_INPUT', message: expect.stringContaining('has this name') });
  });
});

describe('requests', () => {
  test('are answered by the owner', async () => {
    const id = await makeChat({ name: 'Asked', visibility: 'closed' });
    const group = { groupId: chatGroupId(id) };
    const asked = await change(cleo, 'requestGroupEntry', group, 'groupEntry { id kind }');
    expect(asked.payload.groupEntry.kind).toBe('REQUEST');
    const again = await change(cleo, 'requestGroupEntry', group, 'groupEntry { id }');
    expect(again.payload.groupEntry.id).toBe(asked.payload.groupEntry.id);
    expect(await entriesOf(cleo, 'THEIRS')).toMatchObject([{ chatGroup: { name: 'Asked' }, communityGroup: null }]);
    expect(await entriesOf(ada, 'YOURS')).toMatchObject([{ kind: 'REQUEST', person: { fullName: 'Robin N' } }]);
    expect(await entriesOf(ben, 'YOURS')).toEqual([]);
    const answer = { groupEntryId: asked.payload.groupEntry.id, answer: 'ACCEPT' };
    const fields = 'chatGroup { memberCount }';
    expect(await change(ben, 'answerGroupEntry', answer, fields)).toMatchObject({ refused: 'NOT_FOUND' });
    expect(await change(cleo, 'answerGroupEntry', answer, fields)).toMatchObject({ refused: 'FORBIDDEN' });
    expect((await change(ada, 'answerGroupEntry', answer, fields)).payload).toEqual({ chatGroup: { memberCount: 2 } });
    expect(await change(ada, 'answerGroupEntry', answer, fields)).toMatchObject({ refused: 'NOT_FOUND' });
    expect((await say(cleo, id, 'Thank you')).status).toBe(201);
  });

  test('that are declined wait for a month, those that are withdrawn do not', async () => {
    const { id } = await makeCommunity({ visibility: 'closed' });
    expect(await post(cleo, `/community/groups/${id}/join/`)).toMatchObject({
      status: 403,
      json: { code: 'group_closed' },
    });
    const ask = () => change(cleo, 'requestGroupEntry', { groupId: communityGroupId(id) }, 'groupEntry { id }');
    const decline = async (who: TestAccount, entry: string) =>
      change(who, 'answerGroupEntry', { groupEntryId: entry, answer: 'DECLINE' }, 'communityGroup { memberCount }');
    await decline(cleo, (await ask()).payload.groupEntry.id);
    await decline(ada, (await ask()).payload.groupEntry.id);
    expect(await entriesOf(ada, 'YOURS')).toEqual([]);
    expect(await ask()).toMatchObject({ refused: 'BAD_USER_INPUT' });
    const start = gateway.clock.now;
    gateway.clock.now = new Date(start.getTime() + 31 * 24 * 3_600_000);
    expect((await ask()).payload.groupEntry.id).toEqual(expect.any(String));
    gateway.clock.now = start;
  });

  test('to open groups and by members are refused', async () => {
    const id = await makeChat();
    for (const who of [ada, cleo]) {
      const asked = await change(who, 'requestGroupEntry', { groupId: chatGroupId(id) }, 'groupEntry { id }');
      expect(asked).toMatchObject({ refused: 'BAD_USER_INPUT' });
    }
  });
});

describe('invitations', () => {
  test.each(['chat', 'community'] as const)(
    'to a secret group of %s let the person know of it and join',
    async kind => {
      const [id, path] =
        kind === 'chat'
          ? await makeChat({ visibility: 'secret' }).then(one => [chatGroupId(one), `/chat/groups/${one}/`] as const)
          : await makeCommunity({ visibility: 'secret' }).then(
              one => [communityGroupId(one.id), `/community/groups/${one.id}/`] as const,
            );
      const invite = (who: TestAccount) =>
        change(ada, 'inviteToGroup', { groupId: id, personId: personId(who) }, 'groupEntry { id kind }');
      // Not connected, like nobody at all.
      expect(await invite(cleo)).toMatchObject({ refused: 'BAD_USER_INPUT' });
      expect(await invite({ ...cleo, id: 987_654_321 })).toMatchObject({ message: (await invite(cleo)).message });
      expect((await invite(dana)).payload.groupEntry.kind).toBe('INVITATION');
      expect(await entriesOf(dana, 'YOURS')).toHaveLength(1);
      expect((await ask(dana, 'query ($id: ID!) { node(id: $id) { id } }', { id })).data.node).toEqual({ id });
      expect((await post(dana, `${path}join/`)).status).toBe(201);
      expect(await entriesOf(dana, 'YOURS')).toEqual([]);
    },
  );

  test('of somebody who has asked let the person in', async () => {
    const id = await makeChat({ visibility: 'closed' });
    await change(ben, 'requestGroupEntry', { groupId: chatGroupId(id) }, 'groupEntry { id }');
    const invited = await change(
      ada,
      'inviteToGroup',
      { groupId: chatGroupId(id), personId: personId(ben) },
      'groupEntry { id }',
    );
    expect(invited.payload).toEqual({ groupEntry: null });
    expect((await say(ben, id, 'here')).status).toBe(201);
  });

  test('are sent by the owner only, and never to the banned', async () => {
    const id = await makeChat({ participant_ids: [ben.id] });
    const to = (who: TestAccount) => ({ groupId: chatGroupId(id), personId: personId(who) });
    expect(await change(ben, 'inviteToGroup', to(ada), 'groupEntry { id }')).toMatchObject({ refused: 'FORBIDDEN' });
    await change(
      ada,
      'removeChatMember',
      { chatGroupId: chatGroupId(id), personId: personId(ben) },
      'chatGroup { id }',
    );
    expect(await change(ada, 'inviteToGroup', to(ben), 'groupEntry { id }')).toMatchObject({
      refused: 'BAD_USER_INPUT',
    });
  });
});

describe('history', () => {
  const read = async (who: TestAccount, id: string) => {
    const { json } = await get(who, `/chat/groups/${id}/messages/`);
    const listed = await get(who, '/chat/groups/');
    const found = await get(who, `/chat/groups/${id}/messages/?search=word`);
    const oldestFirst = await get(who, `/chat/groups/${id}/messages/?ordering=timestamp`);
    const byId = await get(who, `/chat/groups/${id}/messages/?ordering=id`);
    const { data } = await ask(
      who,
      'query ($id: ID!) { node(id: $id) { ... on Chat { messages(first: 50) { totalCount nodes { text } } } } }',
      { id: chatGroupId(id) },
    );
    const texts = json.results.map((one: { content: string }) => one.content);
    for (const other of [found, byId, oldestFirst]) expect(other.json.count).toBe(texts.length);
    expect(oldestFirst.json.results.map((one: { content: string }) => one.content)).toEqual(texts.toReversed());
    expect(data.node.messages).toEqual({ totalCount: texts.length, nodes: texts.map((text: string) => ({ text })) });
    const group = listed.json.find((one: { id: string }) => one.id === id);
    expect(group.last_message?.content).toBe(texts[0]);
    return texts;
  };

  test('is readable from joining on', async () => {
    const id = await makeChat();
    const { id: early } = (await say(ada, id, 'word before')).json;
    await post(cleo, `/chat/groups/${id}/join/`);
    expect(await read(cleo, id)).toEqual([]);
    expect(
      await ask(cleo, 'query ($id: ID!) { node(id: $id) { id } }', { id: encodeGlobalId('ChatMessage', early) }),
    ).toMatchObject({ data: { node: null } });
    await say(ada, id, 'word after');
    expect(await read(cleo, id)).toEqual(['word after']);
    expect(await read(ada, id)).toEqual(['word after', 'word before']);
    // Whoever comes back starts anew.
    await post(cleo, `/chat/groups/${id}/leave/`);
    await say(ada, id, 'word meanwhile');
    await post(cleo, `/chat/groups/${id}/join/`);
    expect(await read(cleo, id)).toEqual([]);
  });

  test('is shared where the group says so', async () => {
    const id = await makeChat({ shares_history: true });
    await say(ada, id, 'word before');
    await post(cleo, `/chat/groups/${id}/join/`);
    expect(await read(cleo, id)).toEqual(['word before']);
    await change(
      ada,
      'changeGroupAccess',
      { groupId: chatGroupId(id), sharesHistory: false },
      'chatGroup { sharesHistory }',
    );
    await post(dana, `/chat/groups/${id}/join/`);
    expect(await read(dana, id)).toEqual([]);
    expect(await read(cleo, id)).toEqual(['word before']);
  });
});

describe('owners', () => {
  test('hand a group over, and stay in it', async () => {
    const { id, chat } = await makeCommunity();
    for (const who of [ada, cleo]) await post(who, `/chat/groups/${chat}/join/`);
    const groupId = communityGroupId(id);
    const hand = (who: TestAccount, to: TestAccount) =>
      change(who, 'handOverGroup', { groupId, personId: personId(to) }, 'communityGroup { isOwner isMember }');
    expect(await hand(ada, cleo)).toMatchObject({ refused: 'BAD_USER_INPUT' });
    await post(cleo, `/community/groups/${id}/join/`);
    expect(await hand(cleo, ada)).toMatchObject({ refused: 'FORBIDDEN' });
    expect((await hand(ada, cleo)).payload).toEqual({ communityGroup: { isOwner: false, isMember: true } });
    expect((await get(cleo, `/community/groups/${id}/`)).json).toMatchObject({ is_owner: true });
    expect((await get(cleo, '/chat/groups/')).json).toContainEqual(
      expect.objectContaining({ id: chat, is_admin: true }),
    );
  });

  test('who leave a community group are succeeded by the longest-standing member', async () => {
    const { id } = await makeCommunity();
    const start = gateway.clock.now;
    for (const [who, second] of [
      [cleo, 1],
      [ben, 2],
    ] as const) {
      gateway.clock.now = new Date(start.getTime() + second * 1000);
      await post(who, `/community/groups/${id}/join/`);
    }
    gateway.clock.now = start;
    await post(ada, `/community/groups/${id}/leave/`);
    const owns = async (who: TestAccount) => (await get(who, `/community/groups/${id}/`)).json.is_owner;
    expect([await owns(ada), await owns(cleo), await owns(ben)]).toEqual([false, true, false]);
    for (const who of [cleo, ben]) await post(who, `/community/groups/${id}/leave/`);
    // An open group without members belongs to whoever joins next.
    await post(dana, `/community/groups/${id}/join/`);
    expect(await owns(dana)).toBe(true);
  });

  test('who delete their account are succeeded at once, in both kinds of groups', async () => {
    const [owner, heir] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    const { id } = await makeCommunity({}, owner);
    const chat = (await post(owner, '/chat/groups/', { name: 'Left behind' })).json.id;
    await post(heir, `/community/groups/${id}/join/`);
    await post(heir, `/chat/groups/${chat}/join/`);
    await send(gateway, 'DELETE', '/auth/me/delete/', undefined, owner.access);
    expect((await get(heir, `/community/groups/${id}/`)).json).toMatchObject({ is_owner: true, member_count: 1 });
    expect((await get(heir, '/chat/groups/')).json).toMatchObject([{ id: chat, is_admin: true, participant_count: 1 }]);
  });

  test('who leave a closed community group leave its chat as well', async () => {
    const { id, chat } = await makeCommunity({ visibility: 'closed' });
    expect((await post(ada, `/chat/groups/${chat}/join/`)).status).toBe(201);
    expect(await post(ben, `/chat/groups/${chat}/join/`)).toMatchObject({
      status: 403,
      json: { code: 'group_closed' },
    });
    await post(ada, `/community/groups/${id}/leave/`);
    expect(await idsOf(ada, '/chat/groups/')).not.toContain(chat);
    expect((await get(ada, `/community/groups/${id}/`)).status).toBe(404);
  });
});

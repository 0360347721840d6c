import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const db = gateway.database.sql;
const hidden = { databaseId: 0, fullName: 'Blocked user', profilePicture: null };

const people = async (...rows: Record<string, unknown>[]) =>
  (await createVisibleAccounts(
    gateway,
    rows.map(row => ({ first_name: 'Ada', last_name: 'Lovelace', ...row })),
  )) as [TestAccount, TestAccount, TestAccount];
const minor = { date_of_birth: '2010-03-01' };
const call = (who: TestAccount, method: string, path: string, body?: object) =>
  send(gateway, method, path, body, who.access);
async function graph(who: TestAccount, query: string, variables: Record<string, unknown> = {}) {
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
    body: JSON.stringify({ query, variables }),
  });
  return json;
}
const block = (who: TestAccount, { id }: TestAccount) =>
  graph(
    who,
    `mutation ($id: ID!) { blockPeer(input: { personId: $id }) {
      peerLink { databaseId status peer { databaseId fullName profilePicture } receiver { fullName } } } }`,
    { id: encodeGlobalId('Person', id) },
  );
const blockedBy = async (who: TestAccount) =>
  (
    await graph(
      who,
      '{ healthViewer { peers(status: BLOCKED) { nodes { peer { databaseId fullName profilePicture } } } } }',
    )
  ).data.healthViewer.peers.nodes;

describe('a block', () => {
  test.each([
    ['a person whom nobody can find', {}, { is_visible_in_community: false }],
    ['a child', {}, minor],
    ['an adult, by a child', minor, {}],
  ])('of %s tells no name', async (_, mine, theirs) => {
    const [me, other] = await people(mine, theirs);
    const { data } = await block(me, other);
    expect(data.blockPeer.peerLink).toMatchObject({
      status: 'BLOCKED',
      peer: hidden,
      receiver: { fullName: 'Blocked user' },
    });
    expect(await blockedBy(me)).toEqual([{ peer: hidden }]);
    // It can be lifted.
    const lifted = await call(me, 'PATCH', `/community/peers/${data.blockPeer.peerLink.databaseId}/`, {
      status: 'declined',
    });
    expect([lifted.status, lifted.json.peer]).toEqual([
      200,
      { id: 0, full_name: 'Blocked user', profile_picture: null },
    ]);
  });

  test('of a person of the community or of a group has the name that strangers see', async () => {
    const [me, listed, member] = await people({}, {}, { is_visible_in_community: false });
    const { id } = (await call(me, 'POST', '/chat/groups/', { name: 'Talk' })).json;
    await call(member, 'POST', `/chat/groups/${id}/join/`);
    for (const other of [listed, member])
      expect((await block(me, other)).data.blockPeer.peerLink.peer).toMatchObject({
        databaseId: other.id,
        fullName: 'Ada L',
      });
  });
});

test('a request shows the name that strangers see to both, and the search finds no other; acceptance shows the whole one', async () => {
  const [me, other] = await people({}, {});
  const asked = await call(me, 'POST', '/community/peers/connect/', { receiver_id: other.id });
  expect([asked.json.peer.full_name, asked.json.requester.full_name]).toEqual(['Ada L', 'Ada Lovelace']);
  const waiting = (await call(other, 'GET', '/community/peers/requests/')).json;
  expect(waiting[0].peer.full_name).toBe('Ada L');
  const found = async (word: string) =>
    (await call(me, 'GET', `/community/peers/connections/?status=pending&search=${word}`)).json.count;
  expect([await found('lovelace'), await found('ada')]).toEqual([0, 1]);
  const accepted = await call(other, 'PATCH', `/community/peers/${asked.json.id}/`, { status: 'accepted' });
  expect(accepted.json.peer.full_name).toBe('Ada Lovelace');
});

test('no picture comes with a request, and the connected see it', async () => {
  const [me, asking] = await people({}, {});
  await sql`with picture as (
      insert into media (id, user_id, media_type, content, created_at)
      values (gen_random_uuid(), ${asking.id}, 'image/webp', 'x', ${gateway.clock.now}) returning id)
    update users set picture = (select id from picture) where id = ${asking.id}`.execute(db);
  const { id } = (await call(asking, 'POST', '/community/peers/connect/', { receiver_id: me.id })).json;
  const doors = ['/community/peers/requests/', '/community/peers/connections/?status=pending'];
  for (const path of doors) {
    const { status, text } = await call(me, 'GET', path);
    expect([path, status, text.includes(`"id":${asking.id}`), text.includes('/media/')]).toEqual([
      path,
      200,
      true,
      false,
    ]);
  }
  const accepted = await call(me, 'PATCH', `/community/peers/${id}/`, { status: 'accepted' });
  expect(accepted.json.peer.profile_picture).toContain('/media/');
});

test('no name carries an address or a letter to somebody who has not accepted a request', async () => {
  const [me] = await people({});
  const said = async (first_name: string, display_name = '') => {
    const [asking] = await people({ first_name, display_name });
    await call(asking, 'POST', '/community/peers/connect/', { receiver_id: me.id });
    const [{ peer }] = (await call(me, 'GET', '/community/peers/requests/')).json;
    expect(peer.id).toBe(asking.id);
    return { shown: peer.full_name, asking };
  };
  for (const [first, shown] of [
    ['Call +49 (151) 234-56 78', 'Call … L'],
    ['Write ann@example.org please', 'Write … please L'],
    ['See https://example.org/x', 'See … L'],
    ['www.example.org', '… L'],
    ['chat.example/ann or me', '… or me L'],
    ['Ann 007', 'Ann 007 L'],
    ['J.R. Anne-Marie', 'J.R. Anne-Marie L'],
  ] as const)
    expect([first, (await said(first)).shown]).toEqual([first, shown]);
  const letter = 'I have seen your comments and would like to meet you at the station';
  const { shown, asking } = await said('Ada', letter);
  expect(shown).toBe(letter.slice(0, 40));
  // By any door that strangers have.
  const { id } = (await call(asking, 'POST', '/chat/groups/', { name: 'Talk' })).json;
  await call(me, 'POST', `/chat/groups/${id}/join/`);
  expect((await call(me, 'GET', `/chat/groups/${id}/`)).text).not.toContain('station');
});

test('the end of a connection of an adult and a child names neither', async () => {
  const [me, other] = await people({}, minor);
  const { rows } = await sql<{
    id: number;
  }>`insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
    values (${me.id}, ${other.id}, 'accepted', ${gateway.clock.now}, ${gateway.clock.now}) returning id`.execute(db);
  for (const status of ['blocked', 'declined']) {
    const answer = await call(me, 'PATCH', `/community/peers/${rows[0]?.id}/`, { status });
    expect([answer.status, answer.json.peer.id, answer.text.includes('Lovelace"')]).toEqual([200, 0, true]);
    expect(answer.json.peer.full_name).toBe('Blocked user');
  }
  const again = await call(me, 'PATCH', `/community/peers/${rows[0]?.id}/`, { status: 'accepted' });
  expect(again.status).toBe(404);
});

test('members of a group see the names that strangers see, and the address of connected people alone', async () => {
  const [me, friend, stranger] = await people({}, {}, {});
  await connect(gateway, me, friend);
  const { id } = (await call(me, 'POST', '/chat/groups/', { name: 'Talk' })).json;
  for (const who of [friend, stranger]) {
    await call(who, 'POST', `/chat/groups/${id}/join/`);
    await call(who, 'POST', '/chat/messages/', { group_id: id, content: 'hello' });
  }
  const [{ participants, last_message }] = (await call(me, 'GET', '/chat/groups/')).json;
  expect(participants.map((one: { full_name: string; email: string }) => [one.full_name, one.email])).toEqual([
    ['Ada Lovelace', 'b…@example.org'],
    ['Ada Lovelace', 'b…@example.org'],
    ['Ada L', ''],
  ]);
  expect(last_message.sender_name).toBe('Ada L');
  const { results } = (await call(me, 'GET', `/chat/groups/${id}/messages/`)).json;
  expect(
    results.map((one: { sender_name: string; sender: { full_name: string } }) => [
      one.sender_name,
      one.sender.full_name,
    ]),
  ).toEqual([
    ['Ada L', 'Ada L'],
    ['Ada Lovelace', 'Ada Lovelace'],
  ]);
  const { data } = await graph(
    me,
    'query ($id: ID!) { node(id: $id) { ... on ChatGroup { members { nodes { fullName } } messages { nodes { senderName } } } } }',
    { id: encodeGlobalId('ChatGroup', id) },
  );
  expect(data.node.members.nodes.map((one: { fullName: string }) => one.fullName)).toEqual([
    'Ada Lovelace',
    'Ada Lovelace',
    'Ada L',
  ]);
  expect(data.node.messages.nodes[0].senderName).toBe('Ada L');
});

test('a group is handed over to a member whom the owner sees', async () => {
  const [me, child, blocker] = await people({}, minor, {});
  const { id } = (await call(me, 'POST', '/chat/groups/', { name: 'Talk' })).json;
  for (const who of [child, blocker]) await call(who, 'POST', `/chat/groups/${id}/join/`);
  await block(blocker, me);
  for (const other of [child, blocker]) {
    const { errors } = await graph(
      me,
      'mutation ($input: HandOverGroupInput!) { handOverGroup(input: $input) { chatGroup { id } } }',
      { input: { groupId: encodeGlobalId('ChatGroup', id), personId: encodeGlobalId('Person', other.id) } },
    );
    expect(errors[0].message).toBe('Choose another member of the group.');
  }
});

describe('a comment', () => {
  const comment = async (who: TestAccount, body: object) => call(who, 'POST', '/articles/1/comments/', body);
  const authorSeenBy = async (who: TestAccount, { json }: { json: { text: string } }) => {
    const { results } = (await call(who, 'GET', `/articles/1/comments/?search=${json.text}`)).json;
    return [results[0].author.id, results[0].author.full_name, results[0].author_name];
  };

  test('is signed with the name that strangers see; that of a child for children alone', async () => {
    const [adult, another, child] = await people({}, {}, minor);
    const [ofAdult, ofChild] = [await comment(adult, { text: 'byadult' }), await comment(child, { text: 'bychild' })];
    expect(ofAdult.json.author_name).toBe('Ada Lovelace');
    for (const reader of [another, child])
      expect(await authorSeenBy(reader, ofAdult)).toEqual([adult.id, 'Ada L', 'Ada L']);
    expect(await authorSeenBy(another, ofChild)).toEqual([0, 'Blocked user', 'Blocked user']);
    const [otherChild] = await people(minor);
    expect(await authorSeenBy(otherChild, ofChild)).toEqual([child.id, 'Ada L', 'Ada L']);
    await connect(gateway, adult, another);
    expect(await authorSeenBy(another, ofAdult)).toEqual([adult.id, 'Ada Lovelace', 'Ada Lovelace']);
  });

  test('is not answered by the other age group, and moderators see who tries', async () => {
    const [adult, child, unknown] = await people({}, minor, { date_of_birth: null });
    const parent = (await comment(child, { text: 'ask me' })).json.id;
    const refused = await comment(adult, { text: 'write to me at …', parent });
    expect([refused.status, refused.json.code]).toEqual([403, 'other_age_group']);
    const ofUnknown = await comment(unknown, { text: 'write to me', parent });
    expect([ofUnknown.status, ofUnknown.json.code]).toEqual([403, 'date_of_birth_needed']);
    const { rows } =
      await sql`select person_id, kind from refused_contact where other_id = ${child.id} order by id`.execute(db);
    expect(rows).toEqual([
      { person_id: adult.id, kind: 'message' },
      { person_id: unknown.id, kind: 'message' },
    ]);
    const { rows: replies } = await sql`select 1 from article_comment where parent_id = ${parent}`.execute(db);
    expect(replies).toEqual([]);
    expect((await comment(adult, { text: 'x', parent: 999_999_999 })).json).toEqual({
      parent: ['Invalid pk "999999999" - object does not exist.'],
    });
  });

  test('is not answered by way of somebody who was below 18 then', async () => {
    const [adult, child, grown] = await people({}, minor, minor);
    const parent = (await comment(child, { text: 'ask me' })).json.id;
    const reply = (await comment(grown, { text: 'so do I', parent })).json.id;
    await sql`update users set age_group = 'adult' where id = ${grown.id}`.execute(db);
    const refused = await comment(adult, { text: 'write to me', parent: reply });
    expect([refused.status, refused.json.code]).toEqual([403, 'other_age_group']);
    const { rows } = await sql`select person_id from refused_contact where other_id = ${child.id}`.execute(db);
    expect(rows).toEqual([{ person_id: adult.id }]);
    const { rows: replies } = await sql`select user_id from article_comment where parent_id = ${parent}`.execute(db);
    expect(replies).toEqual([{ user_id: grown.id }]);
  });
});

test('an adult by decision of a moderator, without a date of birth, is suggested like others', async () => {
  const shared = { conditions: ['rare ailment'] };
  const [me, other, moderator] = await people(shared, shared, { is_moderator: true });
  const { status } = await call(other, 'PATCH', '/auth/me/', { date_of_birth: null });
  expect(status).toBe(200);
  const suggested = async () => (await call(me, 'GET', '/community/peers/suggested/')).json;
  expect(await suggested()).toEqual([]);
  const { errors } = await graph(
    moderator,
    'mutation ($id: ID!) { decideHeldAge(input: { personId: $id, isAdult: true }) { personId } }',
    { id: encodeGlobalId('Person', other.id) },
  );
  expect(errors).toBeUndefined();
  expect(await suggested()).toMatchObject([{ user: { id: other.id, age_band: '18 or over' } }]);
});

test('who has told two ages meets nobody new, and keeps who is there', async () => {
  const [me, friend, stranger] = await people({}, {}, {});
  await connect(gateway, me, friend);
  await call(me, 'PATCH', '/auth/me/', { date_of_birth: '2010-03-01' });
  const refused = await call(me, 'POST', '/community/peers/connect/', { receiver_id: stranger.id });
  expect([refused.status, refused.json.code]).toEqual([403, 'date_of_birth_held']);
  expect((await call(stranger, 'POST', '/community/peers/connect/', { receiver_id: me.id })).status).toBe(404);
  expect((await call(me, 'POST', '/chat/messages/', { receiver_id: friend.id, content: 'x' })).status).toBe(201);
  await call(me, 'PATCH', '/auth/me/', { date_of_birth: '1990-05-04' });
  expect((await call(me, 'POST', '/community/peers/connect/', { receiver_id: stranger.id })).status).toBe(201);
});

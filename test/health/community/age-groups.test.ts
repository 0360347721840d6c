import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { ensurePrivateChat } from '../../../src/health/chat/ensure-private-chat.ts';
import { ageByBirthdays } from '../../../src/health/moderation/contact-protection.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { Browser } from '../../harness/browser.ts';
import { testGateway } from '../../harness/gateway.ts';
import { registration, send } from '../../harness/people.ts';
import { refusalOf, subscribe } from '../../harness/subscription.ts';
import { insertGroup, say } from '../people/pair-of-people.ts';

const gateway = await testGateway({ data: 'empty' });
const db = gateway.database.sql;

const ages = { adult: '1990-05-04', minor: '2010-03-01', child: '2016-08-09', unknown: null } as const;
type Age = keyof typeof ages;
type Relation = 'stranger' | 'peer' | 'blocked';

const groupOf = (age: Age) => (age === 'child' ? 'minor' : age);
const names = Object.keys(ages) as Age[];
const table = names.flatMap(mine =>
  names.flatMap(theirs =>
    (['stranger', 'peer', 'blocked'] as const).map(relation => [mine, theirs, relation] as const),
  ),
);

/** Two people with a condition that nobody else has, in one open group, and of the relation. */
async function pair(mine: Age, theirs: Age, relation: Relation) {
  const condition = `condition ${randomUUID()}`;
  const [me, other] = (await createVisibleAccounts(
    gateway,
    [mine, theirs].map((age, at) => ({
      date_of_birth: ages[age],
      conditions: [condition],
      first_name: at === 0 ? 'Mine' : 'Theirs',
    })),
  )) as [TestAccount, TestAccount];
  const call = (who: TestAccount, method: string, path: string, body?: object) =>
    send(gateway, method, path, body, who.access);
  const group = await insertGroup(db, gateway.clock.now, other.id, [me.id]);
  await say(gateway, { kind: 'group', id: group }, other.id, 'a word to the group');
  let chat = '';
  if (relation !== 'stranger') {
    await sql`insert into peer_connection (asker_id, asked_id, status, blocked_by_id, created_at, responded_at)
      values (${me.id}, ${other.id}, ${relation === 'peer' ? 'accepted' : 'blocked'},
        ${relation === 'blocked' ? other.id : null}, ${gateway.clock.now}, ${gateway.clock.now})`.execute(db);
    chat = await ensurePrivateChat(db, me.id, other.id, gateway.clock.now);
  }
  return { me, other, group, chat, call };
}

const graph = async (who: TestAccount, query: string, variables: Record<string, unknown> = {}) => {
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
    body: JSON.stringify({ query, variables }),
  });
  return json;
};

describe('who meets whom', () => {
  test.each(table)('%s and %s, %s', async (mine, theirs, relation) => {
    const { me, other, group, chat, call } = await pair(mine, theirs, relation);
    const areAlike = groupOf(mine) !== 'unknown' && groupOf(mine) === groupOf(theirs);
    const canSee = areAlike && relation !== 'blocked';
    const canTalk = areAlike && relation === 'peer';
    const isOther = (text: string) => text.includes(`${other.id}`) && text.includes('Theirs');

    // Suggestions, and a first request. Lists of people by REST and in the graph.
    const suggested = await call(me, 'GET', '/community/peers/suggested/');
    expect(suggested.json.length).toBe(areAlike && relation === 'stranger' ? 1 : 0);
    const lists = ['/chat/users/', '/chat/private/', '/community/peers/connections/'];
    for (const path of lists) expect([path, isOther((await call(me, 'GET', path)).text)]).toEqual([path, canTalk]);
    const { data } = await graph(
      me,
      `{ healthViewer { contacts(first: 5) { totalCount } peers(first: 5) { totalCount } privateChats(first: 5) { totalCount } } }`,
    );
    const one = { totalCount: canTalk ? 1 : 0 };
    expect(data.healthViewer).toEqual({ contacts: one, peers: one, privateChats: one });

    // Messages.
    const started = await call(me, 'POST', '/chat/private/', { user_id: other.id });
    expect(started.status).toBe(canTalk ? 201 : 403);
    const sent = await call(me, 'POST', '/chat/messages/', { receiver_id: other.id, content: 'a word to you' });
    expect(sent.status).toBe(canTalk ? 201 : 403);
    expect((await call(me, 'GET', `/chat/direct/${other.id}/messages/`)).status).toBe(canTalk ? 200 : 404);
    if (relation !== 'stranger') {
      expect((await call(me, 'POST', '/chat/messages/', { chat_id: chat, content: 'x' })).status).toBe(
        canTalk ? 201 : 403,
      );
      expect((await call(me, 'GET', `/chat/private/${chat}/messages/`)).status).toBe(canTalk ? 200 : 404);
      const id = encodeGlobalId('PrivateChat', chat);
      const document = 'subscription ($id: ID!) { chatMessageAdded(chatId: $id) { text } }';
      if (!canTalk)
        expect(await refusalOf(subscribe(gateway, me.access, document, { id }))).toMatch(/NOT_FOUND|FORBIDDEN/);
    }

    // Groups: members, their words, and people who are taken along.
    const messages = (await call(me, 'GET', `/chat/groups/${group}/messages/`)).json.results;
    expect(messages.map((row: { content: string }) => row.content)).toEqual([canSee ? 'a word to the group' : '']);
    const members = await call(me, 'GET', `/chat/groups/${group}/`);
    expect(isOther(members.text)).toBe(canSee);
    const shown = await graph(
      me,
      `query($id: ID!) { node(id: $id) { ... on ChatGroup { members(first: 9) { nodes { fullName } } } } }`,
      {
        id: encodeGlobalId('ChatGroup', group),
      },
    );
    expect(shown.data.node.members.nodes.length).toBe(canSee ? 2 : 1);
    const together = await call(me, 'POST', '/chat/groups/', { name: 'Two', participant_ids: [other.id] });
    expect(together.status).toBe(canTalk ? 201 : groupOf(mine) === 'unknown' ? 403 : 400);

    // Requests.
    const mutation = 'mutation($id: ID!) { requestPeer(input: { personId: $id }) { peerLink { status } } }';
    const byGraph = await graph(me, mutation, { id: encodeGlobalId('Person', other.id) });
    const asked = await call(me, 'POST', '/community/peers/connect/', { receiver_id: other.id });
    if (groupOf(mine) === 'unknown') {
      expect([asked.status, asked.json.code]).toEqual([403, 'date_of_birth_needed']);
      expect(byGraph.errors[0].extensions.reason).toBe('date_of_birth_needed');
    } else if (!areAlike || relation === 'blocked') {
      expect([asked.status, byGraph.errors[0].extensions.code]).toEqual([404, 'NOT_FOUND']);
    } else {
      expect(byGraph.errors === undefined).toBe(relation === 'stranger');
      // The first request came by the graph.
      expect(asked.status).toBe(400);
    }
    if (relation === 'stranger') {
      // A request from before people were kept apart.
      const old = await sql<{
        id: number;
      }>`insert into peer_connection (asker_id, asked_id, status, match_reason, created_at)
        values (${other.id}, ${me.id}, 'pending', 'secret words', ${gateway.clock.now})
        on conflict (least(asker_id, asked_id), greatest(asker_id, asked_id))
        do update set asker_id = excluded.asker_id, asked_id = excluded.asked_id, match_reason = excluded.match_reason
        returning id`.execute(db);
      const waiting = await call(me, 'GET', '/community/peers/requests/');
      expect([isOther(waiting.text), waiting.text.includes('secret words')]).toEqual([areAlike, false]);
      const answered = await call(me, 'PATCH', `/community/peers/${old.rows[0]?.id}/`, { status: 'accepted' });
      const refusal = groupOf(mine) === 'unknown' ? 403 : 404;
      expect(answered.status).toBe(areAlike ? 200 : refusal);
      if (areAlike) expect(answered.json.match_reason).toBe('secret words');
    }
  });

  test('who has given no date of birth is told where to give it, by every write to others, and reads the own data', async () => {
    const [me, friend] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await connect(gateway, me, friend);
    const post = (who: TestAccount, path: string, body: object = {}) => send(gateway, 'POST', path, body, who.access);
    const own = (await post(me, '/chat/groups/', { name: 'Talk', participant_ids: [friend.id] })).json.id;
    expect((await post(me, '/chat/messages/', { group_id: own, content: 'my own words' })).status).toBe(201);
    const [open, closed] = await Promise.all(
      ['open', 'closed'].map(
        async visibility => (await post(friend, '/chat/groups/', { name: 'One', visibility })).json.id,
      ),
    );
    const circle = (await post(friend, '/community/groups/', { name: `Circle ${friend.id}` })).json.id;
    const invite =
      'mutation($g: ID!, $p: ID!) { inviteToGroup(input: { groupId: $g, personId: $p }) { groupEntry { id } } }';
    const group = encodeGlobalId('ChatGroup', closed);
    const { data } = await graph(friend, invite, { g: group, p: encodeGlobalId('Person', me.id) });
    await sql`update users set date_of_birth = null, age_group = null where id = ${me.id}`.execute(db);
    await sql`delete from held_age where user_id = ${me.id}`.execute(db);

    const refused = [
      post(me, '/chat/groups/', { name: 'Another' }),
      post(me, '/community/groups/', { name: `Another ${me.id}` }),
      post(me, `/chat/groups/${open}/join/`),
      post(me, `/chat/groups/${closed}/join/`),
      post(me, `/community/groups/${circle}/join/`),
      post(me, '/chat/messages/', { group_id: own, content: 'x' }),
      post(me, '/chat/messages/', { receiver_id: friend.id, content: 'x' }),
      post(me, '/chat/private/', { user_id: friend.id }),
      post(me, '/community/peers/connect/', { receiver_id: friend.id }),
    ];
    const detail = expect.stringContaining('`date_of_birth` in your profile (PATCH /auth/me/)');
    for (const { status, json } of await Promise.all(refused))
      expect([status, json]).toEqual([403, { detail, code: 'date_of_birth_needed' }]);
    const answer =
      'mutation($id: ID!) { answerGroupEntry(input: { groupEntryId: $id, answer: ACCEPT }) { clientMutationId } }';
    const ask = 'mutation($g: ID!) { requestGroupEntry(input: { groupId: $g }) { groupEntry { id } } }';
    for (const { errors } of [
      await graph(me, answer, { id: data.inviteToGroup.groupEntry.id }),
      await graph(me, ask, { g: group }),
    ])
      expect(errors[0].extensions.reason).toBe('date_of_birth_needed');

    const { json } = await send(gateway, 'GET', `/chat/groups/${own}/messages/`, undefined, me.access);
    expect(json.results).toMatchObject([{ content: 'my own words', is_mine: true }]);
    const heard = await send(gateway, 'GET', `/chat/groups/${own}/messages/`, undefined, friend.access);
    expect(heard.json.results).toMatchObject([{ content: '', sender_name: 'Blocked user' }]);
    expect((await send(gateway, 'PATCH', '/auth/me/', { date_of_birth: ages.adult }, me.access)).status).toBe(200);
    expect((await post(me, '/chat/messages/', { receiver_id: friend.id, content: 'x' })).status).toBe(201);
  });

  test('no page shows other people', async () => {
    const { me } = await pair('adult', 'adult', 'peer');
    const browser = new Browser(gateway);
    for (const path of ['/health', '/health/goals', '/health/symptoms']) {
      const { text } = await browser.open(path, undefined, { authorization: `Bearer ${me.access}` });
      expect([path, text.includes('Theirs')]).toEqual([path, false]);
    }
  });
});

describe('dates of birth', () => {
  const change = (who: TestAccount, body: object) => send(gateway, 'PATCH', '/auth/me/', body, who.access);
  const groupNow = async ({ id }: TestAccount) =>
    (await sql<{ group: string | null }>`select age_group as "group" from users where id = ${id}`.execute(db)).rows[0]
      ?.group;

  test('below the minimum age are refused with a sentence, at registration and later', async () => {
    const sentence = 'You must be at least 16 years old to have an account.';
    const [me] = (await createVisibleAccounts(gateway, [{ date_of_birth: null }])) as [TestAccount];
    for (const [born, isGood] of [
      ['2016-08-09', false],
      ['2010-11-02', false],
      ['2010-11-01', true],
    ] as const) {
      const registered = await send(gateway, 'POST', '/auth/register/', { ...registration(), date_of_birth: born });
      const changed = await change(me, { date_of_birth: born });
      expect([born, registered.status, changed.status]).toEqual([born, isGood ? 201 : 400, isGood ? 200 : 400]);
      if (!isGood)
        expect([registered.json, changed.json]).toEqual([{ date_of_birth: [sentence] }, { date_of_birth: [sentence] }]);
    }
  });

  test.each([
    ['minor', '1990-05-04'],
    ['minor', null],
    ['adult', '2009-05-04'],
    ['adult', null],
  ] as const)('of a %s that becomes %s changes no group until a moderator has decided', async (age, born) => {
    const [me, moderator] = (await createVisibleAccounts(gateway, [
      { date_of_birth: ages[age] },
      { is_moderator: true },
    ])) as [TestAccount, TestAccount];
    expect((await change(me, { date_of_birth: born })).status).toBe(200);
    // Not by way of no date at all either.
    await change(me, { date_of_birth: null });
    await change(me, { date_of_birth: born });
    expect(await groupNow(me)).toBe(age);
    await ageByBirthdays(db, gateway.clock.now);
    expect(await groupNow(me)).toBe(age);
    const held = await graph(moderator, '{ heldAges { person { personId } isAdult bornOn } }');
    const id = encodeGlobalId('Person', me.id);
    expect(held.data.heldAges).toContainEqual({ person: { personId: id }, isAdult: age === 'adult', bornOn: born });
    const decide = (who: TestAccount, isAdult: boolean) =>
      graph(
        who,
        'mutation($id: ID!, $is: Boolean!) { decideHeldAge(input: { personId: $id, isAdult: $is }) { personId } }',
        {
          id,
          is: isAdult,
        },
      );
    expect((await decide(me, age !== 'adult')).errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await decide(moderator, age !== 'adult')).errors).toBeUndefined();
    expect(await groupNow(me)).toBe(age === 'adult' ? 'minor' : 'adult');
    expect((await decide(moderator, true)).errors[0].extensions.code).toBe('NOT_FOUND');
  });

  test('of moderators are decided on by others', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [
      { date_of_birth: ages.minor, is_moderator: true },
      { is_moderator: true },
    ])) as [TestAccount, TestAccount];
    await change(me, { date_of_birth: ages.adult });
    const decide = (who: TestAccount) =>
      graph(who, 'mutation($id: ID!) { decideHeldAge(input: { personId: $id, isAdult: true }) { personId } }', {
        id: encodeGlobalId('Person', me.id),
      });
    expect((await decide(me)).errors[0].extensions.reason).toBe('own_age');
    expect(await groupNow(me)).toBe('minor');
    expect((await decide(other)).errors).toBeUndefined();
    expect(await groupNow(me)).toBe('adult');
  });

  test('make an adult of a minor on the 18th birthday', async () => {
    const [me] = (await createVisibleAccounts(gateway, [{ date_of_birth: '2009-01-15' }])) as [TestAccount];
    await ageByBirthdays(db, new Date('2027-01-14T23:00:00Z'));
    expect(await groupNow(me)).toBe('minor');
    await ageByBirthdays(db, new Date('2027-01-15T01:00:00Z'));
    expect(await groupNow(me)).toBe('adult');
  });
});

test('moderators see who tries to reach the other age group, and nobody else does', async () => {
  const { me, other, call } = await pair('adult', 'minor', 'stranger');
  const [third, moderator] = (await createVisibleAccounts(gateway, [
    { date_of_birth: ages.minor },
    { is_moderator: true },
  ])) as [TestAccount, TestAccount];
  await call(me, 'POST', '/community/peers/connect/', { receiver_id: other.id });
  await call(me, 'POST', '/community/peers/connect/', { receiver_id: third.id });
  await call(me, 'POST', '/chat/private/', { user_id: other.id });
  // A refusal for another reason is none.
  await call(me, 'POST', '/community/peers/connect/', { receiver_id: 999_999_999 });
  const query =
    '{ contactSummaries(days: 1) { person { personId } isAdult refusedAttempts refusedPeople requests blockers } }';
  const { data } = await graph(moderator, query);
  expect(data.contactSummaries).toContainEqual({
    person: { personId: encodeGlobalId('Person', me.id) },
    isAdult: true,
    refusedAttempts: 3,
    refusedPeople: 2,
    requests: 0,
    blockers: 0,
  });
  expect((await graph(me, query)).errors[0].extensions.code).toBe('FORBIDDEN');
});

test('strangers see a display name, or a first name and a letter; connected people the whole name', async () => {
  const condition = `condition ${randomUUID()}`;
  const [me, plain, named] = (await createVisibleAccounts(
    gateway,
    ['Robin', 'Ada', 'Bea'].map(name => ({ first_name: name, last_name: 'Lovelace', conditions: [condition] })),
  )) as [TestAccount, TestAccount, TestAccount];
  const given = await send(gateway, 'PATCH', '/auth/me/', { display_name: 'Sunflower' }, named.access);
  expect([given.status, given.json.display_name, given.json.full_name]).toEqual([200, 'Sunflower', 'Bea Lovelace']);
  const { json } = await send(gateway, 'GET', '/community/peers/suggested/', undefined, me.access);
  expect(json.map((one: { user: { full_name: string } }) => one.user.full_name).toSorted()).toEqual([
    'Ada L',
    'Sunflower',
  ]);
  expect(JSON.stringify(json)).not.toContain('Lovelace');
  await sql`insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
    values (${me.id}, ${plain.id}, 'accepted', ${gateway.clock.now}, ${gateway.clock.now})`.execute(db);
  const peers = await send(gateway, 'GET', '/community/peers/connections/', undefined, me.access);
  expect(peers.json.results[0].peer.full_name).toBe('Ada Lovelace');
});

import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });

/** Private values, each a word that occurs nowhere else. */
const secretsOf = (name: string): Record<string, string> => ({
  email: `${name}-mailbox-secret@example.org`,
  allergies: `${name}-allergy-secret`,
  about_me: `${name}-about-secret`,
  mobile_no: `+4915100${name.length}00077`,
  password_hash: `${name}-hash-secret`,
  date_of_birth: '1971-03-09',
});

const [me, friend, stranger, asker] = (await createVisibleAccounts(gateway, [
  { first_name: 'Me', conditions: ['gout', 'shared-condition'], symptoms: ['cough'] },
  ...['friend', 'stranger', 'asker'].map(name => ({
    first_name: name,
    ...secretsOf(name),
    conditions: ['shared-condition', `${name}-condition-secret`],
    symptoms: [`${name}-symptom-secret`],
    weight_kg: '77.77',
    is_smoker: 'Y',
  })),
])) as [TestAccount, TestAccount, TestAccount, TestAccount];

const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);

await connect(gateway, me, friend);
await post(asker, '/community/peers/connect/', { receiver_id: me.id });
await post(friend, '/chat/messages/', { receiver_id: me.id, content: 'hello' });
await connect(gateway, friend, stranger);
await post(friend, '/chat/messages/', { receiver_id: stranger.id, content: 'message-secret' });
const group = (await post(friend, '/community/groups/', { name: 'Group', condition_tags: ['shared-condition'] })).json;
await post(stranger, `/community/groups/${group.id}/join/`);
await post(me, `/community/groups/${group.id}/join/`);
const talk = (await post(friend, '/chat/groups/', { name: 'Talk' })).json.id;
await post(stranger, `/chat/groups/${talk}/join/`);
await post(me, `/chat/groups/${talk}/join/`);
await post(stranger, '/chat/messages/', { group_id: talk, content: 'hello all' });
const others = (await post(friend, '/chat/groups/', { name: 'Others' })).json.id;
await post(friend, '/chat/messages/', { group_id: others, content: 'others-secret' });
const chat = (await send(gateway, 'GET', '/chat/private/', undefined, me.access)).json[0].id;
const foreign = (
  await sql<{ id: string }>`select id from private_chat where id <> ${chat}`.execute(gateway.database.sql)
).rows;

/** Values for the parameters of all paths. */
const fillings: Record<string, string[]> = {
  '/community/groups/{id}/': [String(group.id)],
  '/chat/groups/{id}/': [talk, others],
  '/chat/groups/{id}/messages/': [talk, others],
  '/chat/private/{id}/messages/': [chat, ...foreign.map(row => row.id)],
  '/chat/direct/{id}/messages/': [friend.id, stranger.id, asker.id].map(String),
};

const { json: document } = await gateway.request('/openapi/health.json');
const reads = Object.entries(document.paths as Record<string, Record<string, unknown>>)
  .filter(([, methods]) => 'get' in methods)
  .map(([path]) => path);

const forbidden =
  /secret|77\.77|1971|1510|"(password_hash|date_of_birth|allergies|conditions|symptoms|is_smoker|mobile_no)":(?!null|""|\[\])/;

describe('a user who reads everything', () => {
  test('has a value for every path parameter', () => {
    const known = [...Object.keys(fillings), '/articles/{id}/'];
    const own = reads.filter(path => /^\/(community|chat)\/.*\{/.test(path));
    expect(own.filter(path => !known.includes(path))).toEqual([]);
  });

  test.each(reads)('finds nothing of others that is not theirs to see in GET %s', async path => {
    const bodies: string[] = [];
    for (const value of fillings[path] ?? ['1', String(friend.id)]) {
      for (const query of path.includes('connections')
        ? ['', '?status=pending', '?status=blocked']
        : ['', '?search=secret']) {
        const { text } = await gateway.request(`/api/v1${path.replace(/\{\w+\}/, value)}${query}`, {
          headers: { authorization: `Bearer ${me.access}` },
        });
        bodies.push(text);
      }
      if (!path.includes('{')) break;
    }
    // The caller's own profile, logs and assessments have these keys.
    const own = /^\/(auth\/me|health|assessments)\//.test(path);
    for (const body of bodies) expect(body).not.toMatch(own ? /secret|77\.77|1971|1510/ : forbidden);
  });

  test('sees shared data, so that the test is meaningful', async () => {
    const text = async (path: string): Promise<string> =>
      (await gateway.request(`/api/v1${path}`, { headers: { authorization: `Bearer ${me.access}` } })).text;
    expect(await text('/community/peers/suggested/')).toContain('shared-condition');
    expect(await text('/chat/users/')).toContain('f…@example.org');
    expect(await text(`/chat/groups/${talk}/`)).toContain('hello all');
    expect(await text('/community/peers/requests/')).toContain('asker');
  });

  test.each([
    '{ healthViewer { peers { nodes { peer { personId fullName profilePicture } chat { lastMessage { text } } } } } }',
    '{ healthViewer { peerSuggestions(limit: 50) { person { personId fullName } age reason sharedTerms score } } }',
    '{ communityGroups { nodes { members { nodes { personId fullName } } createdBy { fullName } chatGroup { name } } } }',
    '{ healthViewer { chatGroups(discover: true) { nodes { members { nodes { fullName } } lastMessage { text } messages { nodes { text } } } } } }',
    '{ healthViewer { privateChats { nodes { peer { fullName } lastMessage { text } } } contacts { nodes { maskedEmail person { fullName } } } } }',
  ])('finds nothing in the graph either: %s', async query => {
    const { json, text } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${me.access}` },
      body: JSON.stringify({ query }),
    });
    expect(json.errors).toBeUndefined();
    expect(text).not.toMatch(forbidden);
  });
});

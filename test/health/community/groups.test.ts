import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createVisibleAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [ada, ben, cleo] = (await createVisibleAccounts(gateway, [
  { first_name: 'Ada' },
  { first_name: 'Ben' },
  { first_name: 'Cleo', is_visible_in_community: false },
])) as [Person, Person, Person];
type Person = Awaited<ReturnType<typeof createVisibleAccounts>>[number];

const create = (body: object, who = ada) => send(gateway, 'POST', '/community/groups/', body, who.access);
const change = (id: number | string, verb: 'join' | 'leave', who: Person) =>
  send(gateway, 'POST', `/community/groups/${id}/${verb}/`, undefined, who.access);

describe('creating a group', () => {
  test('returns the group with its chat; the creator joins only the group', async () => {
    const { status, json } = await create({
      name: '  Sjögren &  Friends ',
      description: 'Dry eyes.',
      condition_tags: ['Sjögren', 'dry eyes', 'Dry Eyes'],
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      name: 'Sjögren & Friends',
      slug: 'sjogren-friends',
      description: 'Dry eyes.',
      condition_tags: ['sjögren', 'dry eyes'],
      member_count: 1,
      is_member: true,
      is_owner: true,
      is_active: true,
      visibility: 'open',
      chat_group_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_by: { id: ada.id, full_name: ada.name, profile_picture: null },
      created_at: '2026-11-01T12:00:00.000000Z',
    });
    const { json: chats } = await send(gateway, 'GET', '/chat/groups/', undefined, ada.access);
    expect(chats).toEqual([]);
    const { json: open } = await send(gateway, 'GET', '/chat/groups/discover/', undefined, ada.access);
    expect(open).toEqual([
      expect.objectContaining({
        id: json.chat_group_id,
        community_group_id: json.id,
        is_member: false,
        participants: [],
      }),
    ]);
  });

  test('accepts a slug', async () => {
    expect((await create({ name: 'Own slug', slug: 'My_slug-1' })).json.slug).toBe('My_slug-1');
  });

  test('generates a random slug for a name without Latin letters', async () => {
    expect((await create({ name: '糖尿病友' })).json.slug).toMatch(/^group-[0-9a-f]{8}$/);
  });

  test.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: null }, { name: ['This field may not be null.'] }],
    [{ name: ' ' }, { name: ['This field may not be blank.'], slug: undefined }],
    [{ name: 'ab' }, { name: ['Ensure this field has at least 3 characters.'] }],
    [{ name: 'x'.repeat(101) }, { name: ['Ensure this field has no more than 100 characters.'] }],
    [
      { name: 'fine', description: 'x'.repeat(1001) },
      { description: ['Ensure this field has no more than 1000 characters.'] },
    ],
    [
      { name: 'fine', slug: 'no spaces' },
      { slug: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'] },
    ],
    [{ name: 'fine', slug: 'x'.repeat(111) }, { slug: ['Ensure this field has no more than 110 characters.'] }],
    [{ name: 'fine', condition_tags: 'flu' }, { condition_tags: ['Expected a list of items but got type "str".'] }],
    [
      { name: 'fine', condition_tags: Array.from({ length: 11 }, (_, at) => `tag ${at}`) },
      { condition_tags: ['Ensure this field has no more than 10 elements.'] },
    ],
    [
      { name: 'fine', condition_tags: ['x'.repeat(51)] },
      { condition_tags: ['Ensure this field has no more than 50 characters.'] },
    ],
  ])('refuses %j', async (body, problems) => {
    const { status, json } = await create(body);
    expect({ status, json }).toEqual({ status: 400, json: JSON.parse(JSON.stringify(problems)) });
  });

  test('refuses a name in use, ignoring case, and a slug in use', async () => {
    await create({ name: 'Migraine circle' });
    const slug = ['community group with this slug already exists.'];
    const name = ['community group with this name already exists.'];
    expect((await create({ name: 'MIGRAINE Circle' })).json).toEqual({ name, slug });
    expect((await create({ name: 'Another', slug: 'migraine-circle' })).json).toEqual({ slug });
    expect((await create({ name: 'Migraine, circle' })).json).toEqual({ slug });
    expect((await create({ name: 'migraine circle', slug: 'other' })).json).toEqual({ name });
  });

  test('lets one of many concurrent calls have the name', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'All at once' })));
    expect(answers.map(one => one.status).toSorted()).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
  });
});

describe('joining and leaving', () => {
  test('is idempotent', async () => {
    const { id } = (await create({ name: 'Come and go' })).json;
    const joined = { detail: expect.any(String), is_member: true, member_count: 2 };
    expect(await change(id, 'join', ben)).toMatchObject({ status: 201, json: joined });
    expect(await change(id, 'join', ben)).toMatchObject({ status: 201, json: joined });
    const left = { detail: expect.any(String), is_member: false, member_count: 1 };
    expect(await change(id, 'leave', ben)).toMatchObject({ status: 201, json: left });
    expect(await change(id, 'leave', ben)).toMatchObject({ status: 201, json: left });
  });

  test('keeps the count under concurrency', async () => {
    const { id } = (await create({ name: 'Crowd' })).json;
    const crowd = await createVisibleAccounts(gateway, 6);
    const moves = [...crowd, ...crowd, ...crowd].map((who, at) => change(id, at % 3 === 1 ? 'leave' : 'join', who));
    expect((await Promise.all(moves)).map(one => one.status)).toEqual(moves.map(() => 201));
    const { rows } = await sql<{ counted: number; told: number }>`
      select count(*)::int as counted, max(member_count) as told from community_membership m
      join community_group g on g.id = m.group_id where g.id = ${id}`.execute(gateway.database.sql);
    expect(rows[0]?.told).toBe(rows[0]?.counted);
  });

  test.each(['987654321', 'x', '0', '-1', '1.5'])('is 404 for the group %s', async id => {
    for (const verb of ['join', 'leave'] as const) expect((await change(id, verb, ada)).status).toBe(404);
    expect((await send(gateway, 'GET', `/community/groups/${id}/`, undefined, ada.access)).status).toBe(404);
  });
});

describe('the list', () => {
  test('is sorted by name and filtered by search and condition', async () => {
    await create({ name: 'Zebra lupus', condition_tags: ['Lupus'], description: 'Rare things' });
    await create({ name: 'apple lupus', condition_tags: ['lupus', 'apples'] });
    const list = async (query: string): Promise<string[]> => {
      const { status, json } = await send(gateway, 'GET', `/community/groups/${query}`, undefined, ben.access);
      expect(status).toBe(200);
      return json.map((one: { name: string }) => one.name);
    };
    expect(await list('?condition=LUPUS')).toEqual(['apple lupus', 'Zebra lupus']);
    expect(await list('?condition=lup')).toEqual([]);
    expect(await list('?search=lupus%20rare')).toEqual(['Zebra lupus']);
    expect(await list('?search=apples')).toEqual(['apple lupus']);
    expect(await list('?search=%25')).toEqual([]);
    const all = await list('');
    expect(all).toEqual(all.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')));
    expect(await list('?search=no-such-thing')).toEqual([]);
  });

  test('takes one statement besides the session', async () => {
    const statements = await gateway.statements(() =>
      send(gateway, 'GET', '/community/groups/', undefined, ada.access),
    );
    expect(statements.filter(text => text.includes('community_group'))).toHaveLength(1);
  });
});

describe('one group', () => {
  test('returns to members themselves and members with opt-in', async () => {
    const { id } = (await create({ name: 'Who is there' })).json;
    await change(id, 'join', ben);
    await change(id, 'join', cleo);
    const members = async (who: Person): Promise<number[]> => {
      const { json } = await send(gateway, 'GET', `/community/groups/${id}/`, undefined, who.access);
      expect(json.member_count).toBe(3);
      return json.members.map((one: { id: number }) => one.id);
    };
    expect(await members(ada)).toEqual([ada.id, ben.id]);
    expect(await members(cleo)).toEqual([ada.id, ben.id, cleo.id]);
    await change(id, 'leave', ben);
    const { json } = await send(gateway, 'GET', `/community/groups/${id}/`, undefined, ben.access);
    expect({ members: json.members, count: json.member_count }).toEqual({ members: [], count: 2 });
  });

  test('shows no more than 20 members', async () => {
    const { id } = (await create({ name: 'Full house' })).json;
    for (const who of await createVisibleAccounts(gateway, 24)) await change(id, 'join', who);
    const { json } = await send(gateway, 'GET', `/community/groups/${id}/`, undefined, ada.access);
    expect({ shown: json.members.length, count: json.member_count }).toEqual({ shown: 20, count: 25 });
  });
});

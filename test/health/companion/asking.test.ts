import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info', settings: { CRISIS_HELPLINE_COUNTRIES: 'US,xx' } });
const guests = await testGateway({ data: 'demo', settings: { AI_GUESTS: 'on' } });
const strict = await testGateway({
  data: 'demo',
  settings: { RATE_LIMIT_FACTOR: 'on', AI_GUESTS: 'on', TRUST_PROXY: 'loopback' },
});

const people: TestAccount[] = [];
beforeAll(async () => {
  people.push(...(await createAccounts(gateway, 12)));
});
const somebody = (): TestAccount => people.pop() as TestAccount;
const ask = (message: unknown, access?: string) => send(gateway, 'POST', '/chat/ai/', { message }, access);
const history = async (access: string, query = '') =>
  (await send(gateway, 'GET', `/chat/ai/history/${query}`, undefined, access)).json;
const disclaimer = /I am a computer program, not a clinician/;

describe('a question that articles answer', () => {
  test('is answered with quotations, citations and URLs', async () => {
    const { access } = somebody();
    const { status, json } = await ask('  How can I lower my blood sugar at night? ', access);
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      reply: expect.stringMatching(disclaimer),
      user_message: 'How can I lower my blood sugar at night?',
      timestamp: '2026-11-01T12:00:00Z',
      sources: expect.any(Array),
      safety: { level: 'none', resources: [] },
      disclaimer: expect.stringMatching(disclaimer),
      engine: 'retrieval',
    });
    expect(json.sources[0].headline).toBe('Why blood sugar can rise at night and what may help');
    const bullets = json.reply.split('\n').filter((line: string) => line.startsWith('- '));
    expect(bullets.length).toBeGreaterThan(0);
    expect(bullets.length).toBeLessThanOrEqual(3);
    // Every bullet is text of the cited article, and every citation is listed.
    for (const bullet of bullets) {
      const [, text = '', number = ''] = /^- (.*?)(?: …)? \[(\d)\]$/.exec(bullet) ?? [];
      const source = json.sources[Number(number) - 1];
      const { rows } = await sql<{ body: string }>`
        select regexp_replace(summary || ' ' || body_markdown, '[^[:alnum:]]+', ' ', 'g') as body
        from article where id = ${source.article}`.execute(gateway.database.sql);
      expect(text.length).toBeGreaterThan(30);
      expect(rows[0]?.body).toContain(text.replace(/[^\p{L}\d]+/gu, ' ').trim());
    }
    for (const [at, { article, headline, url }] of json.sources.entries()) {
      expect(json.reply).toContain(`[${at + 1}] ${headline} (`);
      const there = await gateway.request(new URL(url).pathname);
      expect([there.status, there.json.id]).toEqual([200, article]);
    }
  });

  test.each([
    ['What helps against a migraine attack?', /migraine/i],
    ['tell me how to treat a burn', /burn/i],
    ['insomnia', /insomnia|sleep/i],
    ['how much salt is too much', /salt/i],
    ['foot care diabetes', /foot|diabetes/i],
  ])('%s', async (question, headline) => {
    const { json } = await ask(question, people[0]?.access);
    expect(json.sources[0]?.headline).toMatch(headline);
  });

  test.each([
    'Tell me about quantum entanglement',
    'What is the capital of France?',
    'Who won the football match yesterday?',
    'hello',
    'What time is it?',
    'Can you write a poem about the sea?',
    'What is 12 times 13?',
    'Which phone should I buy?',
    'Fix my JavaScript code please',
    'Who is the president of Brazil?',
    'recommend a good film',
    '???',
    '🐎🐎🐎',
    'the of and',
    "' | & ! :* <-> \\",
    'asdf qwer zxcv',
  ])('%s: there is none, and it says so', async question => {
    const { status, json } = await ask(question, people[0]?.access);
    expect([status, json.sources]).toEqual([201, []]);
    expect(json.reply).toMatch(/^I have no article on this/);
    expect(json.reply).toMatch(disclaimer);
  });

  test('finds nothing in articles that are not visible', async () => {
    const { access } = somebody();
    await sql`insert into article (headline, body_markdown, body, source, read_time_minutes, published_at, updated_at, withdrawn_at)
      values ('Zymurgistics of the spleen', 'Zymurgistics is a word for a test, which is long enough to be a paragraph here.', '', 'other', 1, '2026-01-01', '2026-01-01', '2026-02-01'),
        ('Zymurgistics of tomorrow', 'Zymurgistics is a word for a test, which is long enough to be a paragraph here.', '', 'other', 1, '2027-01-01', '2026-01-01', null)`.execute(
      gateway.database.sql,
    );
    await sql`refresh materialized view lexeme_df`.execute(gateway.database.sql);
    expect((await ask('zymurgistics', access)).json.sources).toEqual([]);
    await sql`delete from article where headline like 'Zymurgistics%'`.execute(gateway.database.sql);
    await sql`refresh materialized view lexeme_df`.execute(gateway.database.sql);
  });

  test('takes one statement to search, and a lock and an insert to store', async () => {
    const { access } = somebody();
    await ask('What helps against a migraine attack?', access);
    const statements = await gateway.statements(() => ask('What helps against a migraine attack?', access));
    const own = statements.filter(text => !/session/.test(text));
    expect(own.map(text => /lexeme_df|for no key update|insert into companion_message/.exec(text)?.[0])).toEqual([
      'lexeme_df',
      'for no key update',
      'insert into companion_message',
    ]);
    expect(statements.length - own.length).toBe(1);
  });
});

describe('an urgent message', () => {
  test('of a crisis gets a fixed text with helplines', async () => {
    const { access } = somebody();
    const { status, json } = await ask('I want to kill myself', access);
    expect(status).toBe(201);
    expect(json).toMatchObject({ sources: [], engine: 'retrieval', safety: { level: 'crisis' } });
    expect(json.safety.resources).toEqual([
      { name: 'Emergency services (US)', contact: '911' },
      { name: '988 Suicide & Crisis Lifeline', contact: 'Call or text 988' },
      { name: 'Helplines of your country', contact: 'https://findahelpline.com' },
    ]);
    for (const { name, contact } of json.safety.resources) expect(json.reply).toContain(`${name}: ${contact}`);
    expect(json.reply).toMatch(/^I am really sorry/);
  });

  test('of abuse lists abuse helplines first', async () => {
    const { json } = await ask('My husband hits me', people[0]?.access);
    expect(json.safety.level).toBe('crisis');
    expect(json.safety.resources[1].name).toBe('National Domestic Violence Hotline');
  });

  test('of a red flag has the notice before the answer', async () => {
    const { json } = await ask('I have crushing chest pain, is it heartburn?', people[0]?.access);
    expect(json.safety).toEqual({
      level: 'urgent',
      resources: [{ name: 'Emergency services (US)', contact: '911' }],
    });
    expect(json.reply).toMatch(/^\*\*Call emergency services now\.\*\*/);
    expect(json.reply.indexOf('our articles say')).toBeGreaterThan(0);
  });

  test('names the local emergency number without a configured country', async () => {
    const [one] = await createAccounts(guests, 1);
    const { json } = await send(guests, 'POST', '/chat/ai/', { message: 'I want to die' }, one?.access);
    expect(json.safety.resources).toEqual([
      { name: 'Emergency services', contact: 'Call your local emergency number' },
      { name: 'Helplines of your country', contact: 'https://findahelpline.com' },
    ]);
  });

  test('is counted anonymously', async () => {
    const { text } = await gateway.request('/metrics');
    expect(text).toMatch(/portico_companion_answers_total\{engine="retrieval",safety="crisis"\} [1-9]/);
    expect(text).toMatch(/portico_companion_answers_total\{engine="retrieval",safety="none"\} [1-9]/);
  });
});

describe('an invalid message', () => {
  test.each([
    [{}, 'This field is required.'],
    [{ message: null }, 'This field may not be null.'],
    [{ message: '' }, 'This field may not be blank.'],
    [{ message: ' \n\t ' }, 'This field may not be blank.'],
    [{ message: 'x'.repeat(2_001) }, 'Ensure this field has no more than 2000 characters.'],
    [{ message: ['a'] }, 'Not a valid string.'],
    [{ message: { a: 1 } }, 'Not a valid string.'],
    [{ message: 'a\0b' }, 'Null characters are not allowed.'],
  ])('%j', async (body, sentence) => {
    const { access } = people[0] as TestAccount;
    const before = (await history(access)).length;
    const { status, json } = await send(gateway, 'POST', '/chat/ai/', body, access);
    expect([status, json]).toEqual([400, { message: [sentence] }]);
    expect((await history(access)).length).toBe(before);
  });

  test('of 2,000 characters of any kind is accepted', async () => {
    const { access } = somebody();
    for (const character of ['x', '🐎', "'", '\\', '[1] ', '\n-']) {
      const message = `a${character.repeat(2_000)}`.slice(0, 2_000 * (character === '🐎' ? 2 : 1) - 3);
      expect((await ask(message, access)).status).toBe(201);
    }
  });
});

describe('the history', () => {
  test('has question and answer, the oldest first, and is deleted permanently', async () => {
    const { access, id } = somebody();
    expect(await history(access)).toEqual([]);
    const first = (await ask('What helps against a migraine attack?', access)).json;
    gateway.clock.now = new Date('2026-11-01T12:05:00Z');
    const second = (await ask('I want to die', access)).json;
    gateway.clock.now = new Date('2026-11-01T12:00:00Z');
    const turns = await history(access);
    expect(turns).toEqual([
      { id: first.id - 1, role: 'user', content: first.user_message, timestamp: '2026-11-01T12:00:00Z' },
      { id: first.id, role: 'assistant', content: first.reply, timestamp: '2026-11-01T12:00:00Z' },
      { id: second.id - 1, role: 'user', content: 'I want to die', timestamp: '2026-11-01T12:05:00Z' },
      { id: second.id, role: 'assistant', content: second.reply, timestamp: '2026-11-01T12:05:00Z' },
    ]);
    expect(await history(access, '?limit=1')).toEqual([turns[3]]);
    const other = somebody();
    expect(await history(other.access)).toEqual([]);
    expect((await send(gateway, 'DELETE', '/chat/ai/history/', undefined, other.access)).status).toBe(204);
    expect(await history(access)).toHaveLength(4);
    for (let times = 0; times < 2; times++) {
      const cleared = await send(gateway, 'DELETE', '/chat/ai/history/', undefined, access);
      expect([cleared.status, cleared.text]).toEqual([204, '']);
    }
    expect(await history(access)).toEqual([]);
    const { rows } = await sql`select from companion_message where user_id = ${id}`.execute(gateway.database.sql);
    expect(rows).toEqual([]);
  });

  test.each([
    ['0', 'Ensure this value is greater than or equal to 1.'],
    ['-1', 'Ensure this value is greater than or equal to 1.'],
    ['501', 'Ensure this value is less than or equal to 500.'],
    ['x', 'A valid integer is required.'],
  ])('with limit=%s is refused', async (limit, sentence) => {
    const { status, json } = await send(
      gateway,
      'GET',
      `/chat/ai/history/?limit=${limit}`,
      undefined,
      people[0]?.access,
    );
    expect([status, json]).toEqual([400, { limit: [sentence] }]);
  });

  test('keeps the last thousand messages and returns 200 by default, in one statement', async () => {
    const { access, id } = somebody();
    await sql`insert into companion_message (user_id, role, content, safety, created_at)
      select ${id}::bigint, case n % 2 when 0 then 'assistant' else 'user' end, 'turn ' || n, 'none', '2026-10-01'
      from generate_series(1, 1000) n`.execute(gateway.database.sql);
    await ask('hello', access);
    const { rows } = await sql<{ turns: number; oldest: string }>`
      select count(*)::int as turns, (array_agg(content order by id))[1] as oldest
      from companion_message where user_id = ${id}`.execute(gateway.database.sql);
    expect(rows).toEqual([{ turns: 1000, oldest: 'turn 3' }]);
    expect(await history(access)).toHaveLength(200);
    expect(await history(access, '?limit=500')).toHaveLength(500);
    const statements = await gateway.statements(() => history(access, '?limit=7'));
    expect(statements).toHaveLength(2);
  });

  test('of concurrent questions does not interleave', async () => {
    const { access } = somebody();
    await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`hello number ${n}`, access)));
    const turns = await history(access);
    expect(turns.map((turn: { role: string }) => turn.role).join()).toBe(Array(12).fill('user,assistant').join());
  });

  test('is part of the data export', async () => {
    const { access } = somebody();
    await ask('hello there', access);
    const { json } = await send(gateway, 'GET', '/auth/me/export/', undefined, access);
    expect(json.companion_messages).toMatchObject([{ role: 'user', content: 'hello there' }, { role: 'assistant' }]);
    expect(json.profile.share_profile_with_ai).toBe(false);
  });
});

describe('access', () => {
  const operations = [
    ['POST', '/chat/ai/'],
    ['GET', '/chat/ai/history/'],
    ['DELETE', '/chat/ai/history/'],
  ] as const;

  test.each(operations)('%s %s: nobody unknown, and no guest', async (method, path) => {
    const body = method === 'POST' ? { message: 'hello' } : undefined;
    expect((await send(gateway, method, path, body)).status).toBe(401);
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    const refused = await send(gateway, method, path, body, guest);
    expect([refused.status, refused.json.code]).toEqual([403, 'not_verified']);
  });

  test.each(operations)('%s %s: guests where the setting lets them', async (method, path) => {
    const body = method === 'POST' ? { message: 'hello' } : undefined;
    expect((await send(guests, method, path, body)).status).toBe(401);
    const guest = (await send(guests, 'POST', '/auth/guest/')).json.access;
    expect((await send(guests, method, path, body, guest)).status).toBeLessThan(300);
  });

  test('twenty messages a minute and 200 a day; a guest 20 a day, and 60 from one address', async () => {
    const [one] = await createAccounts(strict, 1);
    const from = (ip: string, access: string | undefined, body: unknown = { message: 'hello' }) =>
      strict.request('/api/v1/chat/ai/', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, authorization: `Bearer ${access}` },
        body: JSON.stringify(body),
      });
    const minute = (): void => {
      strict.clock.now = new Date(strict.clock.now.getTime() + 60_000);
    };
    const many = (times: number, ip: string, access: string | undefined) =>
      Promise.all(Array.from({ length: times }, () => from(ip, access))).then(all => all.map(({ status }) => status));
    // Invalid input spends no budget.
    for (let times = 0; times < 3; times++) expect((await from('192.0.2.1', one?.access, {})).status).toBe(400);
    expect((await many(21, '192.0.2.1', one?.access)).filter(status => status === 201)).toHaveLength(20);
    const refused = await from('192.0.2.1', one?.access);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    for (let more = 0; more < 9; more++) {
      minute();
      expect((await many(20, '192.0.2.1', one?.access)).every(status => status === 201)).toBe(true);
    }
    minute();
    expect((await from('192.0.2.1', one?.access)).status).toBe(429);

    for (let guest = 0; guest < 4; guest++) {
      const { access } = (
        await strict.request('/api/v1/auth/guest/', { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.2' } })
      ).json;
      const answered = (await many(20, '192.0.2.2', access)).filter(status => status === 201).length;
      expect(answered).toBe(guest < 3 ? 20 : 0);
      minute();
      expect((await from('192.0.2.3', access)).status).toBe(guest < 3 ? 429 : 201);
    }
  });
});

describe('GraphQL', () => {
  const query = async (access: string, text: string, variables: Record<string, unknown> = {}) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({ query: text, variables }),
      })
    ).json;

  test('asks, reads and clears in the same way', async () => {
    const { access } = somebody();
    const asked = await query(
      access,
      'mutation ($m: String!) { askCompanion(message: $m) { id reply userMessage createdAt engine disclaimer sources { articleId headline url } safety { level resources { name contact } } } }',
      { m: 'What helps against a migraine attack?' },
    );
    expect(asked.data.askCompanion).toMatchObject({ engine: 'RETRIEVAL', safety: { level: 'NONE', resources: [] } });
    const { data } = await query(access, '{ companionHistory(limit: 10) { id role content createdAt } }');
    expect(data.companionHistory).toMatchObject([
      { role: 'USER', content: 'What helps against a migraine attack?' },
      { role: 'ASSISTANT', content: asked.data.askCompanion.reply, id: asked.data.askCompanion.id },
    ]);
    expect(await query(access, 'mutation { clearCompanionHistory }')).toEqual({
      data: { clearCompanionHistory: true },
    });
    expect((await query(access, '{ companionHistory { id } }')).data.companionHistory).toEqual([]);
    expect((await query(access, '{ companionHistory(limit: 0) { id } }')).errors[0].extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });
});

test('the log contains no text of messages or answers', async () => {
  const { access } = somebody();
  await ask('Xylophonic heartburn keeps me awake, and I want to die', access);
  await ask('x'.repeat(2_001), access);
  const lines = gateway.lines.join('\n');
  expect(lines).toContain('/api/v1/chat/ai/');
  for (const word of ['Xylophonic', 'xylophonic', 'want to die', 'heartburn', 'migraine', 'really sorry', 'xxxxx'])
    expect(lines).not.toContain(word);
});

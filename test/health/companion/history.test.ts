import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info', settings: { CRISIS_HELPLINE_COUNTRIES: 'US,xx' } });

const people: TestAccount[] = [];
beforeAll(async () => {
  people.push(...(await createAccounts(gateway, 12)));
});
const somebody = (): TestAccount => people.pop() as TestAccount;
const ask = (message: unknown, access?: string) => send(gateway, 'POST', '/chat/ai/', { message }, access);
const history = async (access: string, query = '') =>
  (await send(gateway, 'GET', `/chat/ai/history/${query}`, undefined, access)).json;

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
      { id: first.id - 1, role: 'user', content: first.user_message, timestamp: '2026-11-01T12:00:00.000000Z' },
      { id: first.id, role: 'assistant', content: first.reply, timestamp: '2026-11-01T12:00:00.000000Z' },
      { id: second.id - 1, role: 'user', content: 'I want to die', timestamp: '2026-11-01T12:05:00.000000Z' },
      { id: second.id, role: 'assistant', content: second.reply, timestamp: '2026-11-01T12:05:00.000000Z' },
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

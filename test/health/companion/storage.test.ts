import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { purgeCompanionHistory } from '../../../src/health/companion/erase-history.ts';
import { storeExchange } from '../../../src/health/companion/store-exchange.ts';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const db = gateway.database.sql;
const exchange = (at: Date) => ({ question: 'q', askedAt: at, answer: 'a', answeredAt: at, safety: 'none' });
const transaction = <T>(work: Parameters<typeof inTransaction<T>>[1]): Promise<T> =>
  inTransaction(gateway.database, work);
const turnsOf = async (id: number): Promise<number> =>
  Number(
    (await sql<{ n: number }>`select count(*)::int as n from companion_message where user_id = ${id}`.execute(db))
      .rows[0]?.n,
  );

test('the history is erased with the account and after the retention period', async () => {
  const [gone, stays] = await createAccounts(gateway, 2);
  if (!gone || !stays) throw new Error('Nobody was made.');
  const old = new Date('2026-09-01T00:00:00Z');
  for (const { id } of [gone, stays]) {
    await storeExchange({ transaction }, id, exchange(old));
    await storeExchange({ transaction }, id, exchange(gateway.clock.now));
  }
  await inTransaction(gateway.database, tx => purgeCompanionHistory(tx, gateway.clock.now, 30));
  expect([await turnsOf(gone.id), await turnsOf(stays.id)]).toEqual([2, 2]);
  await sql`update users set share_profile_with_ai = true where id = ${gone.id}`.execute(db);
  expect((await send(gateway, 'DELETE', '/auth/me/delete/', undefined, gone.access)).status).toBe(204);
  await inTransaction(gateway.database, tx => eraseDeletedAccounts(tx, new Date('2027-01-01T00:00:00Z'), 30));
  expect([await turnsOf(gone.id), await turnsOf(stays.id)]).toEqual([0, 2]);
  const { rows } = await sql`select share_profile_with_ai as shares from users where id = ${gone.id}`.execute(db);
  expect(rows).toEqual([{ shares: false }]);
});

test('nothing is stored for an account deleted while answering', async () => {
  const [one] = await createAccounts(gateway, 1);
  if (!one) throw new Error('Nobody was made.');
  await sql`update users set deleted_at = now(), is_active = false where id = ${one.id}`.execute(db);
  await expect(storeExchange({ transaction }, one.id, exchange(gateway.clock.now))).rejects.toThrow('Not found.');
  expect(await turnsOf(one.id)).toBe(0);
});

test('a failure to search or store is 503 and stores nothing', async () => {
  const [one] = await createAccounts(gateway, 1);
  if (!one) throw new Error('Nobody was made.');
  // Tables of articles first, then of messages: each as if the statement had been cancelled.
  await sql`create function cut_off() returns trigger language plpgsql as
    $$ begin raise exception 'too long' using errcode = '57014'; end $$`.execute(db);
  await sql`create trigger cut_off before insert on companion_message execute function cut_off()`.execute(db);
  const answer = await send(gateway, 'POST', '/chat/ai/', { message: 'hello' }, one.access);
  expect([answer.status, answer.json.code, answer.headers.get('retry-after')]).toEqual([
    503,
    'service_unavailable',
    '5',
  ]);
  await sql`drop trigger cut_off on companion_message`.execute(db);
  expect(await turnsOf(one.id)).toBe(0);
  expect((await send(gateway, 'POST', '/chat/ai/', { message: 'hello' }, one.access)).status).toBe(201);
});

test('settings are validated at startup and reported without values', () => {
  const wrong = (settings: Record<string, string>): string => {
    try {
      readConfig(settings);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return '';
  };
  const good = { AI_BASE_URL: 'https://models.example.org/v1/', AI_MODEL: 'small', AI_API_KEY: 'sk-1' };
  expect(wrong(good)).toBe('');
  expect(readConfig(good).AI_BASE_URL).toBe('https://models.example.org/v1');
  expect(readConfig({ CRISIS_HELPLINE_COUNTRIES: 'us, GB' }).CRISIS_HELPLINE_COUNTRIES).toEqual(['US', 'GB']);
  expect(wrong({ AI_BASE_URL: 'https://models.example.org/v1' })).toMatch(/^AI_MODEL must be given/);
  expect(wrong({ ...good, REQUEST_TIMEOUT_MS: '20000' })).toMatch(/^AI_TIMEOUT_MS must be less/);
  expect(wrong({ AI_MODEL: 'small' })).toMatch(/^AI_BASE_URL must be given/);
  expect(wrong({ AI_API_KEY: 'sk-1' })).toMatch(/^AI_BASE_URL must be given/);
  for (const [name, value] of [
    ['AI_BASE_URL', 'ftp://secret-value'],
    ['AI_BASE_URL', 'https://a.example/?key=secret-value'],
    ['AI_API_KEY', 'secret value'],
    ['AI_API_KEY', 'secret\u00e9'],
    ['AI_MODEL', 'secret model'],
    ['AI_TIMEOUT_MS', '60000'],
    ['AI_GUESTS', 'secret'],
    ['AI_RETENTION_DAYS', '0'],
    ['CRISIS_HELPLINE_COUNTRIES', 'secret'],
  ] as const) {
    const message = wrong({ ...good, [name]: value });
    expect(message).toContain(name);
    expect(message).not.toMatch(/secret/);
  }
});

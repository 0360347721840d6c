import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const tables = ['health_goal', 'symptom_log', 'vital_reading'];

async function told(person: TestAccount): Promise<void> {
  const post = async (path: string, body: object) =>
    expect((await send(gateway, 'POST', path, body, person.access)).status).toBe(201);
  await post('/health/goals/', { goal_type: 'weight', target_value: 60, description: 'for the wedding' });
  await post('/health/symptoms/', { symptom_name: 'hay fever', severity: 4 });
  await post('/health/vitals/', { weight_kg: 66, notes: 'after the flu' });
  await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'Europe/Berlin' }, person.access);
}

const rowsOf = async ({ id }: TestAccount): Promise<number[]> => {
  const counts: number[] = [];
  for (const table of tables) {
    const { rows } = await sql`select 1 from ${sql.table(table)} where user_id = ${id}`.execute(gateway.database.sql);
    counts.push(rows.length);
  }
  return counts;
};

test('the export has goals, symptom logs and readings of the user only', async () => {
  const [one, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
  await told(one);
  await told(other);
  const get = async (path: string) => (await send(gateway, 'GET', path, undefined, one.access)).json;
  const data = await get('/auth/me/export/');
  expect(data.profile.time_zone).toBe('Europe/Berlin');
  const [goal] = (await get('/health/goals/')).results;
  expect(data.goals).toEqual([{ ...goal, deleted_at: null }]);
  expect(data.symptoms).toEqual((await get('/health/symptoms/')).results);
  expect(data.vitals).toEqual((await get('/health/vitals/')).results);
});

test('erasing an account deletes its records only', async () => {
  const [leaver, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
  await told(leaver);
  await told(other);
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, leaver.access);
  const now = gateway.clock.now.getTime();
  const erase = (days: number) =>
    inTransaction(gateway.database, db => eraseDeletedAccounts(db, new Date(now + days * 24 * 3_600_000), 30));
  await erase(29);
  expect(await rowsOf(leaver)).toEqual([1, 1, 1]);
  expect(await erase(30)).toBe(1);
  expect(await rowsOf(leaver)).toEqual([0, 0, 0]);
  expect(await rowsOf(other)).toEqual([1, 1, 1]);
  const { rows } = await sql<{
    zone: string | null;
  }>`select time_zone as zone from users where id = ${leaver.id}`.execute(gateway.database.sql);
  expect(rows).toEqual([{ zone: null }]);
});

import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts, purgeStale } from '../../../src/health/accounts/erase-accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const days = (count: number) => new Date(gateway.clock.now.getTime() + count * 24 * 3_600_000);

test('personal data of a deleted account is erased after the configured days, not before', async () => {
  const someone = await person(gateway, mails);
  await send(
    gateway,
    'PATCH',
    '/auth/me/',
    { allergies: 'pollen', mobile_no: '+4915112345678', conditions: ['gout'] },
    someone.access,
  );
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, someone.access);
  const erase = (now: Date) => inTransaction(gateway.database, db => eraseDeletedAccounts(db, now, 30));
  expect(await erase(days(29))).toBe(0);
  expect(await erase(days(30))).toBe(1);
  expect(await erase(days(31))).toBe(0);
  const { rows } = await sql<Record<string, unknown>>`select * from users where id = ${someone.id}`.execute(
    gateway.database.sql,
  );
  const left = JSON.stringify(rows[0]);
  for (const secret of [someone.email, 'Robin', 'Vale', 'pollen', '+4915112345678', 'gout', '$argon2'])
    expect(left).not.toContain(secret);
  const sessions = await sql`select 1 from session where user_id = ${someone.id}`.execute(gateway.database.sql);
  expect(sessions.rows).toHaveLength(0);
});

test('guests without activity for 30 days are deleted, others stay', async () => {
  const idle = (await send(gateway, 'POST', '/auth/guest/')).json;
  const active = (await send(gateway, 'POST', '/auth/guest/')).json;
  const before = gateway.clock.now;
  gateway.clock.now = days(20);
  expect((await send(gateway, 'POST', '/auth/token/refresh/', { refresh: active.refresh })).status).toBe(201);
  gateway.clock.now = before;
  await inTransaction(gateway.database, db => purgeStale(db, days(31)));
  const { rows } = await sql<{
    id: number;
  }>`select id from users where id in (${idle.user.id}, ${active.user.id})`.execute(gateway.database.sql);
  expect(rows.map(row => row.id)).toEqual([active.user.id]);
});

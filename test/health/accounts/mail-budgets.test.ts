import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { hashMailToken } from '../../../src/health/accounts/mail-token.ts';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { registration } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'empty',
  workers: true,
  settings: { SMTP_URL: mails.url, RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' },
});

/** A request with its own client IP, as a trusted proxy forwards it. */
const from = (ip: string, path: string, body: unknown, access?: string) =>
  gateway.request(`/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': ip,
      ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
    },
    body: JSON.stringify(body),
  });

/** An active account whose requests come from 198.51.100.1. */
async function owner() {
  const form = registration();
  expect((await from('198.51.100.1', '/auth/register/', form)).status).toBe(201);
  const token = await mails.takeToken(form.email, /activate|finish/i);
  expect((await from('198.51.100.1', '/auth/activate/', { token })).status).toBe(201);
  return form;
}

const fresh = { new_password: 'one more good phrase', new_password2: 'one more good phrase' };
const resetWith = (token: string) => from('198.51.100.1', '/auth/password/reset/confirm/', { token, ...fresh });

test('requests for activation mails do not use up the password resets of an address', async () => {
  const { email } = await owner();
  for (let count = 0; count < 6; count++) {
    expect((await from('192.0.2.1', '/auth/resend-activation/', { email })).status).toBe(201);
  }
  expect((await from('198.51.100.1', '/auth/password/reset/', { email })).status).toBe(201);
  expect((await resetWith(await mails.takeToken(email, /new password/i))).status).toBe(201);
});

test('nor do resets requested from another IP', async () => {
  const { email } = await owner();
  for (let count = 0; count < 6; count++) {
    expect((await from('192.0.2.2', '/auth/password/reset/', { email: email.toUpperCase() })).status).toBe(201);
  }
  for (let count = 0; count < 3; count++) await mails.take(email, /new password/i);
  expect((await from('198.51.100.1', '/auth/password/reset/', { email })).status).toBe(201);
  expect((await resetWith(await mails.takeToken(email, /new password/i))).status).toBe(201);
});

test('a mailbox gets a bounded number of mails, and one link is always valid', async () => {
  const { email } = await owner();
  const ask = (ip: string) => from(ip, '/auth/password/reset/', { email });
  const requests = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from jobs.job where name = 'mail-request'`.execute(gateway.database.sql);
    return rows[0]?.count ?? 0;
  };
  const asked = async (times: number, first: number) => {
    for (let ip = 0; ip < times; ip++) expect((await ask(`192.0.2.${first + ip}`)).status).toBe(201);
  };
  const before = await requests();
  await asked(40, 100);
  expect((await requests()) - before).toBe(21);
  const tokens: string[] = [];
  for (let count = 0; count < 21; count++) tokens.push(await mails.takeToken(email, /new password/i));
  // With all budgets spent, 24 minutes after the last mail: its link is still valid.
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 24 * 60_000);
  expect((await ask('198.51.100.1')).status).toBe(201);
  expect((await requests()) - before).toBe(21);
  const { rows } = await sql<{ hash: string }>`select r.token_hash as hash from password_reset r
    join users u on u.id = r.user_id where u.email = ${email}`.execute(gateway.database.sql);
  const good = tokens.find(token => rows.some(({ hash }) => hash === hashMailToken(token)));
  expect((await resetWith(good ?? '')).status).toBe(201);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  await asked(5, 150);
  expect((await requests()) - before).toBe(22);
});

test('registrations over the mail budget still count', async () => {
  const email = registration().email;
  const attacker = { ...registration(email), password: 'by the attacker 1', password2: 'by the attacker 1' };
  const tokens: string[] = [];
  for (let count = 0; count < 24; count++) {
    expect((await from(`192.0.2.${200 + Math.floor(count / 8)}`, '/auth/register/', attacker)).status).toBe(201);
  }
  for (let count = 0; count < 21; count++) tokens.push(await mails.takeToken(email, /activate|finish/i));
  expect((await from('198.51.100.2', '/auth/register/', registration(email))).status).toBe(201);
  const [token] = tokens;
  expect(await from('198.51.100.2', '/auth/activate/', { token })).toMatchObject({
    status: 400,
    json: { password: expect.any(Array) },
  });
  expect((await from('198.51.100.2', '/auth/activate/', { token, password: 'chosen by the owner 1' })).status).toBe(
    201,
  );
  expect((await from('192.0.2.200', '/auth/login/', attacker)).status).toBe(401);
});

test("the token of an ended session does not spend its user's renewals", async () => {
  const form = registration();
  const guest = (await from('192.0.2.3', '/auth/guest/', {})).json;
  await from('192.0.2.3', '/auth/register/', form, guest.access);
  const token = await mails.takeToken(form.email, /activate|finish/i);
  const { refresh } = (await from('198.51.100.3', '/auth/activate/', { token })).json;
  const refused = await Promise.all(
    Array.from({ length: 62 }, (_, at) =>
      from(`203.0.113.${at % 4}`, '/auth/token/refresh/', { refresh: guest.refresh }),
    ),
  );
  expect(refused.map(({ status }) => status).filter(status => status === 429)).toHaveLength(2);
  expect((await from('198.51.100.3', '/auth/token/refresh/', { refresh })).status).toBe(201);
});

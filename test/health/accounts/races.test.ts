import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person, registration, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const post = (path: string, body?: unknown, access?: string) => send(gateway, 'POST', path, body, access);
const many = <T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)));

test('fifty concurrent renewals of one token give one successor', async () => {
  const { refresh } = await person(gateway, mails);
  const answers = await many(50, () => post('/auth/token/refresh/', { refresh }));
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]));
  expect(new Set(answers.map(answer => answer.json.refresh)).size).toBe(1);
  expect(answers[0]?.json.refresh).not.toBe(refresh);
});

test('fifty concurrent registrations of one address create one account', async () => {
  const form = registration();
  const answers = await many(50, () => post('/auth/register/', form));
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]));
  expect(new Set(answers.map(answer => answer.json.id)).size).toBe(1);
  const { rows } = await sql`select 1 from users where email = ${form.email}`.execute(gateway.database.sql);
  expect(rows).toHaveLength(1);
});

test('of twenty requests with one activation token one succeeds', async () => {
  const form = registration();
  await post('/auth/register/', form);
  const token = await mails.takeToken(form.email, /activate|finish/i);
  const answers = await many(20, () => post('/auth/activate/', { token }));
  expect(answers.filter(answer => answer.status === 201)).toHaveLength(1);
  expect(answers.filter(answer => answer.status === 400)).toHaveLength(19);
});

test('of two registrants of an address, the owner of the mailbox sets the password', async () => {
  const theirs = registration();
  const mine = { ...registration(theirs.email), password: 'the real owner 1', password2: 'the real owner 1' };
  await post('/auth/register/', { ...theirs, password: 'the attacker 1', password2: 'the attacker 1' });
  const first = await mails.takeToken(theirs.email, /activate|finish/i);
  await post('/auth/register/', mine);
  const second = await mails.takeToken(theirs.email, /activate|finish/i);
  expect((await post('/auth/activate/', { token: second })).status).toBe(400);
  expect((await post('/auth/activate/', { token: second, password: 'set when activating 1' })).status).toBe(201);
  expect((await post('/auth/activate/', { token: first })).status).toBe(400);
  expect((await post('/auth/login/', { email: mine.email, password: 'set when activating 1' })).status).toBe(201);
  expect((await post('/auth/login/', { email: mine.email, password: 'the real owner 1' })).status).toBe(401);
  expect((await post('/auth/login/', { email: mine.email, password: 'the attacker 1' })).status).toBe(401);
});

test('of two concurrent password changes one succeeds', async () => {
  const someone = await person(gateway, mails);
  const answers = await many(2, index =>
    post(
      '/auth/password/change/',
      {
        old_password: someone.password,
        new_password: `brand new ${index} words`,
        new_password2: `brand new ${index} words`,
      },
      someone.access,
    ),
  );
  expect(answers.filter(answer => answer.status === 201)).toHaveLength(1);
});

test('reuse of a rotated token ends the session', async () => {
  const { refresh } = await person(gateway, mails);
  const next = (await post('/auth/token/refresh/', { refresh })).json;
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 29_000);
  expect((await post('/auth/token/refresh/', { refresh })).json.refresh).toBe(next.refresh);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 2_000);
  expect(await post('/auth/token/refresh/', { refresh })).toMatchObject({
    status: 401,
    json: { code: 'token_not_valid' },
  });
  expect((await post('/auth/token/refresh/', { refresh: next.refresh })).status).toBe(401);
  expect((await send(gateway, 'GET', '/auth/me/', undefined, next.access)).status).toBe(401);
});

import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { registration, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const post = (path: string, body?: unknown, access?: string) => send(gateway, 'POST', path, body, access);
const me = (access: string) => send(gateway, 'GET', '/auth/me/', undefined, access);
const logIn = async (email: string, password: string) => (await post('/auth/login/', { email, password })).status;

const anyMail = /activate|finish/i;
const victims = 'the owner of the mailbox 1';
const strangers = 'somebody else entirely 1';
const chosen = 'chosen at the activation 1';
const form = (email: string, password: string) => ({ ...registration(email), password, password2: password });
const newAddress = () => registration().email;

/** Registers, and returns the token and the text of the mail in one line. */
async function register(email: string, password: string, access?: string, mailTo = email) {
  const { status, json } = await post('/auth/register/', form(email, password), access);
  expect(status).toBe(201);
  const { text = '' } = await mails.take(mailTo, anyMail);
  const token = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0];
  if (!token) throw new Error(`The mail holds no token: ${text}`);
  return { id: json.id as number, token, text: text.replace(/\s+/g, ' ') };
}

/** Activation requires a password, sets the chosen one, and no earlier password logs in. */
async function expectNothingAdopted(email: string, token: string) {
  expect(await post('/auth/activate/', { token })).toMatchObject({
    status: 400,
    json: { password: [expect.stringContaining('registered more than once')] },
  });
  for (const password of [victims, strangers]) expect(await logIn(email, password)).toBe(401);
  const activated = await post('/auth/activate/', { token, password: chosen });
  expect(activated.status).toBe(201);
  expect(activated.json.detail).toBe('Account activated.');
  expect((await me(activated.json.access)).json).toMatchObject({ is_verified: true, is_guest: false });
  for (const password of [victims, strangers]) expect(await logIn(email, password)).toBe(401);
  expect(await logIn(email, chosen)).toBe(201);
  return activated.json;
}

describe('Of different registered passwords none is used', () => {
  test('when a stranger registers after its owner', async () => {
    const email = newAddress();
    const own = await register(email, victims);
    const newest = await register(email, strangers);
    await expectNothingAdopted(email, newest.token);
    expect((await post('/auth/activate/', { token: own.token, password: strangers })).status).toBe(400);
  });

  test('when a stranger registers before its owner', async () => {
    const email = newAddress();
    const first = await register(email, strangers);
    const own = await register(email, victims);
    await expectNothingAdopted(email, own.token);
    expect((await post('/auth/activate/', { token: first.token, password: strangers })).status).toBe(400);
  });

  test('when the owner follows the link of the own mail, after a stranger has registered several times', async () => {
    const email = newAddress();
    const own = await register(email, victims);
    await register(email, strangers);
    const last = await register(email, `${strangers} once more`);
    expect(last.text).toContain('There are 3 registrations with this mail address');
    expect(last.text).toContain('Did you not register?');
    await expectNothingAdopted(email, own.token);
  });

  test.each(['/auth/resend-activation/', '/auth/password/reset/'])('when the link comes from %s', async path => {
    const email = newAddress();
    await register(email, victims);
    await register(email, strangers);
    expect((await post(path, { email })).status).toBe(201);
    const { text = '' } = await mails.take(email, anyMail);
    expect(text.replace(/\s+/g, ' ')).toContain('There are 2 registrations with this mail address');
    await expectNothingAdopted(email, /[0-9a-f-]{36}/.exec(text)?.[0] ?? '');
  });

  test('when the link of the owner has expired and a stranger registers afterwards', async () => {
    const email = newAddress();
    const before = gateway.clock.now;
    await register(email, victims);
    try {
      gateway.clock.now = new Date(before.getTime() + 72 * 3_600_000);
      const { token } = await register(email, strangers);
      await expectNothingAdopted(email, token);
    } finally {
      gateway.clock.now = before;
    }
  });

  test('when the two register at the same instant', async () => {
    const email = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => post('/auth/register/', form(email, at % 2 ? victims : strangers))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const tokens = [];
    for (const _ of answers) tokens.push(await mails.takeToken(email, anyMail));
    await expectNothingAdopted(email, tokens[0] ?? '');
    for (const token of tokens) {
      expect((await post('/auth/activate/', { token, password: strangers })).status).toBe(400);
    }
  });

  test('when a guest registers it, before or after its owner', async () => {
    for (const guestFirst of [true, false]) {
      const email = newAddress();
      const guest = (await post('/auth/guest/')).json;
      const first = await register(email, guestFirst ? strangers : victims, guestFirst ? guest.access : undefined);
      const second = await register(email, guestFirst ? victims : strangers, guestFirst ? undefined : guest.access);
      const { user } = await expectNothingAdopted(email, second.token);
      expect(user.id).toBe(second.id);
      expect((await post('/auth/activate/', { token: first.token, password: strangers })).status).toBe(400);
    }
  });

  test.each([
    ['capitals', (name: string) => [`${name}@example.org`, `${name.toUpperCase()}@Example.ORG`]],
    ['a letter and its mark', (name: string) => [`${name}é@example.org`, `${name}e\u0301@example.org`]],
    ['a full-width domain', (name: string) => [`${name}@example.org`, `${name}@ｅｘａｍｐｌｅ.org`]],
    ['the ASCII form of a domain', (name: string) => [`${name}@bücher.example`, `${name}@xn--bcher-kva.example`]],
  ])('when the addresses differ in %s', async (_what, make) => {
    const [own = '', others = ''] = make(`variant-${newAddress().split('@')[0]}`);
    const mailTo = own.replace('bücher', 'xn--bcher-kva');
    const first = await register(own, victims, undefined, mailTo);
    const second = await register(others, strangers, undefined, mailTo);
    expect(second.id).toBe(first.id);
    await expectNothingAdopted(others, second.token);
    expect(await logIn(own, chosen)).toBe(201);
  });
});

describe('The only pending password of an address', () => {
  test('is used', async () => {
    const email = newAddress();
    const { token, text } = await register(email, victims);
    expect(text).toContain('There is 1 registration with this mail address');
    const { status, json } = await post('/auth/activate/', { token });
    expect(status).toBe(201);
    expect((await me(json.access)).status).toBe(200);
    expect(await logIn(email, victims)).toBe(201);
  });

  test('is used when the form was sent twice, also concurrently', async () => {
    const email = newAddress();
    await Promise.all([1, 2].map(() => post('/auth/register/', form(email, victims))));
    const [first, second] = [await mails.takeToken(email, anyMail), await mails.takeToken(email, anyMail)];
    expect((await post('/auth/activate/', { token: second })).status).toBe(201);
    expect((await post('/auth/activate/', { token: first })).status).toBe(400);
    expect(await logIn(email, victims)).toBe(201);
  });

  test('is replaced by a valid one sent with the token', async () => {
    const email = newAddress();
    const { token } = await register(email, strangers);
    for (const [body, problems] of [
      [{ password: '' }, { password: ['This field may not be blank.'] }],
      [{ password: 'password1' }, { password: ['This password is too common.'] }],
      [{ password: chosen, password2: 'other' }, { password2: ["The two password fields didn't match."] }],
      [{ password: 7 }, { password: ['Not a valid string.'] }],
    ] as const) {
      const answer = await post('/auth/activate/', { token, ...body });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.json)).toEqual(Object.keys(problems));
    }
    expect((await post('/auth/activate/', { token, password: chosen, password2: chosen })).status).toBe(201);
    expect(await logIn(email, strangers)).toBe(401);
    expect(await logIn(email, chosen)).toBe(201);
  });
});

describe('Sessions before an activation', () => {
  test('of the registering guest end; id and data stay', async () => {
    const email = newAddress();
    const guest = (await post('/auth/guest/')).json;
    await send(gateway, 'PATCH', '/auth/me/', { allergies: 'pollen' }, guest.access);
    const { token } = await register(email, strangers, guest.access);
    const renewed = (await post('/auth/token/refresh/', { refresh: guest.refresh })).json;
    const activated = (await post('/auth/activate/', { token })).json;
    for (const access of [guest.access, renewed.access]) {
      expect(await me(access)).toMatchObject({ status: 401, json: { code: 'token_not_valid' } });
    }
    for (const refresh of [guest.refresh, renewed.refresh]) {
      expect((await post('/auth/token/refresh/', { refresh })).status).toBe(401);
    }
    expect((await me(activated.access)).json).toMatchObject({ id: guest.user.id, allergies: 'pollen', email });
    expect((await post('/auth/token/refresh/', { refresh: activated.refresh })).status).toBe(201);
  });

  test('end also through GraphQL, and with a chosen password', async () => {
    const email = newAddress();
    const guest = (await post('/auth/guest/')).json;
    await register(email, victims);
    const { token } = await register(email, strangers, guest.access);
    const answer = await gateway.graphql(
      'mutation($input: ActivateHealthAccountInput!) { activateHealthAccount(input: $input) { viewer { databaseId } } }',
      { input: { token, password: chosen } },
    );
    expect(answer.json.data.activateHealthAccount.viewer.databaseId).toBe(guest.user.id);
    const asGuest = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${guest.access}` },
      body: JSON.stringify({ query: '{ healthViewer { id email } }' }),
    });
    expect(asGuest.status).toBe(401);
  });

  test('cannot write through a request authenticated before', async () => {
    const guest = (await post('/auth/guest/')).json;
    for (const [method, path, body] of [
      ['DELETE', '/auth/me/delete/', undefined],
      ['PATCH', '/auth/me/', { first_name: 'Mallory' }],
    ] as const) {
      await sql`update session set ended_at = null where user_id = ${guest.user.id}`.execute(gateway.database.sql);
      const client = await gateway.database.pools.write.acquire();
      let answer: ReturnType<typeof send>;
      try {
        // The same lock order as activation: the user row, then the sessions.
        await client.query('begin');
        await client.query('update users set is_guest = is_guest where id = $1', [guest.user.id]);
        answer = send(gateway, method, path, body, guest.access);
        for (;;) {
          const waiting = await client.query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          );
          if (waiting.rows.length > 0) break;
        }
        await client.query('update session set ended_at = $2 where user_id = $1', [guest.user.id, gateway.clock.now]);
        await client.query('commit');
      } finally {
        client.release();
      }
      expect(await answer).toMatchObject({ status: 401, json: { code: 'token_not_valid' } });
    }
    const left = await sql<{ name: string; gone: boolean }>`
      select first_name as name, deleted_at is not null as gone from users where id = ${guest.user.id}`.execute(
      gateway.database.sql,
    );
    expect(left.rows).toEqual([{ name: '', gone: false }]);
  });
});

test('registrations of others end with the activation', async () => {
  const email = newAddress();
  const guest = (await post('/auth/guest/')).json;
  const theirs = await register(email, strangers, guest.access);
  const own = await register(email, victims);
  const { access } = (await post('/auth/activate/', { token: own.token, password: chosen })).json;
  expect((await send(gateway, 'DELETE', '/auth/me/delete/', undefined, access)).status).toBe(204);
  await mails.take(email, /deleted/i);
  expect((await post('/auth/activate/', { token: theirs.token, password: strangers })).status).toBe(400);
  expect((await me(guest.access)).json).toMatchObject({ is_guest: true, email: null });
  await post('/auth/resend-activation/', { email });
  const again = await register(email, victims);
  expect(again.text).toContain('There is 1 registration');
});

test('the page asks for the password when the API does', async () => {
  const { token } = await register(newAddress(), victims);
  const { text, headers } = await gateway.request(`/api/v1/auth/activate/?token=${token}`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).toMatch(/<fieldset hidden disabled>[\s\S]*name="password"[\s\S]*name="password2"[\s\S]*<\/fieldset>/);
  expect(text).toContain('fieldset.disabled = fieldset.hidden = false');
  const reset = await gateway.request('/api/v1/auth/password/reset/confirm/');
  expect(reset.text).toMatch(/<fieldset>[\s\S]*name="new_password"/);
});

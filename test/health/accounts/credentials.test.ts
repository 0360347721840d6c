import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person, registration, send } from '../../harness/people.ts';
import { testSecret } from '../../harness/secret.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const someone = await person(gateway, mails);
const other = await person(gateway, mails);
const post = (path: string, body?: unknown, access?: string) => send(gateway, 'POST', path, body, access);
const me = (access: string) => send(gateway, 'GET', '/auth/me/', undefined, access);
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token is refused', () => {
  const claims = claimsOf(someone.access);
  const [sessionKey] = deriveKeys(readConfig({ SECRET_KEY: testSecret })).sessionTokens;
  const signed = (header: object, payload: object, key: Uint8Array | string) => {
    const text = `${encoded(header)}.${encoded(payload)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const hs = { alg: 'HS256', typ: 'JWT' };

  test('but not with the right key and claims, so the cases below fail for their own reason', async () => {
    expect((await me(signed(hs, claims, sessionKey))).status).toBe(200);
  });

  test.each([
    ['without a signature', () => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    ['of algorithm none with a signature', () => signed({ alg: 'none' }, claims, sessionKey)],
    ['signed with another key', () => signed(hs, claims, 'x'.repeat(32))],
    ['that claims HS512', () => signed({ alg: 'HS512' }, claims, sessionKey)],
    ['that claims RS256', () => signed({ alg: 'RS256' }, claims, sessionKey)],
    ['for another audience', () => signed(hs, { ...claims, aud: 'elsewhere' }, sessionKey)],
    ['without an audience', () => signed(hs, { ...claims, aud: undefined }, sessionKey)],
    ['without a session', () => signed(hs, { ...claims, sid: undefined }, sessionKey)],
    ['of the session of somebody else', () => signed(hs, { ...claims, sid: claimsOf(other.access).sid }, sessionKey)],
    ['for a user that is text', () => signed(hs, { ...claims, user_id: String(claims.user_id) }, sessionKey)],
    ['that is a refresh token', () => someone.refresh],
    ['with a critical header we do not know', () => signed({ ...hs, crit: ['x'], x: 1 }, claims, sessionKey)],
    ['cut short', () => someone.access.slice(0, -2)],
    ['that is nonsense', () => 'a.b.c'],
  ])('%s', async (_what, make) => {
    const { status, json } = await me(make());
    expect({ status, code: json.code }).toEqual({ status: 401, code: 'token_not_valid' });
    expect(json.messages[0]).toMatchObject({ token_class: 'AccessToken', token_type: 'access' });
  });

  test('signed by RS256 with a foreign key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    expect((await me(token)).status).toBe(401);
  });

  test('when it has expired, to the second', async () => {
    const before = gateway.clock.now;
    try {
      gateway.clock.now = new Date(claims.exp * 1000 - 1000);
      expect((await me(someone.access)).status).toBe(200);
      gateway.clock.now = new Date(claims.exp * 1000);
      expect(await me(someone.access)).toMatchObject({
        status: 401,
        json: { messages: [{ message: 'Token is expired' }] },
      });
    } finally {
      gateway.clock.now = before;
    }
  });

  test('of an unknown user', async () => {
    expect(await me(signed(hs, { ...claims, user_id: 987654321 }, sessionKey))).toMatchObject({
      status: 401,
      json: { code: 'user_not_found', detail: 'User not found' },
    });
  });
});

describe('logging in', () => {
  test('gives one error for an unknown address, a wrong password and a deleted account', async () => {
    const gone = await person(gateway, mails);
    await send(gateway, 'DELETE', '/auth/me/delete/', undefined, gone.access);
    for (const [email, password] of [
      ['nobody@example.org', 'whatever it is 1'],
      [someone.email, 'whatever it is 1'],
      [gone.email, gone.password],
      ["x' or 1=1 --", 'x'],
      [someone.email, 'x'.repeat(64 * 1024)],
    ]) {
      expect(await post('/auth/login/', { email, password })).toMatchObject({
        status: 401,
        json: { detail: 'No active account found with the given credentials', code: 'no_active_account' },
      });
    }
  });

  test('reports a missing activation for the right password', async () => {
    const form = registration();
    await post('/auth/register/', form);
    expect(await post('/auth/login/', form)).toMatchObject({ status: 401, json: { code: 'account_not_activated' } });
    expect(await post('/auth/login/', { ...form, password: 'another one 1' })).toMatchObject({
      status: 401,
      json: { code: 'no_active_account' },
    });
  });

  test('ignores an invalid access token, as does renewing', async () => {
    expect((await post('/auth/login/', someone, 'nonsense')).status).toBe(201);
    const { refresh } = (await post('/auth/login/', someone)).json;
    expect((await post('/auth/token/refresh/', { refresh }, 'nonsense')).status).toBe(201);
    const { json } = await gateway
      .request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer nonsense' },
        body: JSON.stringify({
          query:
            'mutation($input: OpenHealthSessionInput!) { openHealthSession(input: $input) { viewer { databaseId } } }',
          variables: { input: { email: someone.email, password: someone.password } },
        }),
      })
      .then(answer => answer);
    expect(json.data.openHealthSession.viewer.databaseId).toBe(someone.id);
  });

  test('in GraphQL an invalid token is 401 for everything else', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer nonsense' },
      body: JSON.stringify({ query: '{ articles { totalCount } }' }),
    });
    expect(answer.status).toBe(401);
  });
});

describe('registering', () => {
  test.each([
    [{ email: 'not an address' }, { email: ['Enter a valid email address.'] }],
    [{ email: 'a@b@example.org' }, { email: ['Enter a valid email address.'] }],
    [{ email: 'a\r\nBcc: x@example.org' }, { email: ['Enter a valid email address.'] }],
    [{ email: '' }, { email: ['This field may not be blank.'] }],
    [{ email: null }, { email: ['This field may not be null.'] }],
    [{ email: 7 }, { email: ['Enter a valid email address.'] }],
    [
      { email: `${'x'.repeat(250)}@example.org` },
      { email: expect.arrayContaining(['Ensure this field has no more than 254 characters.']) },
    ],
    [{ first_name: ' ' }, { first_name: ['This field may not be blank.'] }],
    [{ last_name: 'x'.repeat(151) }, { last_name: ['Ensure this field has no more than 150 characters.'] }],
    [{ password: 'password1', password2: 'password1' }, { password: ['This password is too common.'] }],
    [{ password2: 'something else' }, { password2: ["The two password fields didn't match."] }],
  ])('%j is 400', async (change, problems) => {
    expect(await post('/auth/register/', { ...registration(), ...change })).toMatchObject({
      status: 400,
      json: problems,
    });
  });

  test('accepts re_password, reports all missing fields, and refuses an address in use', async () => {
    const { password2, ...form } = registration();
    expect((await post('/auth/register/', { ...form, re_password: password2 })).status).toBe(201);
    expect((await post('/auth/register/', {})).json).toEqual(
      Object.fromEntries(
        ['email', 'first_name', 'last_name', 'password', 'password2'].map(name => [name, ['This field is required.']]),
      ),
    );
    const taken = { ...registration(someone.email.toUpperCase()) };
    expect(await post('/auth/register/', taken)).toMatchObject({
      status: 400,
      json: { email: ['user with this email already exists.'] },
    });
  });

  test('an address with look-alike letters is a different address', async () => {
    const form = registration(someone.email.replace('p', 'р'));
    expect((await post('/auth/register/', form)).status).toBe(201);
  });
});

describe('requested mails', () => {
  test.each(['/auth/resend-activation/', '/auth/password/reset/'])('%s answers alike for every address', async path => {
    const answers = await Promise.all(
      ['nobody@example.org', someone.email, 'pending@example.org'].map(email => post(path, { email })),
    );
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(answers.map(answer => answer.status)).toEqual([201, 201, 201]);
  });

  test('a new activation mail invalidates the old link; a reset before activation sends one', async () => {
    const form = registration();
    await post('/auth/register/', form);
    const first = await mails.takeToken(form.email, /activate/i);
    await post('/auth/resend-activation/', { email: form.email });
    const second = await mails.takeToken(form.email, /finish/i);
    await post('/auth/password/reset/', { email: form.email });
    const third = await mails.takeToken(form.email, /finish/i);
    for (const token of [first, second]) expect((await post('/auth/activate/', { token })).status).toBe(400);
    expect((await post('/auth/activate/', { token: third })).status).toBe(201);
  });

  test('a reset token is valid once, for an hour', async () => {
    await post('/auth/password/reset/', { email: other.email });
    const token = await mails.takeToken(other.email, /new password/i);
    const fresh = { new_password: 'one more good phrase', new_password2: 'one more good phrase' };
    const before = gateway.clock.now;
    gateway.clock.now = new Date(before.getTime() + 61 * 60_000);
    const refused = { status: 400, json: { token: ['Invalid or expired password reset token.'] } };
    expect(await post('/auth/password/reset/confirm/', { token, ...fresh })).toMatchObject(refused);
    gateway.clock.now = before;
    expect(await post('/auth/password/reset/confirm/', { token, ...fresh, new_password2: 'x' })).toMatchObject({
      status: 400,
    });
    expect((await post('/auth/password/reset/confirm/', { token, ...fresh })).status).toBe(201);
    expect(await post('/auth/password/reset/confirm/', { token, ...fresh })).toMatchObject(refused);
  });
});

describe('logging out and deleting', () => {
  test("another user's token, an invalid one or none is refused", async () => {
    const [mine, theirs] = [await person(gateway, mails), await person(gateway, mails)];
    expect(await post('/auth/logout/', {}, mine.access)).toMatchObject({
      status: 400,
      json: { refresh: ['This field is required.'] },
    });
    for (const refresh of ['nonsense', theirs.refresh, mine.access]) {
      expect(await post('/auth/logout/', { refresh }, mine.access)).toMatchObject({
        status: 401,
        json: { code: 'token_not_valid' },
      });
    }
    expect((await me(theirs.access)).status).toBe(200);
    // An account is deleted whatever token comes with it, and that of somebody else stays.
    expect((await send(gateway, 'DELETE', '/auth/me/delete/', { refresh: theirs.refresh }, mine.access)).status).toBe(
      204,
    );
    expect((await me(mine.access)).status).toBe(401);
    expect((await me(theirs.access)).status).toBe(200);
    const byHeader = await gateway.request('/api/v1/auth/me/delete/', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${theirs.access}`, 'x-refresh-token': 'nonsense' },
    });
    expect(byHeader.status).toBe(204);
  });

  test('changing the password ends all sessions and opens a new one', async () => {
    const mine = await person(gateway, mails);
    const elsewhere = (await post('/auth/login/', mine)).json;
    const wrong = { current_password: 'not it', new_password: 'a fresh phrase 3', re_new_password: 'a fresh phrase 3' };
    expect(await post('/auth/password/change/', wrong, mine.access)).toMatchObject({
      status: 400,
      json: { old_password: ['Invalid password.'] },
    });
    const changed = await post('/auth/password/change/', { ...wrong, current_password: mine.password }, mine.access);
    expect(changed).toMatchObject({ status: 201, json: { detail: 'Password changed.' } });
    expect((await me(elsewhere.access)).status).toBe(401);
    expect((await me(changed.json.access)).status).toBe(200);
    await mails.take(mine.email, /password/i);
  });
});

describe('query strings, which access logs keep', () => {
  test.each([
    ['/auth/login/', { email: someone.email, password: someone.password }],
    ['/auth/password/reset/', { email: someone.email }],
    ['/auth/token/refresh/', { refresh: someone.refresh }],
  ])('are no body of %s', async (path, fields) => {
    const search = new URLSearchParams(fields as Record<string, string>).toString();
    const answer = await post(`${path}?${search}`, {});
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status: 400 });
    expect(Object.values(answer.json)).toContainEqual(['This field is required.']);
  });
});

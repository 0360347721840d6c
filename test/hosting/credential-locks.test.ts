import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { buildToken, mintToken } from '../../src/auth/hosting-token.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, basic, demoOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: '1', SMTP_URL: mails.url },
  workers: true,
});
const unlimited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'off' } });
const demo = await demoOf(gateway);
const { wren, juniper } = demo.users;

let addresses = 0;
const address = (): string => `192.0.2.${++addresses}`;
const from = (ip: string, authorization: string, path = '/user') =>
  gateway.request(path, { headers: { authorization, 'x-forwarded-for': ip, 'user-agent': 'portico tests' } });
const wait = (minutes: number): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + minutes * 60_000);
};
const locked = {
  status: 403,
  json: { message: 'Maximum number of login attempts exceeded. Please try again later.', status: '403' },
};
const nobodys = `Bearer ${buildToken('classic', 'z'.repeat(36)).text}`;
const tenTimes = async (work: () => Promise<{ status: number }>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let at = 0; at < 10; at++) statuses.push((await work()).status);
  return statuses;
};
const ten401 = Array<number>(10).fill(401);

describe('ten failed attempts without an identified owner', () => {
  test.each([
    ['with a token that nobody has', () => nobodys],
    ['with a token that is misspelt', () => 'token hostp_nonsense'],
    ['with a token of wren that is misspelt', () => `Bearer ${wren.classic_token.slice(0, -1)}!`],
    ['with another token every time', () => `Bearer ${mintToken('classic').text}`],
    ['with a token of a kind that no user has', () => `token ${mintToken('installation').text}`],
    ['with the name of nobody and a password', () => basic('nobody-at-all', 'password')],
    ['with the name of an organization and a password', () => basic('harbor-lab', 'password')],
    ['with nothing readable', () => 'Basic !!!'],
    ['with a text that is no JSON web token', () => 'Bearer a.b.c'],
  ])('%s are answered with 403 afterwards, and valid tokens are not', async (_name, header) => {
    const ip = address();
    expect(await tenTimes(() => from(ip, header()))).toEqual(ten401);
    expect(await from(ip, header())).toMatchObject(locked);
    expect(await from(ip, nobodys)).toMatchObject(locked);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
    expect((await from(ip, `Bearer ${juniper.fine_grained_token}`, '/users/wren')).status).toBe(200);
    expect((await from(ip, basic(demo.app.client_id, demo.app.client_secret), '/users/wren')).status).toBe(200);
    expect((await from(ip, `Bearer ${await appJwt(gateway, demo)}`, '/app')).status).toBe(200);
    // Other addresses are not locked, and a request without a credential is no attempt.
    expect((await from(address(), header())).status).toBe(401);
    expect(
      (await gateway.request('/users/wren', { headers: { 'x-forwarded-for': ip, 'user-agent': 'x' } })).status,
    ).toBe(200);
  });

  test('do not prevent attempts on an owner from being counted', async () => {
    const ip = address();
    await tenTimes(() => from(ip, nobodys));
    expect((await from(ip, nobodys)).status).toBe(403);
    const path = `/applications/${demo.oauth_app.client_id}/token`;
    expect(await tenTimes(() => from(ip, basic(demo.oauth_app.client_id, 'guess'), path))).toEqual(ten401);
    const { client_id: id, client_secret: secret } = demo.oauth_app;
    expect(await from(ip, basic(id, secret), '/users/wren')).toMatchObject(locked);
  });

  test('execute no statement when the checksum is wrong', async () => {
    const ip = address();
    const statements = await gateway.statements(() => tenTimes(() => from(ip, 'token hostp_nonsense')));
    expect(statements.filter(text => text.includes('host_credential'))).toEqual([]);
  });
});

describe('ten failed attempts', () => {
  test.each([
    ['a password', () => basic('wren', 'password')],
    ['another password every time, in capitals', () => basic('WREN', `${Math.random()}`)],
    ['no password', () => basic('wren', '')],
    ['a long password with spaces and colons', () => basic('wren', `: ${'é '.repeat(1_000)}`)],
  ])('with the login of a user and %s lock every token of that user, from every address', async (_name, header) => {
    const ip = address();
    expect(await tenTimes(() => from(ip, header()))).toEqual(ten401);
    expect(await from(ip, header())).toMatchObject(locked);
    expect(await from(ip, `Bearer ${wren.classic_token}`)).toMatchObject(locked);
    expect((await from(ip, `Bearer ${juniper.classic_token}`)).status).toBe(200);
    expect((await from(ip, nobodys)).status).toBe(401);
    expect(await from(address(), `Bearer ${wren.classic_token}`)).toMatchObject(locked);
    expect(await from(address(), `Bearer ${wren.fine_grained_token}`)).toMatchObject(locked);
    wait(60);
  });

  test('lock for five minutes, and ten more for ten', async () => {
    const ip = address();
    const guess = basic('wren', 'password');
    await tenTimes(() => from(ip, guess));
    wait(4.9);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(403);
    wait(0.2);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
    expect(await tenTimes(() => from(ip, guess))).toEqual(ten401);
    wait(9.9);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(403);
    wait(0.2);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
    wait(60);
  });

  test('from several addresses are counted together', async () => {
    expect(await tenTimes(() => from(address(), basic('wren', 'password')))).toEqual(ten401);
    expect(await from(address(), `Bearer ${wren.classic_token}`)).toMatchObject(locked);
    wait(60);
  });

  test('without an owner lock the whole /64 of an IPv6 network', async () => {
    await tenTimes(() => from('2001:db8:1:1::1', nobodys));
    expect((await from('2001:db8:1:1:ffff::2', nobodys)).status).toBe(403);
    expect((await from('2001:db8:1:2::1', nobodys)).status).toBe(401);
  });

  test('with a revoked token lock its owner, and nobody else', async () => {
    const ip = address();
    const revoked = demo.tokens.oauth;
    await sql`update host_credential set revoked_at = now() where kind = 'oauth'`.execute(gateway.database.sql);
    expect(await tenTimes(() => from(ip, `Bearer ${revoked}`))).toEqual(ten401);
    expect(await from(ip, `Bearer ${juniper.classic_token}`)).toMatchObject(locked);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
    expect(await from(address(), `Bearer ${juniper.classic_token}`)).toMatchObject(locked);
    wait(60);
  });

  test('with a forged app token lock only the app', async () => {
    const ip = address();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const now = Math.floor(gateway.clock.now.getTime() / 1000);
    const sign = (key: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT({ iat: now, exp: now + 300, iss: String(demo.app.id) })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(key);
    const forged = `Bearer ${await sign(privateKey)}`;
    const good = `Bearer ${await sign((await import('node:crypto')).createPrivateKey(demo.app.private_key))}`;
    expect((await from(ip, good, '/app')).status).toBe(200);
    expect(await tenTimes(() => from(ip, forged, '/app'))).toEqual(ten401);
    expect(await from(ip, good, '/app')).toMatchObject(locked);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
    expect(await from(address(), good, '/app')).toMatchObject(locked);
  });

  test('with a wrong client secret lock only the client', async () => {
    const ip = address();
    const path = `/applications/${demo.oauth_app.client_id}/token`;
    expect(await tenTimes(() => from(ip, basic(demo.oauth_app.client_id, 'guess'), path))).toEqual(ten401);
    expect((await from(ip, basic(demo.oauth_app.client_id, demo.oauth_app.client_secret), '/users/wren')).status).toBe(
      403,
    );
    expect((await from(ip, basic(demo.app.client_id, demo.app.client_secret), '/users/wren')).status).toBe(200);
  });
});

test('with expired tokens lock nobody', async () => {
  const ip = address();
  gateway.clock.now = new Date('2026-10-01T10:00:00Z');
  for (let at = 0; at < 20; at++) expect((await from(ip, `Bearer ${demo.tokens.installation}`)).status).toBe(401);
  expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
});

test('fifty concurrent failed attempts are counted as fifty', async () => {
  const ip = address();
  const answers = await Promise.all(Array.from({ length: 50 }, () => from(ip, nobodys)));
  expect(answers.filter(one => one.status === 401)).toHaveLength(10);
  expect(answers.filter(one => one.status === 403)).toHaveLength(40);
});

test('GraphQL requests are rejected by the same lock', async () => {
  const ip = address();
  const ask = () =>
    gateway.request('/graphql', {
      method: 'POST',
      headers: { authorization: nobodys, 'x-forwarded-for': ip, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ user(login: "wren") { login } }' }),
    });
  for (let at = 0; at < 10; at++) await ask();
  expect(await from(ip, nobodys)).toMatchObject(locked);
  expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
});

describe('A valid token is no failed attempt', () => {
  const forms = (token: string): [string, string][] => [
    ['Bearer', `Bearer ${token}`],
    ['token', `token ${token}`],
    ['login:token', basic('wren', token)],
    ['token:x-oauth-basic', basic(token, 'x-oauth-basic')],
    ['token as a user name', basic(token, '')],
    ['any name and the token', basic('git', token)],
  ];
  test.each(forms(wren.classic_token))('%s, to REST, the graph and git', async (_form, authorization) => {
    const ip = address();
    const headers = { authorization, 'x-forwarded-for': ip, 'user-agent': 'portico tests' };
    for (let at = 0; at < 12; at++) {
      const rest = await from(ip, authorization);
      expect([rest.status, rest.json.login]).toEqual([200, 'wren']);
      const git = await gateway.request('/harbor-lab/compass.git/info/refs?service=git-upload-pack', { headers });
      const graph = await gateway.request('/graphql', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { login } }' }),
      });
      expect([git.status, graph.json.data?.viewer?.login]).toEqual([200, 'wren']);
    }
    expect((await from(address(), `Bearer ${wren.classic_token}`)).status).toBe(200);
  });

  test('and a login with a token that nobody has is one of the user', async () => {
    const ip = address();
    expect(await tenTimes(() => from(ip, basic('wren', mintToken('classic').text)))).toEqual(ten401);
    expect(await from(ip, `Bearer ${wren.classic_token}`)).toMatchObject(locked);
    wait(60);
    expect(await tenTimes(() => from(ip, basic(mintToken('classic').text, 'x-oauth-basic')))).toEqual(ten401);
    expect(await from(ip, basic(mintToken('classic').text, 'x-oauth-basic'))).toMatchObject(locked);
    expect((await from(ip, `Bearer ${wren.classic_token}`)).status).toBe(200);
  });
});

describe('A lock', () => {
  test('says when it ends, at every door', async () => {
    const ip = address();
    await tenTimes(() => from(ip, basic('wren', 'wrong')));
    wait(1);
    const headers = {
      authorization: `Bearer ${wren.classic_token}`,
      'x-forwarded-for': ip,
      'user-agent': 'portico tests',
    };
    const answers = [
      await from(ip, headers.authorization),
      await gateway.request('/harbor-lab/compass.git/info/refs?service=git-upload-pack', { headers }),
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { login } }' }),
      }),
    ];
    expect(answers.map(one => [one.status, one.headers.get('retry-after')])).toEqual(answers.map(() => [403, '240']));
    wait(60);
  });

  test('is told to its owner', async () => {
    const [{ email } = { email: '' }] = await gateway.database.read(sql<{ email: string }>`
      select e.email from account_email e join account a on a.id = e.account_id where a.login = 'wren' and e.is_primary`);
    // Three mails a day: the other tests have used them up.
    wait(24 * 60);
    mails.mails.length = 0;
    await tenTimes(() => from(address(), basic('wren', 'wrong')));
    const { text = '' } = await mails.take(email, /locked/);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('the account wren');
    wait(60);
  });

  test('stands with rate limits off too, where addresses are not locked', async () => {
    const ask = (authorization: string) =>
      unlimited.request('/user', { headers: { authorization, 'user-agent': 'portico tests' } });
    expect(await tenTimes(() => ask(nobodys))).toEqual(ten401);
    expect((await ask(nobodys)).status).toBe(401);
    expect(await tenTimes(() => ask(basic('juniper', 'wrong')))).toEqual(ten401);
    const answer = await ask(`Bearer ${juniper.classic_token}`);
    expect(answer).toMatchObject(locked);
    expect(answer.headers.get('retry-after')).toBe('300');
    expect((await ask(`Bearer ${wren.classic_token}`)).status).toBe(200);
  });
});

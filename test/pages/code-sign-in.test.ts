import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { RATE_LIMIT_FACTOR: '100000' },
});
const demo = await demoOf(gateway);
const juniper = demo.users.juniper.classic_token;
const db = gateway.database.sql;
const started = gateway.clock.now;
const later = (ms: number): void => {
  gateway.clock.now = new Date(started.getTime() + ms);
};

beforeEach(() => later(0));

/** A browser that shows a code. */
class NewBrowser extends Browser {
  code = '';

  async begin(url = '/login'): Promise<this> {
    const { formToken } = await this.open(url);
    const { status, location } = await this.open(url, { action: 'begin-code', form_token: formToken });
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/login\/code(\?|$)/)]);
    const page = await this.open(location);
    this.code = /<p class="code">([A-Z]{4}-[A-Z]{4})</.exec(page.text)?.[1] ?? '';
    expect([page.status, this.code]).toEqual([200, expect.stringMatching(/./)]);
    return this;
  }

  async finish(url = '/login/code') {
    const { formToken } = await this.open(url);
    return this.open(url, { action: 'finish-code', form_token: formToken });
  }
}

/** Types a code in the browser of a user. */
async function decide(code: string, action: 'authorize' | 'deny' = 'authorize', token = juniper) {
  const browser = new Browser(gateway);
  await browser.signIn(token);
  const page = await browser.open('/login/device');
  const consent = await browser.open('/login/device', { action: 'find', user_code: code, form_token: page.formToken });
  expect(consent.text).toContain('Sign in another browser');
  return browser.open('/login/device', { action, user_code: code, form_token: consent.formToken });
}

const tokensOf = async (token = juniper) => {
  const query = '{ viewer { tokens(first: 100) { nodes { id note lastEight expiresAt scopes } } } }';
  const { data } = await graphql(gateway, query, token);
  return data.viewer.tokens.nodes.filter(({ note }: { note: string }) => note === 'Browser');
};

test('a browser is signed in by a code that is typed in another one, and returns to its page', async () => {
  const browser = await new NewBrowser(gateway).begin('/login?return_to=%2Fjuniper%2Fnotebook');
  const waiting = await browser.open('/login/code');
  expect(waiting.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/);
  expect((await browser.finish()).status).toBe(403);
  expect((await decide(browser.code)).text).toContain('The other browser may sign in');
  const page = await browser.open('/login/code');
  expect(page.text).toContain('may sign in as <strong>juniper</strong>');
  expect(page.text).not.toContain('<script');
  // Reading the page signs nobody in.
  expect((await browser.open('/juniper/notebook')).status).toBe(404);
  const { status, location } = await browser.finish('/login/code?return_to=%2Fjuniper%2Fnotebook');
  expect([status, location]).toEqual([303, '/juniper/notebook']);
  expect((await browser.open('/juniper/notebook')).text).toContain('Signed in as <a href="/juniper">');
});

test('the page of an authorization returns to itself', async () => {
  const url = `/login/oauth/authorize?client_id=${demo.oauth_app.client_id}&state=a`;
  const browser = new Browser(gateway);
  const { formToken } = await browser.open(url);
  const { location } = await browser.open(url, { action: 'begin-code', form_token: formToken });
  expect(new URL(location, gateway.url).searchParams.get('return_to')).toBe(url);
});

describe('the session', () => {
  async function signedIn(): Promise<NewBrowser> {
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code);
    expect((await browser.finish()).location).toBe('/login');
    return browser;
  }

  test('has a token of its own, with the scopes of the one that approved it, for eight hours', async () => {
    await sql`delete from host_credential where note = 'Browser'`.execute(db);
    await signedIn();
    const [token, ...others] = await tokensOf();
    expect(others).toEqual([]);
    const { json } = await call(gateway, 'GET', '/user', `Bearer ${juniper}`);
    expect(json.login).toBe('juniper');
    const { rows } = await sql<{ scopes: string[] }>`select scopes from host_credential where kind = 'classic'
      and last_eight = ${juniper.slice(-8)}`.execute(db);
    expect(token.scopes).toEqual(rows[0]?.scopes);
    expect(Date.parse(token.expiresAt) - started.getTime()).toBe(8 * 60 * 60_000);
  });

  test('ends by signing out, which revokes the token', async () => {
    await sql`delete from host_credential where note = 'Browser'`.execute(db);
    const browser = await signedIn();
    const before = browser.cookie;
    const { formToken } = await browser.open('/login');
    expect((await browser.open('/login', { action: 'sign-out', form_token: formToken })).status).toBe(303);
    expect(await tokensOf()).toEqual([]);
    browser.cookie = before;
    later(10_000);
    expect((await browser.open('/juniper/notebook')).status).toBe(404);
  });

  test('ends with the token that approved it', async () => {
    const mutation =
      'mutation ($i: CreateClassicTokenInput!) { createClassicToken(input: $i) { secret token { id } } }';
    const made = await graphql(gateway, mutation, juniper, {
      i: { note: 'short', scopes: ['user', 'repo'] },
    });
    const { secret, token } = made.data.createClassicToken;
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code, 'authorize', secret);
    await browser.finish();
    expect((await browser.open('/juniper/notebook')).status).toBe(200);
    const revoke = 'mutation ($i: RevokeTokenInput!) { revokeToken(input: $i) { clientMutationId } }';
    await graphql(gateway, revoke, juniper, { i: { tokenId: token.id } });
    later(10_000);
    expect((await browser.open('/juniper/notebook')).status).toBe(404);
  });

  test('authorizes apps, within its scopes', async () => {
    const browser = await signedIn();
    const page = await browser.open(`/login/oauth/authorize?client_id=${demo.oauth_app.client_id}`);
    expect(page.text).toContain('wants to act for you');
  });
});

describe('a code', () => {
  test('that is declined signs nobody in', async () => {
    const browser = await new NewBrowser(gateway).begin();
    expect((await decide(browser.code, 'deny')).text).toContain('Nothing was granted');
    const page = await browser.open('/login/code?return_to=%2Fjuniper');
    expect([page.status, page.text.includes('declined in the other browser')]).toEqual([403, true]);
    expect(page.text).toContain('href="/login?return_to=%2Fjuniper"');
  });

  test('is good in the browser that asked for it, alone', async () => {
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code);
    const other = await new NewBrowser(gateway).begin();
    expect((await other.finish()).status).toBe(403);
    const thief = new NewBrowser(gateway);
    const { formToken } = await thief.open('/login');
    thief.cookie = `${thief.cookie}; portico_sign_in=${browser.code}`;
    expect((await thief.open('/login/code', { action: 'finish-code', form_token: formToken })).status).toBe(404);
    expect((await browser.finish()).status).toBe(303);
  });

  test('is good once: the second use ends the session of the first', async () => {
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code);
    const stolen = new NewBrowser(gateway);
    stolen.cookie = browser.cookie;
    const { formToken } = await browser.open('/login/code');
    await browser.finish();
    const again = await stolen.open('/login/code', { action: 'finish-code', form_token: formToken });
    expect([again.status, stolen.cookie.includes('portico_session=')]).toEqual([404, false]);
    later(10_000);
    expect((await browser.open('/juniper/notebook')).status).toBe(404);
  });

  test('is good for 15 minutes, before and after it was typed', async () => {
    const [one, other] = [await new NewBrowser(gateway).begin(), await new NewBrowser(gateway).begin()];
    await decide(one.code);
    later(15 * 60_000 + 1);
    for (const browser of [one, other]) {
      const page = await browser.open('/login/code');
      expect([page.status, page.text.includes('A code is valid for 15 minutes')]).toEqual([404, true]);
    }
  });

  test('needs the form of the browser', async () => {
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code);
    for (const action of ['finish-code', 'begin-code'])
      for (const form of [
        {},
        { form_token: 'x' },
        { form_token: (await new Browser(gateway).open('/login')).formToken },
      ])
        expect((await browser.open('/login/code', { action, ...form })).status).toBe(403);
  });

  test('is not exchanged by the endpoint of the apps', async () => {
    const browser = await new NewBrowser(gateway).begin();
    await decide(browser.code);
    const deviceCode = /portico_sign_in=(\w+)/.exec(browser.cookie)?.[1] ?? '';
    const { client_id, client_secret } = demo.oauth_app;
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const body = new URLSearchParams({ client_id, client_secret, grant_type, device_code: deviceCode });
    const response = await fetch(`${gateway.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    });
    expect(await response.json()).toMatchObject({ error: 'incorrect_device_code' });
    expect((await browser.finish()).status).toBe(303);
  });
});

test('without a code the page says how to get one', async () => {
  for (const cookie of ['', 'portico_sign_in=nonsense']) {
    const browser = new Browser(gateway);
    browser.cookie = cookie;
    const { status, text } = await browser.open('/login/code');
    expect([status, text.includes('Begin again on the sign-in page')]).toEqual([404, true]);
  }
});

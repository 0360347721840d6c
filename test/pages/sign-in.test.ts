import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { encrypt } from '../../src/auth/encryption.ts';
import { readConfig } from '../../src/config/config.ts';
import { deleteDeadTokens } from '../../src/hosting/credentials/credentials.tasks.ts';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { testSecret } from '../harness/secret.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { RATE_LIMIT_FACTOR: '100000' },
});
const beside = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: '100000' } });
const demo = await demoOf(gateway);
const juniper = demo.users.juniper.classic_token;
const started = gateway.clock.now;

beforeEach(() => {
  gateway.clock.now = started;
});

async function signedIn(token = juniper): Promise<Browser> {
  const browser = new Browser(gateway);
  const answer = await browser.signIn(token);
  expect([answer.status, answer.location]).toEqual([303, '/login']);
  return browser;
}

describe('a browser that is signed in', () => {
  test('sees the private repositories of its user, and who is signed in', async () => {
    const browser = await signedIn();
    for (const path of ['/juniper/notebook', '/juniper/notebook/branches', '/juniper']) {
      const { status, text, headers } = await browser.open(path);
      expect([path, status, text.includes('notebook')]).toEqual([path, 200, true]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toContain('Cookie');
      expect(text).toContain('Signed in as <a href="/juniper">juniper</a>');
    }
    expect((await browser.open('/')).text).toContain('Signed in as');
    expect((await browser.open('/harbor-lab/no-such-thing')).text).toContain('Signed in as');
  });

  test('sees what its user may see, and no more', async () => {
    const browser = await signedIn(demo.users.linh.classic_token);
    const { status, text } = await browser.open('/juniper/notebook');
    expect([status, text.includes('There is nothing here')]).toEqual([404, true]);
  });

  test('is nobody to the APIs', async () => {
    const { cookie } = await signedIn();
    const headers = { cookie, 'user-agent': 'a browser', accept: '*/*' };
    expect((await gateway.request('/repos/juniper/notebook', { headers })).status).toBe(404);
    expect((await gateway.request('/user', { headers })).status).toBe(403);
    const query = JSON.stringify({ query: '{ viewer { login } }' });
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: query };
    expect((await gateway.request('/graphql', post)).json.data?.viewer ?? null).toBeNull();
    // A path that is a page to browsers, and unknown to the API.
    const api = { ...headers, accept: 'application/json' };
    expect((await gateway.request('/juniper/notebook', { headers: api })).status).toBe(404);
  });

  // BREACH: the page holds what is private, and its own address.
  test('gets pages that are not compressed', async () => {
    const browser = await signedIn();
    const encodingOf = async (path: string) =>
      (await browser.open(path, undefined, { 'accept-encoding': 'gzip, br' })).headers.get('content-encoding');
    for (const path of ['/juniper/notebook', '/juniper', '/login'])
      expect([path, await encodingOf(path)]).toEqual([path, null]);
    browser.cookie = '';
    expect(await encodingOf('/harbor-lab/compass')).toBe('br');
  });

  test('gets the page of the credential that a request names', async () => {
    const browser = await signedIn();
    const linh = { authorization: `Bearer ${demo.users.linh.classic_token}` };
    expect((await browser.open('/juniper/notebook', undefined, linh)).status).toBe(404);
  });

  test('signs out by its own form alone', async () => {
    const browser = await signedIn();
    const { text, formToken } = await browser.open('/login');
    expect(text).toContain('You are signed in as <strong>juniper</strong>');
    expect((await browser.open('/login', { action: 'sign-out' })).status).toBe(403);
    expect((await browser.open('/login', { action: 'sign-out', form_token: 'x' })).status).toBe(403);
    const foreign = { origin: 'https://evil.example' };
    expect((await browser.open('/login', { action: 'sign-out', form_token: formToken }, foreign)).status).toBe(403);
    expect((await browser.open('/juniper/notebook')).status).toBe(200);
    expect((await browser.open('/login', { action: 'sign-out', form_token: formToken })).status).toBe(303);
    expect((await browser.open('/juniper/notebook')).status).toBe(404);
  });
});

describe('signing out ends every copy of the cookie', () => {
  const copyOf = (browser: Browser, of = gateway): Browser =>
    Object.assign(new Browser(of), { cookie: browser.cookie });
  const isSignedIn = async (browser: Browser) => (await browser.open('/juniper/notebook')).status === 200;
  const signOut = async (browser: Browser) => {
    const { formToken } = await browser.open('/login');
    expect((await browser.open('/login', { action: 'sign-out', form_token: formToken })).status).toBe(303);
  };

  test('at this gateway and at others, and no other session of the token', async () => {
    const [browser, elsewhere] = [await signedIn(), await signedIn()];
    const copies = [copyOf(browser), copyOf(browser, beside)];
    for (const copy of copies) expect(await isSignedIn(copy)).toBe(true);
    await signOut(browser);
    const [here, there] = copies;
    expect(await isSignedIn(here as Browser)).toBe(false);
    // The notification of the database is on its way.
    while (await isSignedIn(there as Browser));
    expect(await isSignedIn(elsewhere)).toBe(true);
    // The token is not the session's, and stays valid.
    expect((await call(gateway, 'GET', '/user', `Bearer ${juniper}`)).status).toBe(200);
  });

  test('in a form that was open', async () => {
    const browser = await signedIn();
    const { formToken } = await browser.open('/login/device');
    const copy = copyOf(browser);
    await signOut(browser);
    const form = { action: 'find', user_code: 'BCDF-GHJK', form_token: formToken };
    expect((await copy.open('/login/device', form)).status).toBe(401);
  });

  test('as signing in again does', async () => {
    const browser = await signedIn();
    const copy = copyOf(browser);
    // Its own page has no form to sign in by; that of a visit without the session has.
    const visit = browser.cookie.split('; ').find(one => one.startsWith('portico_visit=')) ?? '';
    const visitor = Object.assign(new Browser(gateway), { cookie: visit });
    const { formToken } = await visitor.open('/login');
    const form = { action: 'sign-in', token: juniper, form_token: formToken };
    expect((await browser.open('/login', form)).status).toBe(303);
    expect([await isSignedIn(browser), await isSignedIn(copy)]).toEqual([true, false]);
  });

  test('of a service credential', async () => {
    const browser = new Browser(gateway);
    await browser.signIn(demo.tokens.service, '/login/service');
    const copy = copyOf(browser);
    expect((await copy.open('/dashboards/service')).status).toBe(200);
    const { formToken } = await browser.open('/login/service');
    await browser.open('/login/service', { action: 'sign-out', form_token: formToken });
    expect((await copy.open('/dashboards/service')).status).toBe(401);
  });

  test('and a suspension ends them for good', async () => {
    const browser = await signedIn(demo.users.tomas.classic_token);
    expect((await browser.open('/login')).text).toContain('You are signed in as');
    const suspend = (at: Date | null) =>
      sql`update account set suspended_at = ${at} where login = 'tomas'`.execute(gateway.database.sql);
    await suspend(gateway.clock.now);
    await suspend(null);
    while ((await browser.open('/login')).text.includes('You are signed in as'));
    const { json } = await call(gateway, 'GET', '/user', `Bearer ${demo.users.tomas.classic_token}`);
    expect(json.login).toBe('tomas');
  });

  test('and its row is deleted a day after it expired', async () => {
    const db = gateway.database.sql;
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from browser_session`.execute(db)).rows[0]?.n;
    await signedIn();
    expect(await count()).toBeGreaterThan(0);
    await deleteDeadTokens(db, new Date(started.getTime() + 33 * 60 * 60_000));
    expect(await count()).toBe(0);
  });
});

describe('a session that has ended', () => {
  const expectEnded = async (browser: Browser) => {
    const { status, text, headers } = await browser.open('/juniper');
    expect([status, text.includes('Your session has ended'), text.includes('notebook')]).toEqual([200, true, false]);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
    // The browser has forgotten it.
    expect((await browser.open('/juniper')).text).not.toContain('Your session has ended');
  };

  test('by time', async () => {
    const browser = await signedIn();
    gateway.clock.now = new Date(started.getTime() + 8 * 60 * 60_000 + 1);
    await expectEnded(browser);
  });

  test('by its token', async () => {
    const { json } = await call(gateway, 'GET', '/user', `Bearer ${demo.users.linh.classic_token}`);
    const browser = await signedIn(demo.users.linh.classic_token);
    const db = gateway.database.sql;
    await sql`update host_credential set revoked_at = ${started} where account_id = ${json.id}`.execute(db);
    await sql`select pg_notify('hosting_credentials', '')`.execute(db);
    gateway.clock.now = new Date(started.getTime() + 10 * 60_000);
    await expectEnded(browser);
  });

  test('that is none', async () => {
    const browser = new Browser(gateway);
    browser.cookie = 'portico_session=nonsense';
    await expectEnded(browser);
    const keys = deriveKeys(readConfig({ SECRET_KEY: testSecret }));
    const session = JSON.stringify({ token: juniper, until: started.getTime() + 60_000 });
    browser.cookie = `portico_session=${encrypt(keys.encryption, session, 'form of a browser session')}`;
    await expectEnded(browser);
  });

  test('that has no row, as before signing out ended all copies', async () => {
    const keys = deriveKeys(readConfig({ SECRET_KEY: testSecret }));
    const session = JSON.stringify({ token: juniper, until: started.getTime() + 60_000, isOwn: false });
    const browser = new Browser(gateway);
    browser.cookie = `portico_session=${encrypt(keys.encryption, session, 'browser session')}`;
    await expectEnded(browser);
  });

  test('says so on a page that is missing to everybody', async () => {
    const browser = new Browser(gateway);
    browser.cookie = 'portico_session=nonsense';
    const { status, text } = await browser.open('/juniper/notebook');
    expect([status, text.includes('Your session has ended')]).toEqual([404, true]);
    expect(text).toContain('href="/login?return_to=%2Fjuniper%2Fnotebook"');
  });
});

describe('signing in', () => {
  test.each(['hostp_nonsense', 'nonsense', ''])('%j is refused', async token => {
    const browser = new Browser(gateway);
    const { status, text } = await browser.signIn(token);
    expect([status, text.includes('This token is not valid')]).toEqual([422, true]);
    expect(browser.cookie).not.toContain('portico_session=');
  });

  test('needs a form that this server made for this browser', async () => {
    const { formToken } = await new Browser(gateway).open('/login');
    const ofSession = (await (await signedIn()).open('/login')).formToken;
    for (const path of ['/login', '/login/device', '/settings/connections/applications/x'])
      for (const form of [{}, { form_token: 'x' }, { form_token: formToken }, { form_token: ofSession }]) {
        const browser = new Browser(gateway);
        await browser.open(path);
        const answer = await browser.open(path, { action: 'sign-in', token: juniper, ...form });
        expect([path, answer.status, browser.cookie.includes('portico_session=')]).toEqual([path, 403, false]);
        expect(answer.text).toContain(`<a href="${path}">Load the page again</a>`);
      }
  });

  test('a form of another site is refused', async () => {
    const browser = new Browser(gateway);
    const { formToken } = await browser.open('/login');
    const form = { action: 'sign-in', token: juniper, form_token: formToken };
    const { status } = await browser.open('/login', form, { origin: 'https://evil.example' });
    expect([status, browser.cookie.includes('portico_session=')]).toEqual([403, false]);
  });

  test('the token of a sign-in form sends no form of the session', async () => {
    const browser = await signedIn();
    const visit = browser.cookie.split('; ').find(one => one.startsWith('portico_visit=')) ?? '';
    const other = new Browser(gateway);
    other.cookie = visit;
    const { formToken } = await other.open('/login');
    expect((await browser.open('/login', { action: 'sign-out', form_token: formToken })).status).toBe(403);
  });

  test('a form of a session that has ended tells to sign in, and returns to its page', async () => {
    const browser = await signedIn();
    const { formToken } = await browser.open('/login');
    gateway.clock.now = new Date(started.getTime() + 8 * 60 * 60_000 + 1);
    const form = { delivery: 'x', action: 'hook', form_token: formToken, return_to: '/juniper?page=2' };
    const { status, text } = await browser.open('/webhooks/deliveries/redeliver', form);
    expect(status).toBe(401);
    expect(text).toContain('<a href="/login?return_to=%2Fjuniper%3Fpage%3D2">Sign in</a>');
  });

  test('a page for authorizing an app that is the first of a visit has a form that is good', async () => {
    const browser = new Browser(gateway);
    const url = `/login/oauth/authorize?client_id=${demo.oauth_app.client_id}`;
    const { headers } = await browser.open(url);
    expect(headers.get('set-cookie')).toMatch(/^portico_visit=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/);
    const answer = await browser.signIn(juniper, url);
    expect([answer.status, answer.location]).toEqual([303, url]);
    expect((await browser.open(url)).text).toContain('wants to act for you');
  });

  test.each([
    ['/juniper/notebook?x=1', '/juniper/notebook?x=1'],
    ['https://evil.example/', undefined],
    ['//evil.example/', undefined],
    ['/\\evil.example/', undefined],
    ['/\t/evil.example/', undefined],
    ['/..//evil.example/', undefined],
    ['javascript:alert(1)', undefined],
    ['x', undefined],
  ])('returns from %j to %j', async (from, to) => {
    const browser = new Browser(gateway);
    const url = `/login?return_to=${encodeURIComponent(from)}`;
    const answer = await browser.signIn(juniper, url);
    expect([answer.status, answer.location]).toEqual([303, url]);
    const { status, location } = await browser.open(url);
    expect([status, location]).toEqual(to === undefined ? [200, ''] : [302, to]);
  });
});

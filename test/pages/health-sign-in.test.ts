import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { person, registration, send } from '../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  workers: true,
  settings: { SMTP_URL: mails.url, RATE_LIMIT_FACTOR: '100000', TRUST_PROXY: 'loopback' },
});
const started = gateway.clock.now;
const eightHoursMs = 8 * 60 * 60_000;

beforeEach(() => {
  gateway.clock.now = started;
});

async function signedIn(): Promise<{ browser: Browser; email: string; password: string; id: number }> {
  const account = await person(gateway, mails);
  const browser = new Browser(gateway);
  const answer = await browser.signInToHealth(account.email, account.password);
  expect([answer.status, answer.location]).toEqual([303, '/login/health']);
  return { browser, ...account };
}

const auditOf = async (id: number): Promise<string[]> => {
  const rows = await sql<{ kind: string }>`select kind from audit_event where user_id = ${id} order by id`.execute(
    gateway.database.sql,
  );
  return rows.rows.map(({ kind }) => kind);
};

describe('a browser that is signed in to a health account', () => {
  test('sees its pages, and no shared cache keeps them', async () => {
    const { browser } = await signedIn();
    const { status, text, headers } = await browser.open('/health');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(headers.get('vary')).toContain('Cookie');
    expect(text).toContain('<a href="/login/health">Sign out</a>');
    expect(
      (await browser.open('/health', undefined, { 'accept-encoding': 'gzip' })).headers.get('content-encoding'),
    ).toBe(null);
  });

  test('is nobody to the APIs and on pages of code hosting', async () => {
    const { browser } = await signedIn();
    const headers = { cookie: browser.cookie, 'user-agent': 'a browser' };
    expect((await gateway.request('/api/v1/auth/me/', { headers })).status).toBe(401);
    const query = JSON.stringify({ query: '{ healthViewer { id } }' });
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: query };
    expect((await gateway.request('/graphql', post)).json.data?.healthViewer ?? null).toBeNull();
    const page = await browser.open('/harbor-lab/compass');
    expect([page.status, page.text.includes('Sign in')]).toEqual([200, true]);
  });

  test('can be signed in to code hosting as well', async () => {
    const { browser } = await signedIn();
    const token = (await demoOf(gateway)).users.juniper.classic_token;
    await browser.signIn(token);
    expect((await browser.open('/juniper/notebook')).text).toContain('Signed in as <a href="/juniper">');
    expect((await browser.open('/health')).status).toBe(200);
  });

  test('has a cookie that scripts and other sites do not send, and only encrypted tokens', async () => {
    const account = await person(gateway, mails);
    const browser = new Browser(gateway);
    const { headers } = await browser.signInToHealth(account.email, account.password);
    const session = headers.getSetCookie().find(one => one.startsWith('portico_health_session='));
    expect(session).toMatch(/; Path=\/;.*HttpOnly; SameSite=Lax$/);
    expect(session).not.toMatch(/eyJ/);
  });

  test('has a secure cookie behind TLS', async () => {
    const { email, password } = await person(gateway, mails);
    const browser = new Browser(gateway);
    const forwarded = { 'x-forwarded-proto': 'https', origin: gateway.url.replace('http:', 'https:') };
    const { formToken } = await browser.open('/login/health', undefined, forwarded);
    const form = { action: 'sign-in', email, password, form_token: formToken };
    const { headers } = await browser.open('/login/health', form, forwarded);
    const session = headers.getSetCookie().find(one => one.startsWith('portico_health_session='));
    expect(session).toMatch(/HttpOnly; Secure; SameSite=Lax$/);
  });

  test('signs out by its own form alone, which ends the session', async () => {
    const { browser, id } = await signedIn();
    const { formToken } = await browser.open('/login/health');
    const before = browser.cookie;
    for (const form of [{}, { form_token: 'x' }] as Record<string, string>[])
      expect((await browser.open('/login/health', { action: 'sign-out', ...form })).status).toBe(403);
    const foreign = { origin: 'https://evil.example' };
    const form = { action: 'sign-out', form_token: formToken };
    expect((await browser.open('/login/health', form, foreign)).status).toBe(403);
    expect((await browser.open('/health')).status).toBe(200);
    expect((await browser.open('/login/health', form)).status).toBe(303);
    expect((await browser.open('/health')).status).toBe(401);
    // The cookie that was sent before opens nothing any more.
    browser.cookie = before;
    expect((await browser.open('/health')).text).toContain('Your session has ended');
    expect(await auditOf(id)).toEqual(expect.arrayContaining(['logged_in', 'logged_out']));
  });
});

describe('a session that has ended', () => {
  const expectEnded = async (browser: Browser) => {
    const { status, text, headers } = await browser.open('/health/goals');
    expect([status, text.includes('Your session has ended.'), headers.get('cache-control')]).toEqual([
      401,
      true,
      'no-store',
    ]);
    expect(text).toContain('href="/login/health?return_to=%2Fhealth%2Fgoals"');
  };

  test('by time', async () => {
    const { browser } = await signedIn();
    gateway.clock.now = new Date(started.getTime() + eightHoursMs - 1_000);
    expect((await browser.open('/health')).status).toBe(200);
    gateway.clock.now = new Date(started.getTime() + eightHoursMs + 1_000);
    await expectEnded(browser);
  });

  test('by a new password', async () => {
    const { browser, email, password } = await signedIn();
    const { json } = await send(gateway, 'POST', '/auth/login/', { email, password });
    const change = {
      old_password: password,
      new_password: 'another horse 1 battery',
      new_password2: 'another horse 1 battery',
    };
    expect((await send(gateway, 'POST', '/auth/password/change/', change, json.access)).status).toBeLessThan(300);
    await expectEnded(browser);
  });

  test('by a suspension', async () => {
    const { browser, id } = await signedIn();
    const until = new Date(started.getTime() + 60_000);
    await sql`update users set suspended_until = ${until} where id = ${id}`.execute(gateway.database.sql);
    await expectEnded(browser);
  });

  test('that is none', async () => {
    const browser = new Browser(gateway);
    browser.cookie = 'portico_health_session=nonsense';
    await expectEnded(browser);
    // A session of the other product, under this name.
    const other = new Browser(gateway);
    await other.signIn((await demoOf(gateway)).users.juniper.classic_token);
    browser.cookie = other.cookie.replace('portico_session', 'portico_health_session');
    await expectEnded(browser);
  });
});

describe('signing in', () => {
  test('with a wrong password or an unknown address is refused in the same words', async () => {
    const { email } = await person(gateway, mails);
    const browser = new Browser(gateway);
    const texts = [];
    for (const [address, password] of [
      [email, 'wrong horse'],
      ['nobody@example.org', 'wrong horse'],
      ['', ''],
    ] as const) {
      const { status, text } = await browser.signInToHealth(address, password);
      expect([status, browser.cookie.includes('portico_health_session=')]).toEqual([422, false]);
      texts.push(/role="alert">([^<]+)</.exec(text)?.[1]);
    }
    expect(new Set(texts)).toEqual(new Set(['There is no active account with this e-mail address and password.']));
  });

  test('to an account that is not active says so to who knows its password', async () => {
    const form = registration();
    expect((await send(gateway, 'POST', '/auth/register/', form)).status).toBe(201);
    const { status, text } = await new Browser(gateway).signInToHealth(form.email, form.password);
    expect([status, text.includes('not active yet')]).toEqual([422, true]);
  });

  test('is stopped after ten wrong passwords, also by the API, with the right one as well', async () => {
    const { email, password } = await person(gateway, mails);
    const browser = new Browser(gateway);
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await browser.signInToHealth(email, 'wrong horse')).status).toBe(422);
    const { status, text, headers } = await browser.signInToHealth(email, password);
    expect([status, text.includes('Too many attempts'), Number(headers.get('retry-after')) > 0]).toEqual([
      429,
      true,
      true,
    ]);
    expect((await send(gateway, 'POST', '/auth/login/', { email, password })).status).toBe(429);
  });

  test('needs the form of this browser', async () => {
    const { email, password } = await person(gateway, mails);
    const { formToken } = await new Browser(gateway).open('/login/health');
    for (const form of [{}, { form_token: 'x' }, { form_token: formToken }] as Record<string, string>[]) {
      const browser = new Browser(gateway);
      await browser.open('/login/health');
      const answer = await browser.open('/login/health', { action: 'sign-in', email, password, ...form });
      expect([answer.status, browser.cookie.includes('portico_health_session=')]).toEqual([403, false]);
    }
    const browser = new Browser(gateway);
    const page = await browser.open('/login/health');
    const form = { action: 'sign-in', email, password, form_token: page.formToken };
    expect((await browser.open('/login/health', form, { origin: 'https://evil.example' })).status).toBe(403);
  });

  test('shows what was typed as text', async () => {
    const { text } = await new Browser(gateway).signInToHealth('"><script>alert(1)</script>', 'x');
    expect(text).not.toContain('<script');
  });

  test.each([
    ['/health/vitals?days=7', '/health/vitals?days=7'],
    ['//evil.example/', undefined],
    ['https://evil.example/', undefined],
  ])('returns from %j to %j', async (from, to) => {
    const { email, password } = await person(gateway, mails);
    const browser = new Browser(gateway);
    const url = `/login/health?return_to=${encodeURIComponent(from)}`;
    expect((await browser.signInToHealth(email, password, url)).location).toBe(url);
    const { status, location } = await browser.open(url);
    expect([status, location]).toEqual(to === undefined ? [200, ''] : [302, to]);
  });

  test('is linked with the sign-in of code hosting', async () => {
    const browser = new Browser(gateway);
    expect((await browser.open('/login')).text).toContain('href="/login/health"');
    expect((await browser.open('/login/health')).text).toContain('href="/login"');
  });
});

test('a page of a person without a session asks to sign in, and an API client gets no page', async () => {
  const { status, text } = await new Browser(gateway).open('/health/vitals');
  expect([status, text.includes('Sign in to see this page')]).toEqual([401, true]);
  expect(text).toContain('href="/login/health?return_to=%2Fhealth%2Fvitals"');
  expect(
    (await call(gateway, 'GET', '/health/vitals', undefined, undefined, { accept: 'application/json' })).status,
  ).toBe(404);
  const { juniper } = (await demoOf(gateway)).users;
  const headers = { authorization: `Bearer ${juniper.classic_token}` };
  expect((await new Browser(gateway).open('/health/vitals', undefined, headers)).status).toBe(401);
});

test('a guest has no pages', async () => {
  const { json } = await send(gateway, 'POST', '/auth/guest/', {});
  const headers = { authorization: `Bearer ${json.access}` };
  expect((await new Browser(gateway).open('/health', undefined, headers)).status).toBe(404);
});

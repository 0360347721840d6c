import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser, type BrowserAnswer } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const service = demo.tokens.service;
const pages = ['/dashboards/service', '/dashboards/service/health', '/dashboards/service/feeds'];
await sql`update insight_tally set bucket = ${'2026-10-01T00:00:00Z'}::timestamptz`.execute(gateway.database.sql);
await sql`update health_day_count set day = ${'2026-09-30'}::date where day = (select max(day) from health_day_count)`.execute(
  gateway.database.sql,
);

async function signIn(browser: Browser, token: string, returnTo = '/dashboards/service'): Promise<BrowserAnswer> {
  const url = `/login/service?return_to=${encodeURIComponent(returnTo)}`;
  const { formToken } = await browser.open(url);
  return browser.open(url, { action: 'sign-in', token, form_token: formToken });
}

const owner = new Browser(gateway);
await signIn(owner, service);

describe('signing in with a service credential', () => {
  test('opens the dashboards, and nothing else', async () => {
    const browser = new Browser(gateway);
    const before = await browser.open('/dashboards/service/health');
    expect([before.status, before.text.includes('/login/service?return_to=%2Fdashboards%2Fservice%2Fhealth')]).toEqual([
      401,
      true,
    ]);
    const { status, location } = await signIn(browser, ` ${service} `, '/dashboards/service/health');
    expect([status, location]).toEqual([303, '/dashboards/service/health']);
    for (const page of pages) {
      const { status: shown, headers, text } = await browser.open(page);
      expect([page, shown, headers.get('cache-control')]).toEqual([page, 200, 'private, no-cache']);
      expect(text).toContain('<a href="/login/service">Sign out</a>');
    }
    expect((await browser.open('/orgs/harbor-lab/dashboards/api-usage')).status).toBe(404);
    expect((await browser.open('/health')).status).toBe(401);
    expect((await browser.open('/harbor-lab/compass')).text).not.toContain('Sign out');
    const headers = { cookie: browser.cookie, 'user-agent': 'a browser' };
    const post = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ hostingInsights { from } }' }),
    };
    expect((await gateway.request('/graphql', post)).json.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const cookie = /portico_service_session=([^;]+)/.exec(browser.cookie)?.[1] ?? '';
    expect(decodeURIComponent(cookie)).not.toContain(service.slice(9, 30));
  });

  test('takes no credential of another kind, and /login takes no service credential', async () => {
    for (const token of [demo.users.wren.classic_token, demo.tokens.workflow, `${service.slice(0, -1)}0`, 'x', '']) {
      const browser = new Browser(gateway);
      const { status, text } = await signIn(browser, token);
      expect([status, text.includes('This is no service credential')]).toEqual([422, true]);
      expect(browser.cookie).not.toContain('portico_service_session=');
    }
    const browser = new Browser(gateway);
    const { formToken } = await browser.open('/login');
    const { status } = await browser.open('/login', { action: 'sign-in', token: service, form_token: formToken });
    expect([status, browser.cookie.includes('portico_session=')]).toEqual([422, false]);
  });

  test('needs the form of this browser, and returns to no other site', async () => {
    const sent = { action: 'sign-in', token: service };
    expect((await new Browser(gateway).open('/login/service', sent)).status).toBe(403);
    const foreign = { origin: 'https://other.example' };
    const browser = new Browser(gateway);
    const { formToken } = await browser.open('/login/service');
    const form = { ...sent, form_token: formToken };
    expect((await browser.open('/login/service', form, foreign)).status).toBe(403);
    for (const other of ['https://other.example/', '//other.example', '/\\other.example'])
      expect((await signIn(new Browser(gateway), service, other)).location).toBe('/dashboards/service');
  });

  test('ends by signing out, after eight hours, and with the credential', async () => {
    const browser = new Browser(gateway);
    await signIn(browser, service);
    const { formToken } = await browser.open('/login/service');
    expect((await browser.open('/login/service', { action: 'sign-out', form_token: 'x' })).status).toBe(403);
    await browser.open('/login/service', { action: 'sign-out', form_token: formToken });
    expect((await browser.open('/dashboards/service')).status).toBe(401);
    await signIn(browser, service);
    const now = gateway.clock.now;
    gateway.clock.now = new Date(now.getTime() + 8 * 60 * 60_000);
    const ended = await browser.open('/dashboards/service');
    expect([ended.status, browser.cookie.includes('portico_service_session=')]).toEqual([401, false]);
    gateway.clock.now = now;
  });

  test('the session of an administrator opens no dashboard of all accounts', async () => {
    const browser = new Browser(gateway);
    const { formToken } = await browser.open('/login');
    await browser.open('/login', { action: 'sign-in', token: demo.users.wren.classic_token, form_token: formToken });
    for (const page of pages) expect((await browser.open(page)).status).toBe(401);
    const header = `Bearer ${demo.users.wren.classic_token}`;
    for (const page of pages)
      expect((await call(gateway, 'GET', page, header, undefined, { accept: 'text/html' })).status).toBe(404);
  });
});

const feedsPage = '/dashboards/service/feeds';

describe.each(pages.filter(page => page !== feedsPage))('%s', page => {
  test('has charts, tables, and the query behind it', async () => {
    const { text, headers } = await owner.open(page);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|<style/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    const charts = [...text.matchAll(/<svg[^>]*role="img" aria-labelledby="([\w-]+) ([\w-]+)">/g)];
    expect(charts.length).toBeGreaterThanOrEqual(4);
    for (const [, title, description] of charts) {
      expect(text).toContain(`<title id="${title}">`);
      expect(text).toContain(`<desc id="${description}">`);
    }
    const [, escaped = ''] = /<pre>([^<]*)<\/pre>/.exec(text) ?? [];
    const query = escaped.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    expect(text).toContain(`href="/graphiql#query=${encodeURIComponent(query).replaceAll("'", '&#39;')}"`);
    expect((await graphql(gateway, query, service)).errors).toBeUndefined();
    expect((await graphql(gateway, query, demo.users.wren.classic_token)).errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('sends each of its tables as CSV', async () => {
    const { text } = await owner.open(page);
    const links = [...text.matchAll(/href="(\?[^"]*format=csv[^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links) {
      const { status, text: csv, headers } = await owner.open(`${page}${link.replaceAll('&amp;', '&')}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
      expect(csv.split('\r\n').length).toBeGreaterThan(2);
    }
    const token = await call(gateway, 'GET', `${page}?format=csv`, `Bearer ${service}`, undefined, {
      accept: 'text/html',
    });
    expect([token.status, token.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  });

  test.each([
    ['?days=7', 200],
    ['?days=90', 200],
    ['?days=', 200],
    ['?days=0', 200],
    ['?days=x', 200],
    ['?format=csv&table=nothing', 404],
  ])('of %s is %d', async (search, status) => {
    expect((await owner.open(`${page}${search}`)).status).toBe(status);
  });
});

test('hours of more than a week are refused with a page', async () => {
  const { status, text } = await owner.open('/dashboards/service?days=30&step=hour');
  expect([status, text.includes('The request cannot be served')]).toEqual([400, true]);
  expect((await owner.open('/dashboards/service?days=1&step=hour')).status).toBe(200);
});

test('a chart has a place for each day and hour, also for those without counts', async () => {
  const { text: hours } = await owner.open('/dashboards/service?days=1&step=hour');
  expect(hours).toContain('9 hours, in UTC.');
  const { text: days } = await owner.open('/dashboards/service/health?days=7');
  expect(days).toContain('7 days; those without a column have fewer than ten people.');
});

describe(feedsPage, () => {
  test('without subscriptions says how to add one', async () => {
    const { text } = await owner.open(feedsPage);
    expect(text).toContain('There are no subscriptions.');
  });

  test('shows the subscriptions, those that fail first, and their last runs, as tables and as CSV', async () => {
    await sql`
      insert into feed_subscription (id, url, source, interval_seconds, failures, due_at, succeeded_at, created_at)
      overriding system value values
        (901, 'https://good.example/feed?a=1&b=<2>', 'who', 21600, 0, '2026-10-01T12:00:00Z', '2026-10-01T06:00:00Z', '2026-09-01T00:00:00Z'),
        (902, 'https://bad.example/feed', 'nhs', 3600, 3, '2026-10-01T09:00:00Z', null, '2026-09-01T00:00:00Z')`.execute(
      gateway.database.sql,
    );
    await sql`
      insert into feed_run (subscription_id, started_at, ended_at, outcome, http_status, problem, added, rejected)
      values (901, '2026-10-01T06:00:00Z', '2026-10-01T06:00:01Z', 'imported', 200, null, 7, 1),
        (902, '2026-10-01T07:00:00Z', '2026-10-01T07:00:01Z', 'failed', 503, 'the publisher answers with 503', 0, 0)`.execute(
      gateway.database.sql,
    );
    const { text, status } = await owner.open(feedsPage);
    expect(status).toBe(200);
    expect(text).toContain('2 subscriptions, of which 1 failed at the last run.');
    expect(text.indexOf('bad.example')).toBeLessThan(text.indexOf('good.example'));
    expect(text).toContain('feed?a=1&amp;b=&lt;2');
    const { text: csv } = await owner.open(`${feedsPage}?format=csv&table=runs`);
    expect(csv.split('\r\n').slice(1, 3)).toEqual([
      expect.stringContaining('https://bad.example/feed,failed,503,0,0,0,0,0,the publisher answers with 503'),
      expect.stringContaining(',imported,200,7,0,0,0,1,'),
    ]);
  });
});

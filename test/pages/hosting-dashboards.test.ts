import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { openReceiver } from '../hosting/webhooks/receiver.ts';
import { until } from '../jobs/job-harness.ts';

const gateway = await testGateway({
  data: 'demo',
  workers: true,
  settings: {
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    DATABASE_POOL: '10',
    RATE_LIMIT_FACTOR: '1000',
    SOURCE_IMPORTS: 'on',
  },
});
const { wren, linh, juniper } = (await demoOf(gateway)).users;
const receiver = await openReceiver((request, response) => {
  response.statusCode = request.url?.startsWith('/failing') ? 500 : 200;
  response.end('ok');
});
afterAll(() => receiver.close());
const hostile = '<script>alert(1)</script>';

async function browserOf(user: { classic_token: string }): Promise<Browser> {
  const browser = new Browser(gateway);
  expect((await browser.signIn(user.classic_token)).status).toBe(303);
  return browser;
}

const as = (method: string, path: string, body?: unknown) =>
  call(gateway, method, path, `Bearer ${wren.classic_token}`, body);

async function hook(source: string, path: string): Promise<void> {
  const config = { url: `${receiver.url}${path}`, content_type: 'json' };
  const { status, text } = await as('POST', `${source}/hooks`, { name: 'web', config, events: ['push'] });
  expect([status, text]).toEqual([201, text]);
}

const settled = (): Promise<unknown> =>
  until('every delivery is made', async () => {
    const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(
      gateway.database.sql,
    );
    return rows.length === 0;
  });

async function repository(name: string, owner: string): Promise<number> {
  const input = { ownerId: await globalIdOf(gateway, owner), name, visibility: 'PRIVATE' };
  const { data, errors } = await graphql(
    gateway,
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId } } }',
    wren.classic_token,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createRepository.repository.databaseId;
}

const watched = await repository('watched', 'harbor-lab');
await hook('/repos/harbor-lab/watched', '/fine');
await hook('/repos/harbor-lab/watched', `/failing?x=${encodeURIComponent(hostile)}`);
await hook('/orgs/harbor-lab', '/organization');
await settled();
const owner = await browserOf(wren);
const repositoryPage = '/harbor-lab/watched/dashboards/deliveries';
const organizationPage = '/orgs/harbor-lab/dashboards/deliveries';

/** The hidden fields of the first form that sends a delivery of this text of a row again. */
function redeliveryForm(html: string, row: string): Record<string, string> {
  const [tableRow = ''] =
    html.match(/<tr>.*?<\/tr>/gs)?.filter(one => one.includes(row) && one.includes('<form')) ?? [];
  return Object.fromEntries(
    [...tableRow.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe.each([repositoryPage, organizationPage, '/orgs/harbor-lab/dashboards/imports'])('%s', path => {
  test('is for administrators', async () => {
    const { status, headers } = await owner.open(path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    for (const browser of [new Browser(gateway), await browserOf(juniper), await browserOf(linh)])
      for (const suffix of ['', '?format=csv']) {
        const other = await browser.open(`${path}${suffix}`);
        expect([other.status, other.text.includes('There is nothing here')]).toEqual([404, true]);
      }
  });

  test('runs no text of users, and opens its query in the explorer', async () => {
    const { text } = await owner.open(path);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|<style/);
    const [, escaped = ''] = /<pre>([^<]*)<\/pre>/.exec(text) ?? [];
    const query = escaped
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect((await graphql(gateway, query, wren.classic_token)).errors).toBeUndefined();
  });
});

describe('deliveries of webhooks', () => {
  test('are counted by webhook, with those that failed', async () => {
    const { text } = await owner.open(`${repositoryPage}?format=csv&table=hooks`);
    expect(text).toMatch(/\/fine,yes,1,0,0,OK,[\d.]+\r\n/);
    expect(text).toMatch(/\/failing\?x=[^,]*,yes,1,1,1,[^,]+,[\d.]+\r\n/);
    const page = (await owner.open(repositoryPage)).text;
    expect(page).toContain('2 deliveries of the last 30 days, 1 of them failed (50.0 %).');
  });

  test('can be failures alone', async () => {
    const { text } = await owner.open(`${repositoryPage}?outcome=failure&format=csv&table=deliveries`);
    expect(text.trim().split('\r\n')).toHaveLength(2);
    expect(text).toContain('/failing');
  });

  test('of an organization are those of its own webhooks', async () => {
    const { text } = await owner.open(`${organizationPage}?format=csv&table=hooks`);
    expect(text).toContain('/organization,yes,1,0,0');
    expect(text).not.toContain('/fine');
  });

  test('of an app are for those who manage it', async () => {
    const { status, text } = await owner.open('/apps/harbor-pilot/dashboards/deliveries');
    expect([status, text.includes('Webhook deliveries')]).toEqual([200, true]);
    expect((await (await browserOf(linh)).open('/apps/harbor-pilot/dashboards/deliveries')).status).toBe(404);
    expect((await new Browser(gateway).open('/apps/harbor-pilot/dashboards/deliveries')).status).toBe(404);
  });
});

describe('the button of a delivery', () => {
  const post = '/webhooks/deliveries/redeliver';

  test('sends it again, and returns to the page', async () => {
    const before = receiver.received.filter(({ path }) => path === '/fine').length;
    const form = redeliveryForm((await owner.open(repositoryPage)).text, '/fine');
    const { status, location } = await owner.open(post, form);
    expect([status, location]).toEqual([302, repositoryPage]);
    await until('it arrives', () => receiver.received.filter(({ path }) => path === '/fine').length > before);
    await settled();
    expect((await owner.open(`${repositoryPage}?format=csv&table=deliveries`)).text).toMatch(/\/fine,.*,yes\r\n/);
  });

  test('needs a form of this session and of this site', async () => {
    const { form_token: formToken = '', ...form } = redeliveryForm((await owner.open(repositoryPage)).text, '/failing');
    const count = receiver.received.length;
    expect((await owner.open(post, form)).status).toBe(403);
    expect((await owner.open(post, { ...form, form_token: 'x' })).status).toBe(403);
    const foreign = { origin: 'https://evil.example' };
    expect((await owner.open(post, { ...form, form_token: formToken }, foreign)).status).toBe(403);
    expect((await (await browserOf(linh)).open(post, { ...form, form_token: formToken })).status).toBe(403);
    expect((await new Browser(gateway).open(post, { ...form, form_token: formToken })).status).toBe(401);
    expect(receiver.received).toHaveLength(count);
  });

  test('asks the graph whether the user may', async () => {
    const form = redeliveryForm((await owner.open(repositoryPage)).text, '/failing');
    const stranger = await browserOf(linh);
    const { formToken } = await stranger.open('/login');
    const { status, text } = await stranger.open(post, { ...form, form_token: formToken });
    expect([status, text.includes('The delivery is not sent again')]).toEqual([404, true]);
    for (const delivery of ['', 'nonsense']) expect((await owner.open(post, { ...form, delivery })).status).toBe(400);
  });

  test('returns to no other site', async () => {
    const form = redeliveryForm((await owner.open(repositoryPage)).text, '/fine');
    const { location } = await owner.open(post, { ...form, return_to: 'https://evil.example/' });
    expect(location).toBe('/');
    await settled();
  });
});

describe('source imports', () => {
  const insert = (id: number, status: string, percent: number | null) =>
    sql`insert into source_import (repository_id, account_id, vcs, vcs_url, status, import_percent, may_change_workflows, created_at, updated_at)
      select ${id}, owner_id, 'git', ${`https://git.example/${hostile}`}, ${status}, ${percent}, false, now(), now()
      from repository where id = ${id}`.execute(gateway.database.sql);

  test('that run have a bar, and a script that reads the page again', async () => {
    await insert(watched, 'importing', 40);
    for (const path of ['/orgs/harbor-lab/dashboards/imports', '/harbor-lab/watched/import']) {
      const { text, headers } = await owner.open(path);
      expect(text).toMatch(/<progress max="1" value="0.2" aria-label="[^"]+">/);
      const [script = '', ...others] = text.match(/<script>.*?<\/script>/gs) ?? [];
      expect([script.includes('setTimeout(update'), others]).toEqual([true, []]);
      expect(text).toContain('&lt;script');
      expect(headers.get('content-security-policy')).toMatch(/script-src 'sha256-[\w+/=]+'; connect-src 'self'$/);
    }
    await sql`update source_import set status = 'complete' where repository_id = ${watched}`.execute(
      gateway.database.sql,
    );
    for (const path of ['/orgs/harbor-lab/dashboards/imports', '/harbor-lab/watched/import']) {
      const { text, headers } = await owner.open(path);
      expect(text).toContain('<progress max="1" value="1"');
      expect(text).not.toContain('<script');
      expect(headers.get('content-security-policy')).not.toContain('script-src');
    }
  });
});

test('the pages of an organization, a repository and an app link them for who is signed in', async () => {
  expect((await owner.open('/harbor-lab')).text).toContain(`href="${organizationPage}"`);
  const { text } = await owner.open('/harbor-lab/watched');
  expect(text).toContain(`href="${repositoryPage}"`);
  expect(text).toContain('href="/harbor-lab/watched/rules/suites"');
  expect((await new Browser(gateway).open('/harbor-lab/compass')).text).not.toContain('/dashboards/');
});

import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser, type BrowserAnswer } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { RATE_LIMIT_FACTOR: '100000' },
});
const { users } = await demoOf(gateway);
const started = gateway.clock.now;
const repositoryPage = '/juniper/notebook/invitations';
const organizationPage = '/orgs/harbor-lab/invitation';

beforeEach(async () => {
  gateway.clock.now = started;
  for (const table of ['repository_invitation', 'membership_invitation', 'collaborator'])
    await sql`delete from ${sql.table(table)}`.execute(gateway.database.sql);
  await sql`delete from membership where account_id = (select id from account where login = 'linh')`.execute(
    gateway.database.sql,
  );
});

const as = (user: keyof typeof users): string => `Bearer ${users[user].classic_token}`;
async function invite(page: string, login = 'linh'): Promise<void> {
  const { status } =
    page === repositoryPage
      ? await call(gateway, 'PUT', `/repos/juniper/notebook/collaborators/${login}`, as('juniper'))
      : await call(gateway, 'PUT', `/orgs/harbor-lab/memberships/${login}`, as('wren'), { role: 'member' });
  expect([200, 201]).toContain(status);
}

/** Linh, with a token that may answer invitations. */
async function invited(scopes = ['user', 'repo']): Promise<Browser> {
  await sql`update host_credential set scopes = ${scopes} where kind = 'classic' and revoked_at is null
    and account_id = (select id from account where login = 'linh')`.execute(gateway.database.sql);
  await sql`select pg_notify('hosting_credentials', '')`.execute(gateway.database.sql);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 10_000);
  const browser = new Browser(gateway);
  expect((await browser.signIn(users.linh.classic_token)).status).toBe(303);
  return browser;
}

/** Presses a button of a page. */
function press(browser: Browser, { text }: BrowserAnswer, action: string, changed = {}): Promise<BrowserAnswer> {
  const [, address = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  return browser.open(address, { ...Object.fromEntries(fields), action, ...changed });
}

test.each([
  [repositoryPage, '/juniper/notebook'],
  [organizationPage, '/harbor-lab'],
])('%s: accepting leads to what the user is a member of now', async (page, place) => {
  await invite(page);
  const browser = await invited();
  const answer = await press(browser, await browser.open(page), 'accept');
  expect([answer.status, answer.location]).toEqual([302, place]);
  expect((await browser.open(place)).status).toBe(200);
  const after = await browser.open(page);
  if (page === organizationPage) expect(after.text).toContain('You are a member: there is nothing to accept.');
  else expect([after.status, after.text.includes('You have no such invitation')]).toEqual([404, true]);
});

test.each([repositoryPage, organizationPage])('%s: declining says so, and gives nothing', async page => {
  await invite(page);
  const browser = await invited();
  const { status, text } = await press(browser, await browser.open(page), 'decline');
  expect([status, text.includes('The invitation is declined')]).toEqual([200, true]);
  expect((await browser.open(page)).status).toBe(404);
  expect((await browser.open('/juniper/notebook')).status).toBe(404);
});

test.each([repositoryPage, organizationPage])(
  '%s: the buttons of an invitation that is gone say what to do',
  async page => {
    await invite(page);
    const browser = await invited();
    const opened = await browser.open(page);
    await press(browser, opened, 'decline');
    for (const action of ['accept', 'decline']) {
      const { status, text } = await press(browser, opened, action);
      expect([status, text.includes('Ask who invited you for another one')]).toEqual([404, true]);
      expect(text).toContain(`<a href="${page}">Back to the page</a>`);
    }
  },
);

test.each([repositoryPage, organizationPage])('%s: an expired invitation cannot be accepted', async page => {
  await invite(page);
  const opened = await (await invited()).open(page);
  gateway.clock.now = new Date(started.getTime() + 8 * 86_400_000);
  const browser = await invited();
  const { formToken } = await browser.open('/login');
  const { status, text } = await press(browser, opened, 'accept', { form_token: formToken });
  expect([page, status]).toEqual([page, page === repositoryPage ? 409 : 404]);
  expect(text).toContain('The invitation is not answered');
});

test('the page of an expired invitation to a repository has one button, which deletes it', async () => {
  await invite(repositoryPage);
  gateway.clock.now = new Date(started.getTime() + 8 * 86_400_000);
  const browser = await invited();
  const opened = await browser.open(repositoryPage);
  expect(opened.text).toContain('The invitation has expired');
  expect(opened.text.match(/<button/g)).toHaveLength(1);
  expect((await press(browser, opened, 'decline')).status).toBe(200);
});

test.each([repositoryPage, organizationPage])('%s: the invitation of another person is none', async page => {
  await invite(page, 'okello');
  const browser = await invited();
  const { status, text } = await browser.open(page);
  expect([status, text.includes('sign in as the account that was invited')]).toEqual([404, true]);
  const nobody = await new Browser(gateway).open(page);
  expect(nobody.status).toBe(404);
  expect(nobody.text).toContain(`<a href="/login?return_to=${encodeURIComponent(page)}">sign in</a>`);
  // Nor by its id.
  const okello = new Browser(gateway);
  await sql`update host_credential set scopes = array['user', 'repo'] where kind = 'classic'
    and account_id = (select id from account where login = 'okello')`.execute(gateway.database.sql);
  await okello.signIn(users.okello.classic_token);
  const theirs = await okello.open(page);
  const { formToken } = await browser.open('/login');
  const stolen = await press(browser, theirs, 'accept', { form_token: formToken });
  expect(stolen.status).toBe(404);
  expect((await okello.open(page)).text).toContain('value="accept"');
});

test('a token that may not answer says which scope it lacks', async () => {
  await invite(repositoryPage);
  const opened = await (await invited()).open(repositoryPage);
  const browser = await invited(['user']);
  const { formToken } = await browser.open('/login');
  const { status, text } = await press(browser, opened, 'accept', { form_token: formToken });
  expect([status, text.includes('lacks a scope: repo or repo:invite')]).toEqual([403, true]);
});

test.each(['', 'toString', 'delete'])('%j is no button', async action => {
  await invite(repositoryPage);
  const browser = await invited();
  expect((await press(browser, await browser.open(repositoryPage), action)).status).toBe(400);
});

test.each([
  ['nonsense', 400],
  ['', 400],
])('%j is no invitation', async (invitation, expected) => {
  await invite(repositoryPage);
  const browser = await invited();
  const { status, text } = await press(browser, await browser.open(repositoryPage), 'accept', { invitation });
  expect([status, text.includes('The invitation is not answered')]).toEqual([expected, true]);
});

test('without a form of the page nothing is answered', async () => {
  await invite(organizationPage);
  const browser = await invited();
  const opened = await browser.open(organizationPage);
  expect((await press(browser, opened, 'accept', { form_token: 'x' })).status).toBe(403);
  expect((await press(new Browser(gateway), opened, 'accept')).status).toBe(401);
  const reader = { authorization: as('linh') };
  expect((await new Browser(gateway).open(organizationPage, undefined, reader)).text).not.toContain('<form');
});

import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { sql } from 'kysely';
import { type Browser, chromium, type Page } from 'playwright-core';
import { demoCredentials } from '../../seeds/health/people.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { testSecret } from '../harness/secret.ts';

/** Debian's package `chromium`. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

const gateway = await testGateway({ data: 'demo', settings: { SOURCE_IMPORTS: 'on' } });
let started: Promise<Browser> | undefined;
const browser = (): Promise<Browser> => {
  // A sandbox of Chromium needs rights that root in a container lacks.
  started ??= chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
  return started;
};
afterAll(async () => {
  if (started) await (await started).close();
});

const demo = await demoOf(gateway);
const asWren = `Bearer ${demo.users.wren.classic_token}`;
const [{ id: ruleset }] = (await call(gateway, 'GET', '/repos/harbor-lab/compass/rulesets', asWren)).json;
await call(gateway, 'POST', '/orgs/harbor-lab/rulesets', asWren, {
  name: 'All',
  enforcement: 'evaluate',
  target: 'branch',
});
const [{ id: organizationRuleset }] = (await call(gateway, 'GET', '/orgs/harbor-lab/rulesets', asWren)).json;
// Linh is invited, with a token that may answer.
await sql`update host_credential set scopes = array['user', 'repo'] where kind = 'classic'
  and account_id = (select id from account where login = 'linh')`.execute(gateway.database.sql);
const asJuniper = `Bearer ${demo.users.juniper.classic_token}`;
await call(gateway, 'PUT', '/repos/juniper/notebook/collaborators/linh', asJuniper);
await call(gateway, 'PUT', '/orgs/harbor-lab/memberships/linh', asWren, { role: 'member' });
const authorize = `/login/oauth/authorize?client_id=${demo.oauth_app.client_id}&scope=repo%20user`;

const commits = (await gateway.request('/repos/harbor-lab/compass/commits')).json as { sha: string }[];
const compass = '/harbor-lab/compass';

/** Whose session the browser has. */
type SignIn = 'nobody' | 'wren' | 'linh' | 'amira' | 'service';
const publicPages = [
  '/',
  '/wren',
  '/harbor-lab',
  compass,
  `${compass}/tree/main/src`,
  `${compass}/blob/main/README.md`,
  `${compass}/blob/main/package.json`,
  `${compass}/commits`,
  `${compass}/commit/${commits[0]?.sha}`,
  `${compass}/compare/${commits.at(-1)?.sha}...main`,
  `${compass}/branches`,
  `${compass}/tags`,
  '/apps/harbor-pilot',
  '/no-such-account',
  '/login/code',
  '/juniper/notebook/invitations',
  `${compass}/commits?after=nonsense`,
  '/settings/emails/verify',
  '/orgs/harbor-lab/sso',
  '/docs/',
  '/login',
  '/login/device',
  authorize,
  '/login/health',
  '/login/service',
  '/health',
  '/dashboards/service',
  '/api/v1/auth/activate/?token=expired',
  '/api/v1/auth/password/reset/confirm/',
];
/** A repository whose import the test moves: no import of it runs. */
const imported = '/harbor-lab/tides';
const [{ id: importedId }] = (
  await sql<{ id: number }>`insert into source_import (repository_id, account_id, vcs, vcs_url, status, import_percent,
      may_change_workflows, created_at, updated_at)
    select r.id, r.owner_id, 'git', 'https://git.example/x', 'importing', 40, false, now(), now()
    from repository r join account a on a.id = r.owner_id where a.login = 'harbor-lab' and r.name = 'tides'
    returning repository_id as id`.execute(gateway.database.sql)
).rows as [{ id: number }];
const pagesOf: Readonly<Record<SignIn, readonly string[]>> = {
  nobody: publicPages,
  wren: [
    '/harbor-lab',
    compass,
    '/orgs/harbor-lab/dashboards/api-usage',
    '/orgs/harbor-lab/dashboards/rule-suites',
    '/orgs/harbor-lab/dashboards/deliveries',
    '/orgs/harbor-lab/dashboards/imports',
    `${compass}/rules/suites`,
    `${compass}/dashboards/deliveries`,
    `${imported}/import`,
    '/apps/harbor-pilot/dashboards/deliveries',
    `${compass}/rules/${ruleset}`,
    `/organizations/harbor-lab/settings/rules/${organizationRuleset}`,
    `/settings/installations/${demo.app.installation_id}`,
    '/settings/connections/applications',
    `/settings/connections/applications/${demo.oauth_app.client_id}`,
    '/login',
    '/login/device',
    '/login/device?user_code=BCDF-GHJK',
    authorize,
    '/orgs/harbor-lab/invitation',
    '/juniper/notebook/invitations',
  ],
  linh: ['/juniper/notebook/invitations', '/orgs/harbor-lab/invitation'],
  amira: ['/health', '/health/goals', '/health/vitals', '/health/symptoms', '/health/assessments', '/login/health'],
  service: [
    '/dashboards/service',
    '/dashboards/service?days=1&step=hour',
    '/dashboards/service/health',
    '/dashboards/service/feeds',
    '/login/service',
  ],
};
/** Pages that tell their reader what is missing: a browser reports the status as an error. */
const refused = new Set([
  'nobody /no-such-account',
  'nobody /health',
  'nobody /dashboards/service',
  'nobody /login/code',
  'nobody /juniper/notebook/invitations',
  `nobody ${compass}/commits?after=nonsense`,
  'wren /juniper/notebook/invitations',
]);
const people = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));

async function signIn(page: Page, as: SignIn): Promise<void> {
  if (as === 'nobody') return;
  const signInPages = { amira: '/login/health', service: '/login/service?return_to=/login/service' };
  const signInPage = as === 'amira' || as === 'service' ? signInPages[as] : '/login';
  await page.goto(`${gateway.url}${signInPage}`);
  if (as === 'amira') {
    await page.fill('#email', people.amira.email);
    await page.fill('#password', people.amira.password);
  } else await page.fill('#token', as === 'service' ? demo.tokens.service : demo.users[as].classic_token);
  await page.locator('button[value="sign-in"]').click();
  await page.locator('text=You are signed in').waitFor();
}

/** Problems of a page so far: errors, violations of its policy, requests to others. */
function problemsOf(page: Page, mayBeRefused = false): string[] {
  const problems: string[] = [];
  page.on('console', message => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (message.type() === 'error' && !(isStatus && mayBeRefused)) problems.push(message.text());
  });
  page.on('pageerror', error => problems.push(error.message));
  page.on('request', request => {
    const url = request.url();
    if (!url.startsWith(gateway.url) && !url.startsWith('data:')) problems.push(`foreign request: ${url}`);
  });
  return problems;
}

/** Forms without the token that binds them to the browser. Those that a script sends as JSON read no cookie. */
const unboundForms = `[...document.querySelectorAll('form[method=post]:not(.own, .renewal)')]
  .filter(form => !form.elements.namedItem('form_token')?.value).map(form => form.outerHTML)`;

async function expectAccessible(page: Page): Promise<void> {
  expect(await page.evaluate(unboundForms)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

(executablePath ? describe : describe.skip)('in a browser', () => {
  test.each(
    Object.entries(pagesOf).flatMap(([as, paths]) =>
      paths.flatMap(path => [
        { as: as as SignIn, path, width: 1280, scheme: 'light' as const },
        { as: as as SignIn, path, width: 390, scheme: 'dark' as const },
      ]),
    ),
  )('$path of $as, $width pixels, $scheme', async ({ as, path, width, scheme }) => {
    const context = await (await browser()).newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const page = await context.newPage();
    await signIn(page, as);
    const problems = problemsOf(page, refused.has(`${as} ${path}`));
    await page.goto(`${gateway.url}${path}`, { waitUntil: 'networkidle' });
    if (path !== '/docs/') await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the bar of an import moves, and no text of users runs', async () => {
    const page = await (await browser()).newPage();
    await signIn(page, 'wren');
    const problems = problemsOf(page);
    const update = (status: string, percent: number, text: string) =>
      sql`update source_import set status = ${status}, import_percent = ${percent}, status_text = ${text}
        where repository_id = ${importedId}`.execute(gateway.database.sql);
    await update('importing', 10, 'Begun');
    await page.goto(`${gateway.url}${imported}/import`);
    await page.locator('progress[value="0.05"]').waitFor();
    await update('importing', 60, '<img src=x onerror="document.title=1"><script>document.title=2</script>');
    await page.locator('progress[value="0.3"]').waitFor();
    await page.locator('text=<script>').waitFor();
    await expectAccessible(page);
    await update('complete', 100, 'Done');
    await page.locator('progress[value="1"]').waitFor();
    expect([await page.title(), problems]).toEqual(['Source import · Portico', []]);
    await page.close();
  });

  test('a browser signs in by a code that is typed in another one', async () => {
    const [fresh, other] = [await (await browser()).newContext(), await (await browser()).newContext()];
    const [page, signedIn] = [await fresh.newPage(), await other.newPage()];
    const problems = problemsOf(page);
    await page.goto(`${gateway.url}/login?return_to=%2Fwren`);
    await page.locator('button[value="begin-code"]').click();
    const code = (await page.locator('.code').textContent()) ?? '';
    await expectAccessible(page);
    await signIn(signedIn, 'wren');
    await signedIn.goto(`${gateway.url}/login/device`);
    await signedIn.fill('#user_code', code);
    await signedIn.locator('button[value="find"]').click();
    await signedIn.locator('text=Sign in another browser').first().waitFor();
    await expectAccessible(signedIn);
    await signedIn.locator('button[value="authorize"]').click();
    // The page of the code goes on by itself.
    await page.locator('button[value="finish-code"]').waitFor();
    await expectAccessible(page);
    await page.locator('button[value="finish-code"]').click();
    await page.locator('text=Signed in as').waitFor();
    expect([new URL(page.url()).pathname, problems]).toEqual(['/wren', []]);
    await Promise.all([fresh.close(), other.close()]);
  });

  test('the page of a link that is not valid asks for a new one', async () => {
    for (const path of ['/api/v1/auth/activate/?token=expired', '/api/v1/auth/password/reset/confirm/#expired']) {
      const page = await (await browser()).newPage();
      await page.goto(`${gateway.url}${path}`);
      if (path.includes('#')) {
        await page.fill('[name=new_password]', 'correct horse battery');
        await page.fill('[name=new_password2]', 'correct horse battery');
        await page.click('form.own button');
      }
      await page.fill('form.renewal [name=email]', 'nobody@example.org');
      await page.click('form.renewal button');
      await page.waitForSelector('form.renewal', { state: 'detached' });
      expect(await page.textContent('[role=status]')).toMatch(/^If .* a new link is on its way to it\.$/);
      await page.close();
    }
  });

  test('the explorer sends a query', async () => {
    const page = await (await browser()).newPage();
    const problems: string[] = [];
    page.on('pageerror', error => problems.push(error.message));
    page.on('request', request => {
      const url = request.url();
      if (!url.startsWith(gateway.url) && !/^(data|blob):/.test(url)) problems.push(`foreign request: ${url}`);
    });
    await page.goto(`${gateway.url}/graphiql`);
    await page.locator('button.graphiql-execute-button').click();
    await page.locator('.graphiql-response').getByText('headline').first().waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });
});

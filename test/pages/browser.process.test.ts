import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { type Browser, chromium } from 'playwright-core';
import { testGateway } from '../harness/gateway.ts';

/** Debian's package `chromium`. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

const gateway = await testGateway({ data: 'demo' });
let started: Promise<Browser> | undefined;
const browser = (): Promise<Browser> => {
  // A sandbox of Chromium needs rights that root in a container lacks.
  started ??= chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
  return started;
};
afterAll(async () => {
  if (started) await (await started).close();
});

const commits = (await gateway.request('/repos/harbor-lab/compass/commits')).json as { sha: string }[];
const compass = '/harbor-lab/compass';
const pages = [
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
  '/docs/',
  '/api/v1/auth/activate/?token=expired',
  '/api/v1/auth/password/reset/confirm/',
];

(executablePath ? describe : describe.skip)('in a browser', () => {
  test.each(
    pages.flatMap(path => [
      { path, width: 1280, scheme: 'light' as const },
      { path, width: 390, scheme: 'dark' as const },
    ]),
  )('$path, $width pixels, $scheme', async ({ path, width, scheme }) => {
    const context = await (await browser()).newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', message => {
      // A browser reports the status of the page itself as an error.
      const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of 404');
      if (message.type() === 'error' && !(isStatus && path === '/no-such-account')) problems.push(message.text());
    });
    page.on('pageerror', error => problems.push(error.message));
    page.on('request', request => {
      const url = request.url();
      if (!url.startsWith(gateway.url) && !url.startsWith('data:')) problems.push(`foreign request: ${url}`);
    });
    await page.goto(`${gateway.url}${path}`, { waitUntil: 'networkidle' });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (path !== '/docs/') {
      expect(overflow).toBeLessThanOrEqual(0);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    }
    expect(problems).toEqual([]);
    await context.close();
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

import { describe, expect, test } from '@jest/globals';
import { csvOf } from '../../src/pages/dashboards/csv.ts';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { classic, plantUsage } from '../hosting/insights/usage.ts';
import { changeRef, ruleset, storedCommit, type TestRepository } from '../hosting/rules/push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, linh } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const apiUsage = '/orgs/harbor-lab/dashboards/api-usage';
const ruleSuites = '/orgs/harbor-lab/dashboards/rule-suites';
/** What both a page and a spreadsheet must not run. */
const hostile = '=<script>alert("1")</script>';

async function browserOf(user: { classic_token: string }): Promise<Browser> {
  const browser = new Browser(gateway);
  await browser.signIn(user.classic_token);
  return browser;
}

const owner = await browserOf(wren);
await pushes();
await plantUsage(gateway.database, '11111111-1111-4111-8111-111111111111', [
  {
    org: 'harbor-lab',
    at: '2026-09-30T10:00:00Z',
    actor: classic(1, 1),
    method: 'GET',
    route: hostile,
    total: 9,
    limited: 4,
  },
]);

/** A repository of the lab with a push that follows its rules, one that is refused, and one that bypasses them. */
async function pushes(): Promise<TestRepository> {
  const document =
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId name } } }';
  const input = { ownerId: await globalIdOf(gateway, 'harbor-lab'), name: 'ruled', visibility: 'PRIVATE' };
  const { data } = await graphql(gateway, document, token, { input });
  const made: TestRepository = { owner: 'harbor-lab', name: 'ruled', id: data.createRepository.repository.databaseId };
  const conditions = { ref_name: { include: ['refs/heads/release/*'], exclude: [] } };
  const rules = [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'AB-' } }];
  await ruleset(gateway, made, token, { name: hostile, conditions, rules });
  const bad = await storedCommit(gateway, made, { file: { message: 'no number' } });
  const good = await storedCommit(gateway, made, { file: { message: 'AB-1 number' } });
  await changeRef(gateway, made, 'createRef', { ref: 'refs/heads/release/good', sha: good, token });
  await changeRef(gateway, made, 'createRef', { ref: 'refs/heads/release/bad', sha: bad, token }).catch(() => {});
  return made;
}

/** The query that a page shows, and the answer of the graph to it. */
async function graphAnswer(page: string): Promise<{ query: string; data: Record<string, never> }> {
  const [, escaped = ''] = /<pre>([^<]*)<\/pre>/.exec(page) ?? [];
  const query = escaped
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  const { data, errors } = await graphql(gateway, query, token);
  expect(errors).toBeUndefined();
  return { query, data };
}

const csvRows = async (path: string): Promise<string[][]> => {
  const { status, text, headers } = await owner.open(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
  return text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map(line => line.split(','));
};

describe.each([
  ['API usage', apiUsage],
  ['rule suites of an organization', ruleSuites],
  ['rule suites of a repository', '/harbor-lab/ruled/rules/suites'],
])('%s', (_name, path) => {
  test('are for administrators', async () => {
    const { status, headers } = await owner.open(path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    for (const browser of [new Browser(gateway), await browserOf(juniper), await browserOf(linh)]) {
      for (const suffix of ['', '?format=csv']) {
        const other = await browser.open(`${path}${suffix}`);
        expect([other.status, other.text.includes('There is nothing here')]).toEqual([404, true]);
        // But for the address that the sign-in page returns to.
        expect(other.text).not.toMatch(/<td|<pre|AB-/);
      }
    }
  });

  test('are without scripts, styles in attributes and markup of users', async () => {
    const { text, headers } = await owner.open(path);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|<style/);
    expect(text).toContain('=&lt;script');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
  });

  test('have charts with a name and a description, and tables with headings', async () => {
    const { text } = await owner.open(path);
    const charts = [...text.matchAll(/<svg[^>]*role="img" aria-labelledby="([\w-]+) ([\w-]+)">/g)];
    expect(charts.length).toBeGreaterThan(0);
    for (const [, title, description] of charts) {
      expect(text).toContain(`<title id="${title}">`);
      expect(text).toContain(`<desc id="${description}">`);
    }
    expect(text.match(/<caption>/g)?.length).toBeGreaterThanOrEqual(charts.length);
    expect(text).toContain('<th scope="col"');
    expect(text.match(/<h1/g)).toHaveLength(1);
  });

  test('open their query in the explorer', async () => {
    const { text } = await owner.open(path);
    const { query } = await graphAnswer(text);
    expect(text).toContain(`href="/graphiql#query=${encodeURIComponent(query).replaceAll("'", '&#39;')}"`);
  });

  test('have no table of an unknown name', async () => {
    expect((await owner.open(`${path}?format=csv&table=nothing`)).status).toBe(404);
    expect((await owner.open(`${path}?format=csv&table=__proto__`)).status).toBe(404);
  });
});

describe('API usage', () => {
  test.each(['?days=7', '?days=1&step=1h', '?days=90', '', '?days=x', '?days=400'])(
    'of %j has the numbers of the graph',
    async search => {
      const { status, text } = await owner.open(`${apiUsage}${search}`);
      expect(status).toBe(200);
      const { data } = await graphAnswer(text);
      const { summary, timeSeries, routes, actors } = (data.organization as never as { apiInsights: never })
        .apiInsights as {
        summary: { requestCount: number; limitedCount: number };
        timeSeries: { startsAt: string; requestCount: number; limitedCount: number }[];
        routes: { nodes: { requestCount: number; limitedCount: number }[] };
        actors: { nodes: { requestCount: number }[] };
      };
      expect(summary.requestCount).toBeGreaterThan(0);
      expect(text).toContain(`${summary.requestCount.toLocaleString('en')} requests`);
      const at = `${apiUsage}${search || '?'}&format=csv`;
      const time = await csvRows(`${at}&table=time`);
      expect(time.map(([, count, answered, limited]) => [count, answered, limited].map(Number))).toEqual(
        timeSeries.map(one => [one.requestCount, one.requestCount - one.limitedCount, one.limitedCount]),
      );
      const byRoute = await csvRows(`${at}&table=routes`);
      expect(byRoute.map(row => Number(row[2]))).toEqual(routes.nodes.map(one => one.requestCount));
      expect((await csvRows(`${at}&table=actors`)).map(row => Number(row[2]))).toEqual(
        actors.nodes.map(one => one.requestCount),
      );
    },
  );

  test('marks the period that is shown, and keeps it in the links to CSV', async () => {
    const { text } = await owner.open(`${apiUsage}?days=7&step=1d`);
    expect(text).toContain('<a href="?days=7&amp;step=1d" aria-current="page">7 days</a>');
    expect(text).toContain('href="?days=7&amp;step=1d&amp;format=csv&amp;table=routes"');
  });

  test('with too many steps is a page that says so', async () => {
    const { status, text } = await owner.open(`${apiUsage}?days=90&step=1m`);
    expect([status, text.includes('The request cannot be served')]).toEqual([422, true]);
  });

  test('is guarded against formulas in spreadsheets', async () => {
    const { text } = await owner.open(`${apiUsage}?format=csv&table=routes`);
    expect(text).toContain(`GET,"'=<script>alert(""1"")</script>",9,5,4,0.4444,`);
  });
});

test('the graph takes days in place of the start, and not both', async () => {
  const usage = (args: string) =>
    graphql(gateway, `{ organization(login: "harbor-lab") { apiInsights(${args}) { from to } } }`, token);
  const { data } = await usage('days: 7, to: "2026-09-30T00:00:00Z"');
  expect(data.organization.apiInsights).toEqual({
    from: '2026-09-23T00:00:00.000000Z',
    to: '2026-09-30T00:00:00.000000Z',
  });
  const { data: month } = await usage('to: "2026-09-30T00:00:00Z"');
  expect(month.organization.apiInsights.from).toBe('2026-08-31T00:00:00.000000Z');
  for (const args of ['days: 7, from: "2026-09-23T00:00:00Z"', 'days: 0', 'days: 91']) {
    const { errors } = await usage(args);
    expect([args, errors?.length, JSON.stringify(errors)]).toEqual([
      args,
      1,
      expect.stringMatching(/days.*must|from or days/),
    ]);
  }
});

describe('rule suites', () => {
  test.each([ruleSuites, '/harbor-lab/ruled/rules/suites'])('%s has the numbers of the graph', async path => {
    const { text } = await owner.open(`${path}?period=week`);
    const { query, data } = await graphAnswer(text);
    expect(query).toContain('$period: RuleSuitePeriod! = WEEK');
    const { ruleOutcomes, ruleSuites: suites } = Object.values(data)[0] as never as {
      ruleOutcomes: { passCount: number; failCount: number; bypassCount: number }[];
      ruleSuites: { totalCount: number; nodes: { ref: string }[] };
    };
    expect(ruleOutcomes).toContainEqual(
      expect.objectContaining({ rulesetName: hostile, passCount: 1, failCount: 1, bypassCount: 0 }),
    );
    const rules = await csvRows(`${path}?period=week&format=csv`);
    expect(rules.map(row => row.slice(-3).map(Number))).toEqual(
      ruleOutcomes.map(one => [one.passCount, one.failCount, one.bypassCount]),
    );
    const pushed = await csvRows(`${path}?period=week&format=csv&table=pushes`);
    expect(pushed).toHaveLength(suites.totalCount);
    expect(pushed.flat()).toEqual(expect.arrayContaining(suites.nodes.map(({ ref }) => ref)));
    expect(text).toContain(`${suites.totalCount} pushed refs`);
  });

  test('a later page links the CSV of its own rows', async () => {
    const { data } = await graphql(
      gateway,
      '{ organization(login: "harbor-lab") { ruleSuites(period: WEEK, first: 1) { pageInfo { endCursor } } } }',
      token,
    );
    const after = encodeURIComponent(data.organization.ruleSuites.pageInfo.endCursor);
    const { text } = await owner.open(`${ruleSuites}?period=week&after=${after}`);
    const [, query = ''] = /href="(\?[^"]*table=pushes)"/.exec(text) ?? [];
    expect(query).toBe(`?period=week&amp;after=${after}&amp;format=csv&amp;table=pushes`);
    const all = await csvRows(`${ruleSuites}?period=week&format=csv&table=pushes`);
    expect(await csvRows(`${ruleSuites}${query.replaceAll('&amp;', '&')}`)).toEqual(all.slice(1));
  });

  test('an unknown period is the default one', async () => {
    const { status, text } = await owner.open(`${ruleSuites}?period=__proto__`);
    expect([status, text.includes('aria-current="page">30 days')]).toEqual([200, true]);
  });
});

test.each([
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@sum', `"'@sum"`],
  ['  =1', `"'  =1"`],
  ['\t=1', `"'\t=1"`],
  ['\u00a0=1', `"'\u00a0=1"`],
  ['＝1', `"'＝1"`],
  ['a,"b"', '"a,""b"""'],
  ['a\nb', '"a\nb"'],
  ['plain', 'plain'],
  [null, ''],
  [-3, '-3'],
  [0.25, '0.25'],
])('the cell %j is %s in CSV', (cell, text) => {
  expect(csvOf({ columns: [{ name: 'A', type: 'text' }], rows: [[cell]] })).toBe(`A\r\n${text}\r\n`);
});

test('pages link the dashboards of an organization for those who are signed in', async () => {
  expect((await owner.open('/harbor-lab')).text).toContain(`href="${apiUsage}"`);
  expect((await owner.open('/wren')).text).not.toContain('/dashboards/');
  expect((await new Browser(gateway).open('/harbor-lab')).text).not.toContain('/dashboards/');
  expect((await owner.open('/')).text).toContain('Dashboards');
});

test('a path of the API below that of a page stays one of the API', async () => {
  for (const path of ['/orgs/harbor-lab', '/orgs/harbor-lab/repos']) {
    const { headers } = await owner.open(path, undefined, { 'user-agent': 'a browser' });
    expect([path, headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8']);
  }
});

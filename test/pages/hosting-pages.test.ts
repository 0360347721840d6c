import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { renderToString } from 'preact-render-to-string';
import { Directory } from '../../src/pages/hosting/directory.tsx';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const juniper = demo.users.juniper.classic_token;
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (path: string, token?: string, headers: Record<string, string> = browser) =>
  gateway.request(path, { headers: { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) } });

test.each([
  ['/wren', 'Wren Achterberg'],
  ['/harbor-lab', 'compass'],
  ['/harbor-lab/compass', 'git clone'],
  ['/harbor-lab/compass/tree/main', 'README.md'],
  ['/harbor-lab/compass/blob/main/README.md', 'id="L1"'],
  ['/harbor-lab/compass/blob/main/package.json', 'class="hljs-attr"'],
  ['/harbor-lab/compass/commits', 'Begin with a README and a license'],
  ['/harbor-lab/compass/commits/main/README.md', 'Begin with a README and a license'],
  ['/harbor-lab/compass/branches', 'default'],
  ['/harbor-lab/compass/tags', 'Tags'],
  ['/apps/harbor-pilot', 'contents: write'],
])('%s is a page', async (path, text) => {
  const { status, headers, text: html } = await open(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('<!doctype html>');
  expect(html).toContain(text);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/);
});

test('the commits of a path are those that changed it, and pages of them are linked', async () => {
  const { text } = await open('/harbor-lab/compass/commits/main/README.md');
  expect(text).not.toContain('Bearings along a great circle');
  const all = (await open('/harbor-lab/compass/commits')).text;
  expect(all).toContain('Bearings along a great circle');
  expect((await open('/harbor-lab/compass/commits?after=nonsense')).status).toBe(400);
});

test('a directory shows the last commit of each entry', async () => {
  const world = await newWorld(gateway, juniper);
  await world.commit({ 'old.txt': '1', 'docs/guide.md': '1' }, { message: 'First of all\n\nMore.' });
  await world.commit({ 'docs/guide.md': '2' }, { message: 'Guide <b>again</b>' });
  const at = `/${world.owner}/${world.name}`;
  const rowOf = (html: string, name: string): string =>
    html.match(new RegExp(`<tr><td><a href="[^"]*">${name}</a>.*?</tr>`, 's'))?.[0] ?? '';
  const { text } = await open(at);
  expect(rowOf(text, 'old.txt')).toMatch(/>First of all<\/a><\/td>.*<time/);
  expect(rowOf(text, 'docs/')).toContain('Guide &lt;b>again');
  expect(rowOf((await open(`${at}/tree/main/docs`)).text, 'guide.md')).toContain('Guide &lt;b>again');
  expect(text).toContain('0 stars · 0 forks');
});

test('an entry that changed long ago links its history', () => {
  const directory = { entries: [{ name: 'a b.txt', type: 'file', size: 1, htmlUrl: null }] };
  const page = Directory({ directory, readme: null, entryCommits: [], commitsPath: '/o/r/commits/main' });
  expect(renderToString(page)).toContain('<a href="/o/r/commits/main/a%20b.txt">History</a>');
});

test('an account page has pages of repositories', async () => {
  const { linh } = demo.users;
  const document =
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId } } }';
  const { data } = await graphql(
    gateway,
    '{ viewer { id repositories(ownerAffiliations: [OWNER]) { totalCount } } }',
    linh.classic_token,
  );
  for (let at = data.viewer.repositories.totalCount; at < 101; at++) {
    const input = { ownerId: data.viewer.id, name: `many-${at}`, visibility: 'PUBLIC' };
    const made = await graphql(gateway, document, linh.classic_token, { input });
    expect(made.errors).toBeUndefined();
  }
  const count = (html: string): number => html.match(/<li><a href="\/linh\//g)?.length ?? 0;
  const first = (await open('/linh')).text;
  expect(count(first)).toBe(100);
  const [, next = ''] = /<a href="(\?after=[^"]+)" rel="next">/.exec(first) ?? [];
  const second = await open(`/linh${next}`);
  expect([second.status, count(second.text)]).toEqual([200, 1]);
});

test('highlighted source is escaped', async () => {
  const world = await newWorld(gateway, juniper);
  const script = '<script>alert(1)</script>';
  const files = {
    'x.ts': `const x = '${script}'; // ${script}\n`,
    'x.html': `${script}\n`,
    'x.unknown': `${script}\n`,
  };
  await world.commit(files);
  for (const name of Object.keys(files)) {
    const page = await open(`/${world.owner}/${world.name}/blob/main/${name}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<script/);
    expect(page.text).toContain('alert');
  }
});

test('a page says that a long file or its change is cut', async () => {
  const world = await newWorld(gateway, juniper);
  const at = `/${world.owner}/${world.name}`;
  await world.commit({ 'long.txt': 'x\n'.repeat(20_000) });
  expect((await open(`${at}/blob/main/long.txt`)).text).not.toContain('lines are shown');
  const commit = await world.commit({ 'long.txt': 'y\n'.repeat(20_001) });
  expect((await open(`${at}/blob/main/long.txt`)).text).toContain('Only the first 20000 lines are shown.');
  expect((await open(`${at}/commit/${commit}`)).text).toContain('Only these lines are shown');
});

test('the style sheet is cached for good, under a name with its hash', async () => {
  const [, path = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec((await open('/wren')).text) ?? [];
  const { status, headers } = await open(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect(headers.get('cache-control')).toContain('immutable');
});

test('a page is revalidated by its entity tag', async () => {
  const first = await open('/harbor-lab/compass');
  const etag = first.headers.get('etag') ?? '';
  expect((await open('/harbor-lab/compass', undefined, { ...browser, 'if-none-match': etag })).status).toBe(304);
});

describe('who sees what', () => {
  test('a private repository is a missing page to those who may not read it', async () => {
    const hidden = await open('/juniper/notebook');
    const missing = await open('/juniper/no-such-thing');
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    // But for the address that the sign-in page returns to.
    expect(hidden.text.replaceAll('notebook', 'no-such-thing')).toBe(missing.text);
    expect((await open('/juniper/notebook', juniper)).text).toContain('private');
    expect((await open('/juniper/notebook', juniper)).headers.get('cache-control')).toContain('private');
  });

  test('a list of repositories holds private ones for their owner alone', async () => {
    expect((await open('/juniper')).text).not.toContain('notebook');
    expect((await open('/juniper', juniper)).text).toContain('notebook');
  });
});

describe('clients of the API', () => {
  test('get the JSON of the API for what is no page', async () => {
    const { status, json, headers } = await open('/nobody-at-all', undefined, {
      accept: '*/*',
      'user-agent': 'a client',
    });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(json).toEqual({ message: 'Not Found', documentation_url: expect.any(String), status: '404' });
  });

  test('get JSON where the API has the path, browsers the page', async () => {
    const api = await call(gateway, 'GET', '/users/wren');
    expect(api.json.login).toBe('wren');
    const asked = await gateway.request('/users/wren', { headers: { ...browser, 'user-agent': 'a browser' } });
    expect(asked.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('that ask for JSON get no page', async () => {
    const { status, headers } = await open('/wren', undefined, {
      accept: 'application/vnd.host+json',
      'user-agent': 'a client',
    });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });
});

test('a ref with slashes is told apart from the path', async () => {
  const world = await newWorld(gateway, juniper);
  await world.commit({ 'docs/guide.md': '# Guide\n' });
  await world.commit({ 'docs/guide.md': '# Feature\n' }, { branch: 'feature/docs' });
  const at = `/${world.owner}/${world.name}`;
  expect((await open(`${at}/blob/main/docs/guide.md`)).text).toContain('# Guide');
  expect((await open(`${at}/blob/feature/docs/docs/guide.md`)).text).toContain('# Feature');
  expect((await open(`${at}/tree/feature/docs`)).text).toContain('docs/');
  expect((await open(`${at}/blob/feature/none/docs/guide.md`)).status).toBe(404);
});

test('an empty repository says that it is empty', async () => {
  const world = await newWorld(gateway, juniper);
  const { status, text } = await open(`/${world.owner}/${world.name}`);
  expect(status).toBe(200);
  expect(text).toContain('The repository is empty');
});

test('text of users does not become markup', async () => {
  const world = await newWorld(gateway, juniper);
  const script = '<script>alert(1)</script>';
  await world.commit({ [`${script.replaceAll('/', '')}.txt`]: script, 'README.md': script }, { message: script });
  await sql`update repository set description = ${script} where id = ${world.id}`.execute(gateway.database.sql);
  const at = `/${world.owner}/${world.name}`;
  const { json } = await call(gateway, 'GET', `/repos${at}/contents/README.md`, `Bearer ${juniper}`);
  const commit = (await world.get('/git/commits/nothing')).status;
  expect(commit).toBeGreaterThanOrEqual(400);
  for (const path of [at, `${at}/tree/main`, `${at}/blob/main/README.md`, `/${world.owner}`]) {
    expect((await open(path)).text).not.toContain('<script');
  }
  expect(json.html_url).toBe(`${gateway.url}${at}/blob/main/README.md`);
});

test.each(['/users/wren.git', '/orgs/harbor-lab.git'])('%s is a path of the API and of no repository', async path => {
  const { status } = await gateway.request(path, {
    headers: { 'user-agent': 'portico tests', accept: 'application/json' },
  });
  expect(status).toBe(404);
});

test('the address that git clones from leads a browser to the page', async () => {
  const { status, headers } = await open('/harbor-lab/compass.git');
  expect([status, headers.get('location')]).toEqual([302, '/harbor-lab/compass']);
});

test.each([
  ['an unknown account', '/nobody-at-all'],
  ['an unknown file', '/harbor-lab/compass/blob/main/no/such/file'],
  ['an unknown commit', '/harbor-lab/compass/commit/0000000000000000000000000000000000000000'],
  ['a number that is none', '/harbor-lab/compass/rules/x'],
  ['NUL', '/harbor-lab/compass/blob/%00/x'],
  ['an invalid credential', '/wren?x=1'],
])('%s is a page that says what to do', async (name, path) => {
  const { status, text } = await open(path, name.includes('credential') ? 'ghp_nonsense' : undefined);
  expect([status, text.includes('There is nothing here')]).toEqual([404, true]);
});

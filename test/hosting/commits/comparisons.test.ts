import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
/** The objects of a push are in the memory of the gateway that has taken it. */
const other = await testGateway({ beside: gateway });
const { wren, tomas } = (await demoOf(gateway)).users;
const bearer = `Bearer ${wren.classic_token}`;
const world = await newWorld(gateway, wren.classic_token);
const at = `/repos/${world.owner}/${world.name}`;
const base = await world.commit({ 'a.txt': 'a\n' });
await call(gateway, 'POST', `${at}/git/refs`, bearer, { ref: 'refs/heads/topic/one', sha: base });
const write = async (path: string, branch: string, author?: object) => {
  const body = { message: path, content: Buffer.from(`${path}\n`).toString('base64'), branch, author };
  return (await world.put(`/contents/${path}`, body)).json.commit.sha as string;
};
const main = await write('m.txt', 'main');
const one = await write('1.txt', 'topic/one', { name: 'Ada', email: 'ada@example.org' });
const two = await write('2.txt', 'topic/one');
const compare = (range: string, accept = 'application/json') => world.get(`/compare/${range}`, { accept });

test('a head that has diverged: commits oldest first, files since the common ancestor', async () => {
  const { status, json } = await compare('main...topic/one');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    status: 'diverged',
    ahead_by: 2,
    behind_by: 1,
    total_commits: 2,
    base_commit: { sha: main },
    merge_base_commit: { sha: base },
    html_url: `${gateway.url}/${world.owner}/${world.name}/compare/main...topic/one`,
  });
  expect(json.commits.map(({ sha }: { sha: string }) => sha)).toEqual([one, two]);
  expect(json.files.map((file: Record<string, string>) => [file.filename, file.status, file.patch])).toEqual([
    ['1.txt', 'added', '@@ -0,0 +1 @@\n+1.txt'],
    ['2.txt', 'added', '@@ -0,0 +1 @@\n+2.txt'],
  ]);
  const second = (await compare('main...topic/one?per_page=1&page=2')).json;
  expect([second.commits.map(({ sha }: { sha: string }) => sha), second.files]).toEqual([[two], []]);
  expect((await compare('main...topic/one', 'application/vnd.host.diff')).text).toMatch(
    /^diff --git a\/1.txt b\/1.txt\n/,
  );
});

test('the other states, ids and owners', async () => {
  const statusOf = async (range: string) => (await compare(range)).json.status;
  expect(await statusOf(`${base}...${world.owner}:main`)).toBe('ahead');
  expect(await statusOf(`main...${base.slice(0, 10)}`)).toBe('behind');
  expect(await statusOf('HEAD...main')).toBe('identical');
  expect(await statusOf('main~1...main')).toBe('ahead');
  for (const none of ['main', 'main...none', '...main', 'main...', 'juniper:main...main', 'main..topic/one'])
    expect([none, (await compare(none)).status]).toEqual([none, 404]);
  const { json: tree } = await world.get('/git/trees/main');
  const { json: root } = await call(gateway, 'POST', `${at}/git/commits`, bearer, { message: 'r', tree: tree.sha });
  expect((await compare(`main...${root.sha}`)).json.message).toMatch(/^No common ancestor/);
});

test('contributors, those without an account by request', async () => {
  await call(gateway, 'PATCH', `${at}/git/refs/heads/main`, bearer, { sha: two, force: true });
  const { json } = await world.get('/contributors');
  expect(json).toEqual([expect.objectContaining({ login: 'wren', type: 'User', contributions: 1 })]);
  expect(json[0]).not.toHaveProperty('email');
  const all = (await world.get('/contributors?anon=1')).json;
  expect(all.length).toBe(3);
  expect(all).toContainEqual({ type: 'Anonymous', name: 'Ada', email: 'ada@example.org', contributions: 1 });
  const link = (await world.get('/contributors?anon=1&per_page=1')).headers.get('link');
  expect(link).toMatch(/page=3>; rel="last"/);
  const empty = await newWorld(gateway, wren.classic_token);
  expect((await empty.get('/contributors')).json).toEqual([]);
});

test('the combined status and the languages are empty', async () => {
  const { json } = await world.get('/commits/main/status');
  expect(json).toMatchObject({
    state: 'pending',
    statuses: [],
    total_count: 0,
    sha: two,
    repository: { id: world.id },
  });
  expect((await world.get('/languages')).text).toBe('{}');
});

test('nothing of a repository that the caller cannot see', async () => {
  const secret = await newWorld(gateway, wren.classic_token, { isPrivate: true });
  await secret.commit({ a: 'a' });
  for (const path of ['compare/main...main', 'contributors', 'languages', 'commits/main/status']) {
    const address = `/repos/${secret.owner}/${secret.name}/${path}`;
    expect([path, (await call(gateway, 'GET', address, `Bearer ${tomas.classic_token}`)).status]).toEqual([path, 404]);
  }
});

test('the blobs of many files are read together', async () => {
  const many = await newWorld(other, wren.classic_token);
  const files = (text: string) =>
    Object.fromEntries(Array.from({ length: 310 }, (_, n) => [`${String(n).padStart(3, '0')}.txt`, `${text}${n}\n`]));
  const old = await many.commit(files('old'));
  const current = await many.commit(files('new'));
  const answers: Record<string, { files: { patch: string }[] }> = {};
  for (const path of [`/commits/${current}`, `/compare/${old}...${current}`]) {
    const statements = await gateway.statements(async () => {
      answers[path] = (await call(gateway, 'GET', `/repos/${many.owner}/${many.name}${path}`, bearer)).json;
    });
    expect(statements.filter(text => text.includes('from git_object')).length).toBeLessThan(20);
  }
  for (const { files: listed } of Object.values(answers)) {
    expect(listed).toHaveLength(300);
    expect(listed[299]?.patch).toBe('@@ -1 +1 @@\n-old299\n+new299');
  }
});

test('renames, and the numbers of large changes, are those of git', async () => {
  const large = await newWorld(gateway, wren.classic_token);
  const numbered = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, n) => `${from + n} of the lines of a file\n`).join('');
  const copies = (first: string) =>
    Object.fromEntries(
      Array.from({ length: 290 }, (_, n) => [`many/${n}.txt`, `${first}\n${n}\n${numbered(0, 1_700)}`]),
    );
  const old = await large.commit({
    'a.txt': numbered(0, 6_000),
    'large.txt': numbered(0, 70_000),
    'old/name.txt': numbered(0, 40),
    'old/same.txt': numbered(50, 90),
    ...copies('2025'),
  });
  const current = await large.commit({
    'a.txt': numbered(0, 2_000) + numbered(90_000, 91_500) + numbered(3_500, 6_000),
    'large.txt': `${numbered(0, 60_000)}changed\n${numbered(60_001, 70_000)}`,
    'old/name.txt': null,
    'old/same.txt': null,
    'new/name.txt': `${numbered(0, 40)}more\n`,
    'new/same.txt': numbered(50, 90),
    ...copies('2026'),
  });
  const { json } = await large.get(`/compare/${old}...${current}`);
  const facts = json.files.map((file: Record<string, unknown>) => [
    ...[file.filename, file.status, file.previous_filename, file.additions, file.deletions, file.changes],
  ]);
  expect(facts.slice(0, 2)).toEqual([
    ['a.txt', 'modified', undefined, 1_500, 1_500, 3_000],
    ['large.txt', 'modified', undefined, 1, 1, 2],
  ]);
  expect(json.files[1].patch).toContain('\n-60000 of the lines of a file\n+changed\n');
  expect(facts.slice(2, -2)).toHaveLength(290);
  for (const [, ...fact] of facts.slice(2, -2)) expect(fact).toEqual(['modified', undefined, 1, 1, 2]);
  expect(facts.slice(-2)).toEqual([
    ['new/name.txt', 'renamed', 'old/name.txt', 1, 0, 1],
    ['new/same.txt', 'renamed', 'old/same.txt', 0, 0, 0],
  ]);
  const { status, text } = await large.get(`/compare/${old}...${current}`, { accept: 'application/vnd.host.diff' });
  expect([status, text.match(/^diff --git /gm)?.length]).toEqual([200, 294]);
  expect(text).toMatch(/similarity index 100%\nrename from old\/same.txt\nrename to new\/same.txt\n$/);
});

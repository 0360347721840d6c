import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;
const bearer = `Bearer ${wren.classic_token}`;
const world = await newWorld(gateway, wren.classic_token);
const first = await world.commit({ 'a.txt': 'one\ntwo\n', 'd/b.bin': Buffer.from([1, 0, 2]), 'e.txt': 'kept' });
const second = await world.commit(
  { 'a.txt': 'one\n2\n', 'd/b.bin': Buffer.from([1, 0, 3]), 'c.txt': 'new', 'e.txt': { mode: '100755', text: 'kept' } },
  { seconds: 1_790_100_000, message: 'Second\n\nBody' },
);
const at = `/repos/${world.owner}/${world.name}`;
const get = (path: string, accept = 'application/json') => world.get(path, { accept });
const shas = async (query: string): Promise<string[]> =>
  (await get(`/commits${query}`)).json.map(({ sha }: { sha: string }) => sha);

describe('lists of commits', () => {
  test('newest first, in pages with links', async () => {
    const { json, headers } = await get('/commits?per_page=1');
    expect(json.length).toBe(1);
    expect(json[0]).toMatchObject({
      sha: second,
      url: `${gateway.url}${at}/commits/${second}`,
      commit: { message: 'Second\n\nBody', comment_count: 0, url: `${gateway.url}${at}/git/commits/${second}` },
      parents: [{ sha: first, url: `${gateway.url}${at}/commits/${first}` }],
      author: null,
    });
    expect(headers.get('link')).toMatch(/page=2>; rel="next".*page=2>; rel="last"/);
    expect(await shas('?per_page=1&page=2')).toEqual([first]);
    expect(await shas('?page=9')).toEqual([]);
  });

  test('by revision, path, time and people', async () => {
    expect(await shas(`?sha=${first}`)).toEqual([first]);
    expect(await shas('?sha=HEAD~1')).toEqual([first]);
    expect(await shas('?path=c.txt')).toEqual([second]);
    expect(await shas('?path=d')).toEqual([second, first]);
    for (const since of ['2026-09-22T00:00:00Z', '2026-09-22T00:00:00', '2026-09-22T00:00', '2026-09-22'])
      expect([since, await shas(`?since=${since}`)]).toEqual([since, [second]]);
    expect(await shas('?until=2026-09-22T00:00:00Z')).toEqual([first]);
    const { json } = await world.put('/contents/by-wren', {
      message: 'm',
      content: '',
      branch: 'main',
      author: { name: 'Ada', email: 'Ada@example.org' },
    });
    const by = json.commit.sha;
    expect(await shas('?author=ada@EXAMPLE.org')).toEqual([by]);
    expect(await shas('?committer=wren')).toEqual([by]);
    expect(await shas('?author=wren')).toEqual([]);
    expect(await shas('?author=nobody-at-all')).toEqual([]);
    expect((await get(`/commits?committer=wren`)).json[0]).toMatchObject({
      author: null,
      committer: { login: 'wren' },
    });
    await call(gateway, 'PATCH', `${at}/git/refs/heads/main`, bearer, { sha: second, force: true });
  });

  test('what does not exist', async () => {
    expect((await get('/commits?sha=none')).status).toBe(404);
    for (const since of ['yesterday', '2026-02-30T00:00:00Z', '2026-02-30', '2026-13-01'])
      expect([since, (await get(`/commits?since=${since}`)).status]).toEqual([since, 422]);
    const empty = await newWorld(gateway, wren.classic_token);
    expect([(await empty.get('/commits')).status, (await empty.get('/commits/main')).status]).toEqual([409, 409]);
  });
});

describe('one commit', () => {
  test('its files with their lines', async () => {
    const { json } = await get('/commits/main');
    expect(json.sha).toBe(second);
    expect(json.stats).toEqual({ additions: 2, deletions: 1, total: 3 });
    const shown = json.files.map((one: Record<string, unknown>) => [
      one.filename,
      one.status,
      one.additions,
      one.deletions,
      one.patch,
    ]);
    expect(shown).toEqual([
      ['a.txt', 'modified', 1, 1, '@@ -1,2 +1,2 @@\n one\n-two\n+2'],
      ['c.txt', 'added', 1, 0, '@@ -0,0 +1 @@\n+new\n\\ No newline at end of file'],
      ['d/b.bin', 'modified', 0, 0, undefined],
      ['e.txt', 'modified', 0, 0, undefined],
    ]);
    expect(json.files[0]).toMatchObject({
      changes: 2,
      contents_url: `${gateway.url}${at}/contents/a.txt?ref=${second}`,
      blob_url: `${gateway.url}/${world.owner}/${world.name}/blob/${second}/a.txt`,
    });
    expect((await get(json.files[0].contents_url.slice(`${gateway.url}${at}`.length))).status).toBe(200);
    const paged = (await get('/commits/main?per_page=3&page=2')).json.files;
    expect(paged.map(({ filename }: { filename: string }) => filename)).toEqual(['e.txt']);
    const root = (await get(`/commits/${first}`)).json;
    expect(root.files.map(({ status }: { status: string }) => status)).toEqual(['added', 'added', 'added']);
  });

  test('its id and its changes as text', async () => {
    const sha = await get('/commits/main', 'application/vnd.host.sha');
    expect([sha.text, sha.headers.get('content-type')]).toEqual([second, 'application/vnd.host.sha; charset=utf-8']);
    const { text } = await get('/commits/main', 'application/vnd.host.diff');
    expect(text).toContain('diff --git a/a.txt b/a.txt\nindex ');
    expect(text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n');
    expect(text).toContain('new file mode 100644\n');
    expect(text).toContain('Binary files a/d/b.bin and b/d/b.bin differ\n');
    expect(text).toContain('old mode 100644\nnew mode 100755\n');
  });

  test('no statuses, no pull requests, the branches at it', async () => {
    expect((await get('/commits/main/statuses')).json).toEqual([]);
    expect((await get(`/commits/${second}/pulls`)).json).toEqual([]);
    expect((await get('/commits/none/statuses')).status).toBe(404);
    const heads = (await get(`/commits/${second}/branches-where-head`)).json;
    expect(heads).toEqual([{ name: 'main', commit: expect.objectContaining({ sha: second }), protected: false }]);
    expect((await get(`/commits/${first}/branches-where-head`)).json).toEqual([]);
    expect((await get('/commits/x/branches-where-head')).status).toBe(422);
    expect((await get(`/commits/${'ab'.repeat(20)}/branches-where-head`)).status).toBe(404);
  });
});

test('branches with their protection, and tags', async () => {
  const make = (ref: string, sha: string) => call(gateway, 'POST', `${at}/git/refs`, bearer, { ref, sha });
  await make('refs/heads/topic/one', first);
  await make('refs/tags/v1', first);
  const { json: tag } = await call(gateway, 'POST', `${at}/git/tags`, bearer, {
    ...{ tag: 'v2', message: 'm', object: second, type: 'commit' },
  });
  await make('refs/tags/v2', tag.sha);
  await call(gateway, 'POST', `${at}/rulesets`, bearer, {
    ...{ name: 'main', enforcement: 'active', target: 'branch', rules: [{ type: 'deletion' }] },
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
  });
  const names = async (query: string) =>
    (await get(`/branches${query}`)).json.map((one: Record<string, unknown>) => [one.name, one.protected]);
  expect(await names('')).toEqual([
    ['main', true],
    ['topic/one', false],
  ]);
  expect(await names('?protected=true')).toEqual([['main', true]]);
  expect(await names('?protected=false')).toEqual([['topic/one', false]]);
  expect(await names('?per_page=1&page=2')).toEqual([['topic/one', false]]);
  const { json } = await get('/branches/topic/one');
  expect(json).toMatchObject({
    name: 'topic/one',
    commit: { sha: first, commit: { message: expect.any(String) } },
    protected: false,
    protection: { enabled: false },
    _links: { self: `${gateway.url}${at}/branches/topic/one` },
  });
  expect((await get('/branches/none')).json.message).toBe('Branch not found');
  const tags = (await get('/tags')).json;
  expect(tags.map((one: { name: string; commit: { sha: string } }) => [one.name, one.commit.sha])).toEqual([
    ['v1', first],
    ['v2', second],
  ]);
  expect(
    (
      await gateway.request(tags[0].zipball_url.slice(gateway.url.length), {
        headers: { 'user-agent': 'x' },
        redirect: 'manual',
      })
    ).status,
  ).toBe(302);
});

test('nothing of a repository that the caller cannot see', async () => {
  const secret = await newWorld(gateway, wren.classic_token, { isPrivate: true });
  await secret.commit({ a: 'a' });
  const stranger = `Bearer ${tomas.classic_token}`;
  for (const path of [
    'commits',
    'commits/main',
    'branches',
    'branches/main',
    'tags',
    'commits/main/statuses',
    'commits/main/pulls',
    `commits/${first}/branches-where-head`,
  ]) {
    const { status } = await call(gateway, 'GET', `/repos/${secret.owner}/${secret.name}/${path}`, stranger);
    expect([path, status]).toEqual([path, 404]);
  }
});

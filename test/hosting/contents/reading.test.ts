import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createObject } from '../../../src/git/object.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const world = await newWorld(gateway, token);
const blobOf = (text: string | Buffer): string => createObject('blob', Buffer.from(text)).oid;
const json = { accept: 'application/vnd.host+json' };
const anonymous = { authorization: '' };
const large = Buffer.alloc(1024 * 1024 + 1, 'x');
const module = '1234567890123456789012345678901234567890';
const first = await world.commit({
  'README.md': '# World\n',
  'src/deep/ly/code.ts': 'export const answer = 42;\n'.repeat(10),
  'src/a b/é.txt': 'odd',
});
const second = await world.commit(
  {
    'large.bin': large,
    'links/to-file': { mode: '120000', text: '../README.md' },
    'links/to-link': { mode: '120000', text: 'to-file' },
    'links/to-folder': { mode: '120000', text: '../src' },
    'links/out': { mode: '120000', text: '../../etc/passwd' },
    'links/absolute': { mode: '120000', text: '/etc/passwd' },
    'links/circle': { mode: '120000', text: 'circle-2' },
    'links/circle-2': { mode: '120000', text: 'circle' },
    '.gitmodules': `[submodule "mine"]\n\tpath = vendor/mine\n\turl = ${gateway.url}/harbor-lab/compass.git\n[submodule "theirs"]\n  path = vendor/theirs\n  url = https://elsewhere.example/x.git\n`,
    'vendor/mine': { mode: '160000', oid: module },
    'vendor/theirs': { mode: '160000', oid: module },
    'script.sh': { mode: '100755', text: 'echo hi\n' },
    'gone.txt': { mode: '100644', oid: '9'.repeat(40) },
  },
  { seconds: 1_790_100_000 },
);
await world.commit({ 'only-here.txt': 'branch' }, { branch: 'feature/x' });

test('a file with its content in lines of 60, URLs, ETag and date', async () => {
  const { status, json: file, headers } = await world.get('/contents/src/deep/ly/code.ts', json);
  const text = 'export const answer = 42;\n'.repeat(10);
  expect(status).toBe(200);
  const at = `/repos/${world.owner}/${world.name}`;
  const sha = blobOf(text);
  const self = `${gateway.url}${at}/contents/src/deep/ly/code.ts?ref=main`;
  expect(file).toEqual({
    type: 'file',
    encoding: 'base64',
    size: text.length,
    name: 'code.ts',
    path: 'src/deep/ly/code.ts',
    content: expect.any(String),
    sha,
    url: self,
    git_url: `${gateway.url}${at}/git/blobs/${sha}`,
    html_url: `${gateway.url}/${world.owner}/${world.name}/blob/main/src/deep/ly/code.ts`,
    download_url: `${gateway.url}/raw/${world.owner}/${world.name}/main/src/deep/ly/code.ts`,
    _links: {
      self,
      git: `${gateway.url}${at}/git/blobs/${sha}`,
      html: `${gateway.url}/${world.owner}/${world.name}/blob/main/src/deep/ly/code.ts`,
    },
  });
  const lines = file.content.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.slice(0, -1).every((line: string) => line.length === 60)).toBe(true);
  expect(Buffer.from(file.content, 'base64').toString()).toBe(text);
  expect(headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  expect(headers.get('last-modified')).toBe(new Date(1_790_000_000_000).toUTCString());
  expect(Object.keys(file).slice(0, 4)).toEqual(['type', 'encoding', 'size', 'name']);
});

test('304 by ETag and by date', async () => {
  for (const form of [json, { accept: 'application/vnd.host.raw' }]) {
    const { headers: sent } = await world.get('/contents/README.md', form);
    for (const headers of [
      { 'if-none-match': `W/${sent.get('etag')}` },
      { 'if-modified-since': new Date(1_790_000_000_000).toUTCString() },
    ]) {
      const answer = await world.get('/contents/README.md', { ...form, ...headers });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
  }
  const changed = await world.get('/contents/README.md', {
    ...json,
    'if-modified-since': new Date(1_789_999_999_000).toUTCString(),
  });
  expect(changed.status).toBe(200);
});

test('the bytes of a file, and ranges of them', async () => {
  const raw = { accept: 'application/vnd.host.v3.raw' };
  const answer = await world.get('/contents/README.md', raw);
  expect([answer.status, answer.text]).toEqual([200, '# World\n']);
  expect(answer.headers.get('content-type')).toBe('application/vnd.host.v3.raw; charset=utf-8');
  const part = await world.get('/contents/large.bin', { ...raw, range: 'bytes=1048570-1048579' });
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
    206,
    'xxxxxxx',
    'bytes 1048570-1048576/1048577',
  ]);
  expect((await world.get('/contents/large.bin', { ...raw, range: 'bytes=2000000-' })).status).toBe(416);
  const whole = await world.get('/contents/large.bin', raw);
  expect([whole.status, whole.text.length]).toEqual([200, large.length]);
});

test('a file as sanitised HTML', async () => {
  const html = { accept: 'application/vnd.host.html' };
  const answer = await world.get('/contents/README.md', html);
  expect(answer.headers.get('content-type')).toBe('application/vnd.host.html; charset=utf-8');
  expect(answer.text).toContain('<h1 id="user-content-world">World</h1>');
  const code = await world.get('/contents/script.sh', html);
  expect(code.text).toBe('<pre>echo hi\n</pre>');
  const listing = await world.get('/contents/src', html);
  expect(listing.json.map((one: { name: string }) => one.name)).toEqual(['a b', 'deep']);
});

test('above 1 MB: no content in JSON, no HTML', async () => {
  for (const accept of ['application/vnd.host+json', 'application/vnd.host.object+json']) {
    const { status, json: file } = await world.get('/contents/large.bin', { accept });
    expect(status).toBe(200);
    expect(file).toMatchObject({ encoding: 'none', content: '', size: large.length, type: 'file' });
  }
  const page = await world.get('/contents/large.bin', { accept: 'application/vnd.host.html' });
  expect(page.status).toBe(403);
  expect(page.json.errors).toEqual([{ resource: 'Blob', field: 'data', code: 'too_large' }]);
});

test('directories: the root by all of its URLs, as a list and as an object', async () => {
  const names = ['.gitmodules', 'README.md', 'gone.txt', 'large.bin', 'links', 'script.sh', 'src', 'vendor'];
  for (const path of ['/contents', '/contents/', '/contents?ref=']) {
    const { status, json: list } = await world.get(path, json);
    expect([status, list.map((one: { name: string }) => one.name)]).toEqual([200, names]);
  }
  const object = await world.get('/contents/src', { accept: 'application/vnd.host.object+json' });
  expect(object.json).toMatchObject({ type: 'dir', size: 0, name: 'src', path: 'src', download_url: null });
  expect(object.json.entries.map((one: { type: string; path: string }) => [one.type, one.path])).toEqual([
    ['dir', 'src/a b'],
    ['dir', 'src/deep'],
  ]);
  const list = await world.get('/contents/src', { ...json, 'if-none-match': object.headers.get('etag') ?? '' });
  expect(list.status).toBe(200);
  const odd = await world.get('/contents/src/a%20b', json);
  expect(odd.json[0]).toMatchObject({ name: 'é.txt', path: 'src/a b/é.txt', size: 3 });
  expect(odd.json[0]).not.toHaveProperty('content');
  expect(
    (await world.get(new URL(odd.json[0].url).pathname.replace(/^.*\/contents/, '/contents'), json)).json.size,
  ).toBe(3);
});

test('a trailing slash redirects to the path without it, with the query', async () => {
  const { status, headers } = await world.get('/contents/src/?ref=main');
  expect([status, headers.get('location')]).toEqual([
    302,
    `${gateway.url}/repositories/${world.id}/contents/src?ref=main`,
  ]);
});

test('symbolic links: a link to a file is served as the file, others are described', async () => {
  for (const name of ['to-file', 'to-link']) {
    const { json: file } = await world.get(`/contents/links/${name}`, json);
    expect(file).toMatchObject({ type: 'file', name, path: `links/${name}`, size: 8, encoding: 'base64' });
    expect(Buffer.from(file.content, 'base64').toString()).toBe('# World\n');
  }
  const { json: link } = await world.get('/contents/links/to-file', json);
  // Everything but the name is the file's.
  const sha = blobOf('# World\n');
  expect([link.sha, link.git_url, link._links.git].map(one => one.split('/').at(-1))).toEqual([sha, sha, sha]);
  expect((await world.get(link.git_url.slice(link.git_url.indexOf('/git/')), json)).json).toMatchObject({
    sha,
    size: 8,
  });
  const over = await world.put('/contents/links/to-file', { message: 'Over', content: 'eA==', sha });
  expect([over.status, over.json.message]).toEqual([409, `links/to-file does not match ${sha}`]);
  for (const [name, target] of [
    ['to-folder', '../src'],
    ['out', '../../etc/passwd'],
    ['absolute', '/etc/passwd'],
    ['circle', 'circle-2'],
  ]) {
    const { status, json: described } = await world.get(`/contents/links/${name}`, json);
    expect([status, described.type, described.target, described.size]).toEqual([
      200,
      'symlink',
      target,
      target?.length,
    ]);
    expect(described).not.toHaveProperty('content');
  }
  const { json: list } = await world.get('/contents/links', json);
  expect(list.find((one: { name: string }) => one.name === 'to-folder')).toMatchObject({ type: 'symlink', size: 6 });
  expect((await world.get('/contents/links/to-file', { accept: 'application/vnd.host.raw' })).text).toBe('# World\n');
});

test('submodules, in directories by API version', async () => {
  const mine = await world.get('/contents/vendor/mine', json);
  expect(mine.json).toMatchObject({
    type: 'submodule',
    size: 0,
    sha: module,
    submodule_git_url: `${gateway.url}/harbor-lab/compass.git`,
    git_url: `${gateway.url}/repos/harbor-lab/compass/git/trees/${module}`,
    html_url: `${gateway.url}/harbor-lab/compass/tree/${module}`,
    download_url: null,
  });
  expect((await world.get('/contents/vendor/theirs', json)).json).toMatchObject({ git_url: null, html_url: null });
  const old = await world.get('/contents/vendor', json);
  expect(old.json.map((one: { type: string }) => one.type)).toEqual(['file', 'file']);
  expect(old.headers.get('sunset')).not.toBeNull();
  const now = await world.get('/contents/vendor', { ...json, 'x-host-api-version': '2026-03-10' });
  expect(now.json.map((one: { type: string }) => one.type)).toEqual(['submodule', 'submodule']);
});

test('other refs: branches with slashes, ids, abbreviated ids', async () => {
  expect((await world.get('/contents/only-here.txt?ref=feature/x', json)).json.url).toContain('?ref=feature%2Fx');
  expect((await world.get('/contents/only-here.txt', json)).status).toBe(404);
  expect((await world.get(`/contents/links?ref=${first}`, json)).status).toBe(404);
  expect((await world.get(`/contents/links?ref=${second}`, json)).status).toBe(200);
  expect((await world.get(`/contents/links?ref=${second.slice(0, 9)}`, json)).status).toBe(200);
});

test.each([
  ['/contents/nothing', 'Not Found'],
  ['/contents/README.md/below', 'Not Found'],
  ['/contents/gone.txt', 'Not Found'],
  ['/contents/src//deep', 'Not Found'],
  ['/contents/%00', 'Not Found'],
  [`/contents/${'x'.repeat(1_200)}`, 'Not Found'],
  ['/contents/README.md?ref=nope', 'No commit found for the ref nope'],
])('%s is 404', async (path, message) => {
  const { status, json: body } = await world.get(path, json);
  expect([status, body.message, body.status]).toEqual([404, message, '404']);
  expect(body.documentation_url).toMatch(/\/rest\/repos\/contents#get-repository-content$/);
});

test('an empty repository', async () => {
  const empty = await newWorld(gateway, token);
  for (const path of ['/contents', '/contents/x', '/contents?ref=x', '/readme']) {
    const { status, json: body } = await empty.get(path, json);
    expect([path, status, body.message]).toEqual([path, 404, 'This repository is empty.']);
  }
});

test('a directory of more than 1,000 entries is truncated in the order of git', async () => {
  const many = await newWorld(gateway, token);
  await many.commit(
    Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f/${`${at}`.padStart(5, '0')}`, 'x'])),
  );
  const { json: list, headers } = await many.get('/contents/f', json);
  expect([list.length, list.at(-1).name]).toEqual([1_000, '00999']);
  // What was cut is said, with the way to the rest.
  expect(headers.get('x-omitted-entries')).toBe('1');
  const [, tree = '', rel] = /^<([^>]+)>; rel="(\w+)"/.exec(headers.get('link') ?? '') ?? [];
  expect(rel).toBe('alternate');
  const { json: whole } = await call(gateway, 'GET', new URL(tree).pathname, `Bearer ${token}`);
  expect([whole.tree.length, whole.truncated]).toEqual([1_001, false]);
  const asObject = await many.get('/contents/f', { accept: 'application/vnd.host.object' });
  expect(asObject.headers.get('link')).toBe(headers.get('link'));
  expect(Object.keys(asObject.json)).not.toContain('link');
  const small = await many.get('/contents', json);
  expect([small.headers.get('x-omitted-entries'), small.headers.get('link')]).toEqual([
    null,
    expect.not.stringContaining('alternate'),
  ]);
});

test('a directory has no raw form', async () => {
  for (const path of ['/contents', '/contents/src']) {
    const answer = await world.get(path, { accept: 'application/vnd.host.raw' });
    expect([answer.status, answer.json.message]).toEqual([415, expect.stringMatching(/^Unsupported 'Accept' header/)]);
  }
});

test('private repositories are 404 for others', async () => {
  const secret = await newWorld(gateway, token, { isPrivate: true });
  await secret.commit({ 'a.txt': 'secret' });
  for (const path of ['/contents/a.txt', '/contents', '/readme', '/tarball/main']) {
    for (const authorization of ['', `Bearer ${demo.users.okello.classic_token}`]) {
      const at = `/repos/${secret.owner}/${secret.name}${path}`;
      expect([path, (await call(gateway, 'GET', at, authorization || undefined)).status]).toEqual([path, 404]);
    }
  }
  expect((await secret.get('/contents/a.txt', json)).status).toBe(200);
  expect((await world.get('/contents/README.md', { ...json, ...anonymous })).status).toBe(200);
});

test('cached content takes one statement, for access and the ref', async () => {
  const own = await newWorld(gateway, token);
  const commit = await own.commit({ 'a/b/c.txt': 'one' }, { branch: 'main' });
  await own.commit({ 'a/b/c.txt': 'other' }, { branch: 'side' });
  for (const ref of ['', '?ref=main', '?ref=side', '?ref=refs/heads/side', '?ref=heads/side', `?ref=${commit}`]) {
    const path = `/contents/a/b/c.txt${ref}`;
    expect((await own.get(path, anonymous)).status).toBe(200);
    expect([ref, await gateway.statements(() => own.get(path, anonymous))]).toEqual([ref, [expect.any(String)]]);
  }
});

test('cached content follows its ref, and is 404 for others once the repository is private', async () => {
  const own = await newWorld(gateway, token);
  const path = '/contents/a/b/c.txt';
  const textOf = async (ref = ''): Promise<string> => {
    const { json: file } = await own.get(`${path}${ref}`, anonymous);
    return Buffer.from(file.content, 'base64').toString();
  };
  await own.commit({ 'a/b/c.txt': 'one' });
  expect([await textOf(), await textOf('?ref=main')]).toEqual(['one', 'one']);
  await own.commit({ 'a/b/c.txt': 'two' });
  expect([await textOf(), await textOf('?ref=main')]).toEqual(['two', 'two']);
  await sql`update repository set is_private = true where id = ${own.id}`.execute(gateway.database.sql);
  expect((await own.get(path, anonymous)).status).toBe(404);
  expect((await own.get(path)).status).toBe(200);
});

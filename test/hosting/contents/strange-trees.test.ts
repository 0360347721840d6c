import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { inTransaction } from '../../../src/db/database.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject } from '../../../src/git/object.ts';
import { readTree } from '../../../src/git/read-objects.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { push } from '../../../src/hosting/pushes/push.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
/** The objects of a push are in the memory of the gateway that has taken it. */
const other = await testGateway({ beside: gateway });
const token = (await demoOf(gateway)).users.wren.classic_token;
const json = { accept: 'application/json' };

/** A tree entry as stored, with any name. */
const entry = (mode: string, name: Buffer | string, oid: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]);

/** Puts a tree on main that no write function would create. */
async function plant(world: World, entries: Buffer[], objects: GitObject[], seconds = 1_790_000_000): Promise<string> {
  const tree = createObject('tree', Buffer.concat(entries));
  const person = { name: 'S', email: 's@example.org', seconds, zone: '+0000' };
  const commit = createObject(
    'commit',
    encodeCommit({ tree: tree.oid, parents: [], author: person, committer: person, message: 'm' }),
  );
  const context = {
    ...unlimitedSource(gateway.database.read),
    now: () => gateway.clock.now,
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
  };
  const update = { ref: 'refs/heads/main', to: commit.oid };
  await push(context, { repositoryId: world.id, updates: [update], objects: [...objects, tree, commit] });
  return commit.oid;
}

const blob = createObject('blob', Buffer.from('here'));
const missing = '12'.repeat(20);

test('names that are not UTF-8 are listed, keep their bytes when other files are written, and are archived', async () => {
  const world = await newWorld(gateway, token);
  const odd = Buffer.from('caf\xe9.txt', 'latin1');
  const inner = createObject('tree', entry('100644', Buffer.from('\xff', 'latin1'), blob.oid));
  const entries = [entry('100644', odd, blob.oid), entry('40000', Buffer.from('d\xfe', 'latin1'), inner.oid)];
  await plant(world, entries, [blob, inner]);
  const { status, json: list } = await world.get('/contents', json);
  expect(status).toBe(200);
  expect(list.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
    ['caf\ufffd.txt', 'file'],
    ['d\ufffd', 'dir'],
  ]);
  // No text identifies them: neither their bytes in a URL nor their decoded form.
  for (const path of ['caf%E9.txt', 'caf%EF%BF%BD.txt', 'd%FE/%FF']) {
    expect([path, (await world.get(`/contents/${path}`, json)).status]).toEqual([path, 404]);
  }
  expect((await world.put('/contents/other', { message: 'm', content: '' })).status).toBe(201);
  const repository = openRepository(unlimitedSource(gateway.database.read), world.id);
  const { tree } = (await world.get('/contents?ref=main', { accept: 'application/vnd.host.object+json' })).json;
  expect(tree).toBeUndefined();
  const { sha } = (await world.get('/contents', { accept: 'application/vnd.host.object+json' })).json;
  const names = (await readTree(repository, sha)).entries.map(({ name }) => name.toString('latin1'));
  expect(names).toEqual(['caf\xe9.txt', 'd\xfe', 'other']);
  for (const kind of ['tarball', 'zipball']) {
    const { headers } = await world.get(`/${kind}/main`);
    const at = new URL(headers.get('location') ?? '');
    expect((await gateway.request(`${at.pathname}${at.search}`)).status).toBe(200);
  }
});

test('entries whose objects are missing are absent, and do not affect other entries', async () => {
  const world = await newWorld(gateway, token);
  const entries = [
    entry('100644', 'README.md', missing),
    entry('40000', 'folder', missing),
    entry('100644', 'here', blob.oid),
    entry('120000', 'link', missing),
    entry('120000', 'to-nothing', createObject('blob', Buffer.from('README.md')).oid),
  ];
  await plant(world, entries, [blob, createObject('blob', Buffer.from('README.md'))]);
  const { status, json: list } = await world.get('/contents', json);
  expect(status).toBe(200);
  expect(list.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual([
    ['README.md', 0],
    ['folder', 0],
    ['here', 4],
    ['link', 0],
    ['to-nothing', 9],
  ]);
  for (const path of [
    '/contents/README.md',
    '/contents/folder',
    '/contents/folder/x',
    '/readme',
    '/contents/to-nothing',
  ]) {
    for (const accept of ['application/json', 'application/vnd.host.raw', 'application/vnd.host.html']) {
      // A directory has no raw form, whether its tree is there or not.
      const status = path === '/contents/folder' && accept === 'application/vnd.host.raw' ? 415 : 404;
      expect([path, accept, (await world.get(path, { accept })).status]).toEqual([path, accept, status]);
    }
  }
  expect((await world.get('/contents/here', json)).json.size).toBe(4);
  expect((await world.put('/contents/new', { message: 'm', content: '' })).status).toBe(201);
  const removed = await world.remove('/contents/README.md', { message: 'm', sha: missing });
  expect(removed.status).toBe(200);
  const below = await world.put('/contents/folder/x', { message: 'm', content: '' });
  expect(below.status).toBe(422);
});

test('commits with dates that clients cannot parse', async () => {
  const world = await newWorld(gateway, token);
  const sha = await plant(world, [entry('100644', 'here', blob.oid)], [blob], 300_000_000_000);
  const commit = (await world.get(`/git/commits/${sha}`)).json;
  expect(commit.committer.date).toBe('9999-12-31T23:59:59Z');
  const file = await world.get('/contents/here', json);
  expect([file.status, file.json.size]).toEqual([200, 4]);
});

test('forbidden paths in URLs', async () => {
  const world = await newWorld(gateway, token);
  const bad = 'path contains a malformed path component';
  for (const path of ['%2e%2e%2fa', 'a/%2E%2E/b%5C..', '.git%2Fconfig', 'x%5C.git', `${'y/'.repeat(2_047)}yy`]) {
    const { status, json: body } = await world.put(`/contents/${path}`, { message: 'm', content: '' });
    expect([path, status, body.message]).toEqual([path, 422, bad]);
  }
  // Refused before any lookup: no URL with such a path resolves.
  expect((await world.put('/contents/a%00b', { message: 'm', content: '' })).status).toBe(404);
  expect((await world.get('/contents', json)).json.message).toBe('This repository is empty.');
});

test('names with backslashes are in both archives', async () => {
  const world = await newWorld(gateway, token);
  const inner = createObject('tree', entry('100644', 'f\\g', blob.oid));
  await plant(world, [entry('100644', 'a\\b.txt', blob.oid), entry('40000', 'd\\e', inner.oid)], [blob, inner]);
  for (const kind of ['tarball', 'zipball']) {
    const at = new URL((await world.get(`/${kind}/main`)).headers.get('location') ?? '');
    const answer = await fetch(`${gateway.url}${at.pathname}`, { headers: { 'user-agent': 'tests' } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = (kind === 'tarball' ? gunzipSync(bytes) : bytes).toString('latin1');
    for (const name of ['/a\\b.txt', '/d\\e/', '/d\\e/f\\g'])
      expect([kind, name, text.includes(name)]).toEqual([kind, name, true]);
  }
});

test('a listing reads no more trees than it can show', async () => {
  const world = await newWorld(gateway, token);
  const names = Array.from({ length: 10_000 }, (_, at) => `${at}`.padStart(5, '0'));
  const files = Buffer.concat(names.map(name => entry('100644', name, blob.oid)));
  const trees = Array.from({ length: 30 }, (_, at) =>
    createObject('tree', Buffer.concat([files, entry('100644', `x${at}`, blob.oid)])),
  );
  const root = trees.map(({ oid }, at) => entry('40000', `${at}`.padStart(2, '0'), oid));
  await plant(world, root, [blob, ...trees]);
  let answer = { status: 0, text: '', json: {} as { tree: { path: string }[]; truncated: boolean } };
  const sent = await other.sent(async () => {
    answer = await other.request(`/repos/${world.owner}/${world.name}/git/trees/main?recursive=1`, {
      headers: { 'user-agent': 'portico tests', authorization: `Bearer ${token}`, ...json },
    });
  });
  expect([answer.status, answer.json.truncated]).toEqual([200, true]);
  expect(answer.json.tree.length).toBeGreaterThan(30_000);
  const read = sent
    .filter(({ text }) => text.includes('size, z from git_object'))
    .flatMap(({ values }) => values.flat());
  expect(read.filter(Buffer.isBuffer).length).toBeLessThan(30);
});

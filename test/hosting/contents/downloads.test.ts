import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { deleteExpiredDownloads } from '../../../src/hosting/contents/contents.tasks.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { until } from '../insights/usage.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const open = await newWorld(gateway, token);
const secret = await newWorld(gateway, token, { isPrivate: true });
const page = Buffer.from([0, 1, 2, 255]);
const files = { 'a b/é.txt': 'text <script>', 'bytes.bin': page, link: { mode: '120000', text: 'a b/é.txt' } };
const commits = [await open.commit(files), await secret.commit(files)];
await open.commit({ 'x.txt': 'x' }, { branch: 'feature/y' });
const json = { accept: 'application/json' };
const fetched = (address: string, init: RequestInit = {}) =>
  fetch(address, { ...init, headers: { 'user-agent': 'portico tests', ...init.headers } });
const statusOf = async (address: string): Promise<number> => (await fetched(address, { method: 'HEAD' })).status;
const addressOf = async (world: typeof open, path: string): Promise<string> =>
  (await world.get(`/contents/${path}`, json)).json.download_url;

test('files of a public repository, for everybody and repeatedly', async () => {
  const address = await addressOf(open, 'a%20b/%C3%A9.txt');
  for (let turn = 0; turn < 2; turn++) {
    const answer = await fetched(address);
    expect([answer.status, await answer.text()]).toEqual([200, 'text <script>']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
  const part = await fetched(await addressOf(open, 'bytes.bin'), { headers: { range: 'bytes=1-2' } });
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, page.subarray(1, 3)]);
  expect(part.headers.get('content-type')).toBe('application/octet-stream');
  const branch = (await open.get('/contents/x.txt?ref=feature/y', json)).json.download_url;
  expect(await (await fetched(branch)).text()).toBe('x');
  expect(await (await fetched(await addressOf(open, 'link'))).text()).toBe('text <script>');
  const tag = (await fetched(branch)).headers.get('etag') ?? '';
  expect((await fetched(branch, { headers: { 'if-none-match': tag } })).status).toBe(304);
});

test('files of a private repository: one download of one file within five minutes', async () => {
  const address = await addressOf(secret, 'bytes.bin');
  expect((await fetched(address, { method: 'HEAD' })).status).toBe(200);
  const both = await Promise.all([fetched(address), fetched(address), fetched(address)]);
  expect(both.map(one => one.status).toSorted()).toEqual([200, 404, 404]);
  const plain = address.replace(/\?.*/, '');
  expect((await fetched(plain)).status).toBe(404);
  expect((await fetched(plain, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  const fresh = await addressOf(secret, 'bytes.bin');
  // Another letter in the token: a fixed ending is the right one in one of some thousand runs.
  const changed = fresh.replace(/.(?=.{9}$)/, letter => (letter === 'A' ? 'B' : 'A'));
  expect((await fetched(changed)).status).toBe(404);
  expect((await fetched(fresh.replace('/raw/', '/codeload/'))).status).toBe(404);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 5 * 60_000);
  expect((await fetched(fresh)).status).toBe(404);
  const count = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from used_download`.execute(gateway.database.sql)).rows[0]?.n;
  expect(await count()).toBe(1);
  await inTransaction(gateway.database, db => deleteExpiredDownloads(db, new Date(gateway.clock.now.getTime() + 1)));
  expect(await count()).toBe(0);
});

test('a private file whose transfer breaks off, or that comes in parts, is downloaded by the same URL', async () => {
  const large = Buffer.alloc(16 * 1024 * 1024, 'not to be sent at once ');
  await secret.commit({ 'large.bin': large });
  const broken = await addressOf(secret, 'large.bin');
  const leave = new AbortController();
  const begun = await fetched(broken, { signal: leave.signal });
  expect(begun.status).toBe(200);
  expect((await fetched(broken)).status).toBe(404);
  leave.abort();
  await until(
    () => statusOf(broken),
    status => status === 200,
  );
  expect(Buffer.from(await (await fetched(broken)).arrayBuffer()).equals(large)).toBe(true);
  expect((await fetched(broken)).status).toBe(404);

  const address = await addressOf(secret, 'bytes.bin');
  const partOf = async (range: string): Promise<[number, Buffer]> => {
    const part = await fetched(address, { headers: { range } });
    return [part.status, Buffer.from(await part.arrayBuffer())];
  };
  expect(await partOf('bytes=0-1')).toEqual([206, page.subarray(0, 2)]);
  expect(await partOf('bytes=0-1')).toEqual([206, page.subarray(0, 2)]);
  expect((await partOf('bytes=9-'))[0]).toBe(416);
  expect(await partOf('bytes=2-')).toEqual([206, page.subarray(2)]);
  await until(
    () => statusOf(address),
    status => status === 404,
  );
});

test.each([
  ['tarball', 'legacy.tar.gz', 'application/x-gzip', 'tar.gz'],
  ['zipball', 'legacy.zip', 'application/zip', 'zip'],
])('%s leads to the archive', async (word, format, type, ending) => {
  for (const path of [`/${word}`, `/${word}/`, `/${word}/main`]) {
    const answer = await open.get(path);
    expect([answer.status, answer.text, answer.headers.get('location')]).toEqual([
      302,
      '',
      `${gateway.url}/codeload/${open.owner}/${open.name}/${format}/refs/heads/main`,
    ]);
    expect(answer.headers.get('content-type')).toBe('text/html;charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, must-revalidate, max-age=0');
  }
  expect((await open.get(`/${word}/main`, {}, 'HEAD')).status).toBe(302);
  expect((await open.get(`/${word}/main`, { accept: 'application/octet-stream' })).status).toBe(415);
  const location = (await open.get(`/${word}/main`)).headers.get('location') ?? '';
  const archive = await fetched(location);
  const name = `${open.owner}-${open.name}-${commits[0]?.slice(0, 7)}`;
  expect([archive.status, archive.headers.get('content-type')]).toEqual([200, type]);
  expect(archive.headers.get('content-disposition')).toBe(`attachment; filename=${name}.${ending}`);
  const bytes = Buffer.from(await archive.arrayBuffer());
  expect(Buffer.from(await (await fetched(location)).arrayBuffer()).equals(bytes)).toBe(true);
  if (ending === 'tar.gz') {
    const names = execFileSync('tar', ['tz'], { input: bytes }).toString().trim().split('\n');
    expect(names).toContain(`${name}/bytes.bin`);
    expect(names.every(one => one.startsWith(`${name}/`))).toBe(true);
  } else expect(bytes.includes(`${name}/bytes.bin`)).toBe(true);
  const head = await fetched(location, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('a missing archive is 404 at its download URL', async () => {
  const unknown = await open.get('/tarball/nope');
  expect(unknown.status).toBe(302);
  expect((await fetched(unknown.headers.get('location') ?? '')).status).toBe(404);
  const empty = await newWorld(gateway, token);
  const nothing = await empty.get('/zipball');
  expect(nothing.status).toBe(302);
  const answer = await fetched(nothing.headers.get('location') ?? '');
  expect([answer.status, (await answer.json()).message]).toEqual([404, 'This repository is empty.']);
});

test('archives of a private repository, for five minutes', async () => {
  const { headers } = await secret.get('/tarball/main');
  const location = headers.get('location') ?? '';
  expect(headers.get('cache-control')).toBe('private, must-revalidate, max-age=0');
  expect([(await fetched(location)).status, (await fetched(location)).status]).toEqual([200, 200]);
  expect((await fetched(location.replace(/\?.*/, ''))).status).toBe(404);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 5 * 60_000);
  expect((await fetched(location)).status).toBe(404);
});

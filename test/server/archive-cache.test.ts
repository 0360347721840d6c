import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { ArchiveCache, type ArchiveId } from '../../src/server/archive-cache.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-archives-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const data = newFolder();
const folder = join(data, 'archives');
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { PORTICO_DATA: data, ARCHIVE_CACHE_MB: '40' },
});
/** Another process of the same installation, or the same one after a restart. */
const second = await testGateway({ beside: gateway, settings: { PORTICO_DATA: data, ARCHIVE_CACHE_MB: '40' } });
const uncached = await testGateway({
  beside: gateway,
  settings: { PORTICO_DATA: newFolder(), ARCHIVE_CACHE_MB: '0' },
});
const token = (await demoOf(gateway)).users.wren.classic_token;

const pathOf = ({ owner, name }: World, format: string): string => `/codeload/${owner}/${name}/${format}/main`;
const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);

async function download(from: { url: string }, path: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization: `Bearer ${authorization}` };
  const answer = await fetch(`${from.url}${path}`, { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

test.each(['legacy.zip', 'legacy.tar.gz'])(
  '%s is produced once, with the bytes it has without a cache',
  async format => {
    const world = await newWorld(gateway, token);
    await world.commit({ 'a/b.txt': 'text\n'.repeat(2_000), 'noise.bin': randomBytes(300_000) });
    const path = pathOf(world, format);
    const before = files().length;
    const without = await download(uncached, path);
    expect([without.status, files().length]).toEqual([200, before]);
    const readsContents = (statements: string[]): boolean =>
      statements.some(text => /select oid, size, encode\(z, 'base64'\) as z from git_object/.test(text));
    const bodies: Buffer[] = [without.bytes];
    const reads = await gateway.statements(async () => bodies.push((await download(gateway, path)).bytes));
    expect([readsContents(reads), files().length]).toEqual([true, before + 1]);
    for (const one of [gateway, second]) {
      let answer = without;
      const statements = await one.statements(async () => {
        answer = await download(one, path);
      });
      expect(readsContents(statements)).toBe(false);
      const names = [...without.headers.keys()].filter(name => !['date', 'x-request-id'].includes(name));
      expect(names.map(name => [name, answer.headers.get(name)])).toEqual(
        names.map(name => [name, without.headers.get(name)]),
      );
      bodies.push(answer.bytes);
    }
    expect(bodies.map(body => body.equals(without.bytes))).toEqual([true, true, true, true]);
    expect(files().filter(name => name.endsWith('.tmp'))).toEqual([]);
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(files().map(name => statSync(join(folder, name)).mode & 0o077)).toEqual(files().map(() => 0));
  },
);

test('access is checked before the cache', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  await world.commit({ 'secret.txt': 'secret' });
  const path = pathOf(world, 'legacy.zip');
  expect((await download(gateway, path, token)).status).toBe(200);
  expect((await download(gateway, path, token)).status).toBe(200);
  expect((await download(gateway, path)).status).toBe(404);
  const open = await newWorld(gateway, token);
  await open.commit({ 'secret.txt': 'secret' });
  const opened = pathOf(open, 'legacy.zip');
  expect((await download(gateway, opened)).status).toBe(200);
  await sql`update repository set is_private = true where id = ${open.id}`.execute(gateway.database.sql);
  expect((await download(gateway, opened)).status).toBe(404);
  expect((await download(second, opened, token)).status).toBe(200);
});

test('a client that disconnects leaves no file', async () => {
  const world = await newWorld(gateway, token);
  const noise = Array.from({ length: 8 }, (_, at) => [`noise-${at}`, randomBytes(900_000)]);
  await world.commit(Object.fromEntries(noise));
  const before = files();
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${gateway.url}${pathOf(world, 'legacy.zip')}`, response => {
      response.once('data', () => {
        expect(files().filter(name => name.endsWith('.tmp')).length).toBe(1);
        response.once('close', () => resolve());
        response.destroy();
      });
    });
    sent.on('error', reject);
    sent.end();
  });
  // The gateway may notice later than the client that the connection is closed.
  while (files().some(name => name.endsWith('.tmp'))) await new Promise(setImmediate);
  expect(files().toSorted()).toEqual(before.toSorted());
  expect((await download(gateway, pathOf(world, 'legacy.zip'))).status).toBe(200);
  expect(files().length).toBe(before.length + 1);
});

const key = Buffer.alloc(32, 1);
const idOf = (at: number): ArchiveId => ({
  repositoryId: 1,
  commit: `${at}`.padStart(40, '0'),
  format: 'zip',
  prefix: 'x/',
});

async function* piecesOf(size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += 1000) yield Buffer.alloc(1000, 7);
}

/** Whether the archive was produced for this read, and its size. */
async function read(cache: ArchiveCache, at: number, size: number): Promise<{ isProduced: boolean; size: number }> {
  let isProduced = false;
  let bytes = 0;
  const pieces = cache.read(idOf(at), () => {
    isProduced = true;
    return piecesOf(size);
  });
  for await (const piece of pieces) bytes += piece.length;
  return { isProduced, size: bytes };
}

test('the least recently used archives are deleted, in bytes and in number', async () => {
  const own = newFolder();
  const cache = new ArchiveCache({ folder: own, key, maxBytes: 100_000, maxFiles: 8 });
  for (let at = 0; at < 5; at++) {
    expect(await read(cache, at, 20_000)).toEqual({ isProduced: true, size: 20_000 });
    // Clocks of file systems are coarse: each archive is given a time of its own.
    for (const name of readdirSync(own)) {
      const path = join(own, name);
      if (Date.now() - statSync(path).mtimeMs < 60_000)
        utimesSync(path, new Date(), new Date(Date.now() - 3_600_000 + at * 60_000));
    }
  }
  expect((await read(cache, 0, 20_000)).isProduced).toBe(false);
  // 120 KB: down to 80 KB, from the one that was not used for longest.
  expect((await read(cache, 5, 20_000)).isProduced).toBe(true);
  expect(readdirSync(own).length).toBe(4);
  const kept = [];
  for (const at of [0, 5, 4, 3]) kept.push((await read(cache, at, 20_000)).isProduced);
  expect(kept).toEqual([false, false, false, false]);
  for (let at = 10; at < 30; at++) await read(cache, at, 1_000);
  expect(readdirSync(own).length).toBeLessThanOrEqual(8);
  // More than a quarter of the cache is passed on and not stored.
  const count = readdirSync(own).length;
  expect(await read(cache, 40, 30_000)).toEqual({ isProduced: true, size: 30_000 });
  expect(await read(cache, 40, 30_000)).toEqual({ isProduced: true, size: 30_000 });
  expect(readdirSync(own).length).toBe(count);
});

test('files of crashed processes are ignored and deleted, and so are archives that nobody uses', async () => {
  const own = newFolder();
  await read(new ArchiveCache({ folder: own, key, maxBytes: 100_000 }), 1, 5_000);
  const [unused = ''] = readdirSync(own);
  const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000);
  utimesSync(join(own, unused), hours(25), hours(25));
  writeFileSync(join(own, 'crashed.tmp'), 'half');
  utimesSync(join(own, 'crashed.tmp'), hours(1), hours(1));
  writeFileSync(join(own, 'written.tmp'), 'half');
  const restarted = new ArchiveCache({ folder: own, key, maxBytes: 100_000 });
  expect(await read(restarted, 2, 5_000)).toEqual({ isProduced: true, size: 5_000 });
  const left = readdirSync(own);
  expect(left.length).toBe(2);
  expect(left).toContain('written.tmp');
  expect((await read(restarted, 2, 5_000)).isProduced).toBe(false);
  expect((await read(restarted, 1, 5_000)).isProduced).toBe(true);
});

test('an archive that fails half-way is not stored, and a folder that cannot be written fails no download', async () => {
  const own = newFolder();
  const cache = new ArchiveCache({ folder: own, key, maxBytes: 100_000 });
  const failing = cache.read(idOf(1), async function* () {
    yield Buffer.alloc(1000);
    throw new Error('half-way');
  });
  const readAll = async (): Promise<void> => {
    for await (const piece of failing) expect(piece.length).toBe(1000);
  };
  await expect(readAll()).rejects.toThrow('half-way');
  expect(readdirSync(own)).toEqual([]);
  const file = join(own, 'file');
  writeFileSync(file, '');
  const broken = new ArchiveCache({ folder: join(file, 'archives'), key, maxBytes: 100_000 });
  expect(await read(broken, 1, 5_000)).toEqual({ isProduced: true, size: 5_000 });
});

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { FsckFindings } from '../../../src/git/fsck-messages.ts';
import { createObject } from '../../../src/git/object.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { fetchSource } from '../../../src/hosting/source-imports/fetch-source.ts';
import { cleanUpImports } from '../../../src/hosting/source-imports/source-imports.tasks.ts';
import { openOutboundClient } from '../../../src/outbound/outbound-client.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { gitServer } from '../../harness/git-server.ts';
import { testSecret } from '../../harness/secret.ts';
import { importWorld } from './import-world.ts';

const patient = await importWorld({ settings: { SOURCE_IMPORT_MAX_MB: '4' } });
// A separate world, so that slow imports do not block other tests.
const hasty = await importWorld({ settings: { SOURCE_IMPORT_SECONDS: '4' } });

/** The header of a pack entry: type and size. */
function entry(type: number, size: number, content: Buffer, base?: string): Buffer {
  const head: number[] = [];
  let rest = Math.floor(size / 16);
  head.push((type << 4) | (size % 16) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    head.push(low | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.concat([Buffer.from(head), Buffer.from(base ?? '', 'hex'), deflateSync(content)]);
}

function pack(entries: Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
    if (rest === 0) return bytes;
  }
};

/** A delta that copies the first 64 KiB of its base so many times. */
function copies(baseSize: number, times: number): Buffer {
  // Without offset and size bytes, git assumes 0 and 65,536.
  return Buffer.from([...varint(baseSize), ...varint(65_536 * times), ...Array.from({ length: times }, () => 0x80)]);
}

const person = 'A <a@example.org> 1700000000 +0000';
const tree = createObject('tree', Buffer.alloc(0));
const commit = createObject('commit', Buffer.from(`tree ${tree.oid}\nauthor ${person}\ncommitter ${person}\n\nOne\n`));
const zeros = createObject('blob', Buffer.alloc(65_536));
const honest = [entry(1, commit.content.length, commit.content), entry(2, 0, tree.content)];
const good = pack(honest);
const flipped = Buffer.from(good);
flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
const short = good.subarray(0, good.length - 30);
// About 400 bytes that expand to 13 GB.
const delta = copies(65_536, 200_000);
const bomb = pack([...honest, entry(3, zeros.content.length, zeros.content), entry(7, delta.length, delta, zeros.oid)]);

const line = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
const packs: Record<string, Buffer> = {
  good,
  leading: good,
  flipped,
  short,
  bomb,
  // An uncompressed file of five bytes. Random bytes could claim a size that no memory holds.
  garbage: Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x02\x35', 'latin1'), Buffer.alloc(3000, 0xff)]),
  none: Buffer.from('no pack at all'),
};
const hanging = new Set<ServerResponse>();
const closed: string[] = [];
const big = SystemGit.create();
big.bytes(['hash-object', '-w', '--stdin'], { input: 'x' });
const blob = big
  .bytes(['hash-object', '-w', '--stdin'], { input: randomBytes(9_000_000) })
  .toString()
  .trim();
big.run('update-index', '--add', '--cacheinfo', `100644,${blob},big.bin`);
big.run('commit', '-q', '-m', 'Big');

const server = await gitServer({
  repositories: { big: join(big.path, '.git') },
  before(request, response) {
    const { pathname, search } = new URL(request.url ?? '', 'http://x');
    const [, name = '', rest = ''] = /^\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
    if (name === 'big') return false;
    const hang = (): true => {
      hanging.add(response);
      response.on('close', () => closed.push(name));
      return true;
    };
    if (name === 'silent') return hang();
    if (rest === '/info/refs' && search === '?service=git-upload-pack' && name === 'babble') {
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' }).end('zzzz\0nonsense');
      return true;
    }
    if (rest === '/info/refs' && search === '?service=git-upload-pack' && (packs[name] || name === 'stalled')) {
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' });
      const refs = [line(`${commit.oid} HEAD\0symref=HEAD:refs/heads/main\n`), line(`${commit.oid} refs/heads/main\n`)];
      response.end(
        Buffer.concat([line('# service=git-upload-pack\n'), Buffer.from('0000'), ...refs, Buffer.from('0000')]),
      );
      return true;
    }
    if (rest === '/git-upload-pack' && name === 'leading') {
      response.writeHead(302, { Location: '/good/git-upload-pack' }).end();
      return true;
    }
    if (rest === '/git-upload-pack') {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' });
      response.write(line('NAK\n'));
      if (name === 'stalled') return hang();
      response.end(packs[name]);
      return true;
    }
    return false;
  },
});

test('bad sources are refused with a message, excessive ones are aborted, and nothing is left', async () => {
  const expected: Record<string, { status: string; error_message?: unknown }> = {
    good: { status: 'complete' },
    flipped: {
      status: 'error',
      error_message: 'git could not fetch the source: fatal: pack is corrupted (SHA1 mismatch)',
    },
    short: { status: 'error', error_message: expect.stringMatching(/^git could not fetch the source: /) },
    garbage: { status: 'error', error_message: expect.stringMatching(/^git could not fetch the source: /) },
    none: { status: 'error', error_message: expect.stringMatching(/^git could not fetch the source/) },
    babble: { status: 'error', error_message: expect.stringMatching(/^git could not fetch the source/) },
    bomb: {
      status: 'error',
      error_message: 'The source holds an object that needs more memory than this installation gives it.',
    },
    big: { status: 'error', error_message: expect.stringMatching(/^The source is larger than /) },
    stalled: { status: 'error', error_message: 'This step took longer than 4 seconds.' },
    silent: { status: 'error', error_message: expect.stringMatching(/There was no answer in time|took longer/) },
  };
  const runs = Object.keys(expected).map(async name => {
    const { ask, settled, target, gateway } = name.startsWith('s') && name !== 'short' ? hasty : patient;
    const { id, path } = await target();
    const { status } = await ask('PUT', path, '', { vcs_url: `${server.url}/${name}`, vcs: 'git' });
    expect(status).toBe(201);
    const told = await settled(path, 90_000);
    const refs = await gateway.database.read(sql`select 1 from git_ref where repository_id = ${id}`);
    return { name, refs, told };
  });
  for (const { name, refs, told } of await Promise.all(runs)) {
    expect({ name, told }).toMatchObject({ name, told: expected[name] });
    if (name !== 'good') {
      expect({ name, step: told.failed_step }).toEqual({ name, step: 'importing' });
      expect({ name, refs }).toEqual({ name, refs: [] });
    }
  }
  // git itself has ended: its connection is closed.
  const end = Date.now() + 10_000;
  while (!closed.includes('stalled') && Date.now() < end) await new Promise(resolve => setTimeout(resolve, 50));
  expect(closed).toContain('stalled');
}, 120_000);

test('an import without a job fails; unused directories and credentials are deleted', async () => {
  const { gateway, target, ask } = hasty;
  const [lost, waiting] = [await target(), await target()];
  await sql`insert into source_import (repository_id, vcs_url, status, credentials, may_change_workflows, created_at, updated_at)
    values (${lost.id}, 'https://a.example', 'mapping', null, true, now(), '2026-11-01T11:00:00Z'),
      (${waiting.id}, 'https://a.example', 'auth_failed', 'v1.sealed', true, now(), '2026-10-01T11:00:00Z')`.execute(
    gateway.database.sql,
  );
  const PORTICO_DATA = join(tmpdir(), `portico-test-${process.pid}`);
  const stray = join(PORTICO_DATA, 'imports', 'stray');
  const young = join(PORTICO_DATA, 'imports', 'young');
  for (const path of [stray, young]) mkdirSync(path, { recursive: true });
  utimesSync(stray, 1_700_000_000, 1_700_000_000);
  const config = readConfig({ PORTICO_DATA, SECRET_KEY: testSecret });
  const { database, clock } = gateway;
  const outbound = openOutboundClient({ allow: [] });
  await cleanUpImports({
    context: {
      ...unlimitedSource(database.read),
      transaction: work => inTransaction(database, work),
      now: () => clock.now,
    },
    config,
    keys: deriveKeys(config),
    outbound,
    pool: database.pools.jobs,
    longWork: undefined,
  });
  await outbound.close();
  expect((await ask('GET', lost.path)).json).toMatchObject({
    status: 'error',
    failed_step: 'mapping',
    error_message: 'The work on this import was interrupted too often.',
  });
  const kept = await database.read(sql`select credentials from source_import where repository_id = ${waiting.id}`);
  expect([kept, existsSync(stray), existsSync(young)]).toEqual([[{ credentials: null }], false, true]);
});

test('git connects to the checked address and follows no redirect', async () => {
  const outbound = openOutboundClient({ allow: ['source.test'] });
  const { port } = new URL(server.url);
  const fetch = (name: string) =>
    fetchSource(
      // No name server knows this name: a connection proves that git was given the address.
      { ...outbound, resolveAddresses: async () => ['127.0.0.1'] },
      {
        url: `http://source.test:${port}/${name}`,
        credentials: undefined,
        folder: folder(),
        signal: AbortSignal.timeout(60_000),
        limits: { maxFileBytes: 1e8, maxMemoryBytes: 2 ** 31 },
        stallTimeoutSeconds: 30,
        findings: new FsckFindings(),
        onProgress: () => {},
      },
    );
  const path = await fetch('good');
  expect(new SystemGit(path).run('rev-parse', 'refs/heads/main')).toBe(commit.oid);
  await expect(fetch('leading')).rejects.toThrow(/redirect|302/);
  await outbound.close();
}, 60_000);

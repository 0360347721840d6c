import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl } from './git-client.ts';

const data = mkdtempSync(join(tmpdir(), 'portico-full-disk-'));
const small = join(data, 'git');
mkdirSync(small);
// A file system of its own needs the right to mount; without it the tests are skipped and counted as skipped.
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small]).status === 0;
const suite = isMounted ? describe : describe.skip;

afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', small]);
  rmSync(data, { recursive: true, force: true });
});
const gateway = await testGateway({ settings: { PORTICO_DATA: data } });
const token = (await demoOf(gateway)).users.wren.classic_token;

suite('a full disk', () => {
  test('refuses a push with a reason and stores nothing; with room again everything works', async () => {
    const world = await newWorld(gateway, token);
    const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
    const clone = await Clone.empty();
    await clone.commit({ 'b.txt': 'two' });
    // Nothing is on the disk that could be deleted meanwhile: a copy of a repository is made by the first clone.
    await clone.run('ls-remote', url);
    const filler = join(small, 'filler');
    // tmpfs takes what fits and fails for the rest.
    expect(() => writeFileSync(filler, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
    const refused = await clone.attempt('push', url, 'main');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/no room|503/);
    const other = await new Clone().attempt('clone', remoteUrl(gateway.url, 'harbor-lab/compass', token), '.');
    expect(other.stderr).toMatch(/no room|503/);
    const stored = await gateway.database.read(sql`
      select count(*)::int as n from git_object where repository_id = ${world.id}`);
    expect(stored).toEqual([{ n: 0 }]);
    // REST writes to PostgreSQL alone.
    expect((await world.put('/contents/c.txt', { message: 'c', content: 'Yw==' })).status).toBe(201);
    rmSync(filler);
    await clone.run('push', '-q', url, 'main:side');
    await (await Clone.of(url, '--mirror')).run('fsck', '--strict');
  });
});

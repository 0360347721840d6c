import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { deleteRef } from '../harness/git-mutations.ts';
import { call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

const data = temporaryFolder();
const gateway = await testGateway({ settings: { PORTICO_DATA: data } });
const demo = await demoOf(gateway);
const compass = 'harbor-lab/compass';
const url = remoteUrl(gateway.url, compass);
const { wren, linh } = demo.users;

/** Ids of the refs of a repository as stored. */
async function storedRefs(repository: string): Promise<string[]> {
  const rows = await gateway.database.read(sql<{ line: string }>`
    select encode(g.oid, 'hex') || ' ' || g.name as line from git_ref g join repository r on r.id = g.repository_id
    join account o on o.id = r.owner_id where o.login || '/' || r.name = ${repository} order by g.name`);
  return rows.map(({ line }) => line);
}

const mirrored = (clone: Clone): Promise<string[]> =>
  clone.run('for-each-ref', '--format=%(objectname) %(refname)').then(text => text.split('\n').sort());

describe('clone', () => {
  test.each([0, 1, 2])('protocol v%i: all refs, fsck clean', async version => {
    const clone = await Clone.of(url, '--mirror', '-c', `protocol.version=${version}`);
    await clone.run('fsck', '--strict', '--full');
    expect(await mirrored(clone)).toEqual((await storedRefs(compass)).sort());
    expect(await clone.run('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  test('the same without .git, and with the ids that REST says', async () => {
    const clone = await Clone.of(url.replace(/\.git$/, ''));
    const head = await clone.run('rev-parse', 'HEAD');
    const { json } = await call(gateway, 'GET', `/repos/${compass}/git/commits/${head}`);
    expect(json.tree.sha).toBe(await clone.run('rev-parse', 'HEAD^{tree}'));
  });

  test.each([0, 2])('shallow, deepened and made complete with protocol v%i', async version => {
    const option = ['-c', `protocol.version=${version}`];
    const clone = await Clone.of(url, ...option, '--depth=1');
    expect(await clone.run('rev-list', '--count', 'HEAD')).toBe('1');
    await clone.run('fetch', '-q', '--deepen=1');
    expect(Number(await clone.run('rev-list', '--count', 'HEAD'))).toBeGreaterThan(1);
    await clone.run('fetch', '-q', '--unshallow');
    const whole = await Clone.of(url, ...option);
    expect(await clone.run('rev-list', 'HEAD')).toBe(await whole.run('rev-list', 'HEAD'));
    await clone.run('fsck', '--strict');
  });

  test.each([
    ['blob:none', 0],
    ['blob:none', 2],
    ['tree:0', 2],
  ])('partial with --filter=%s and protocol v%i; what is missing comes later', async (filter, version) => {
    const clone = await Clone.of(url, '-c', `protocol.version=${version}`, `--filter=${filter}`, '--no-checkout');
    expect(await clone.run('rev-list', '--objects', '--all', '--missing=print')).toMatch(/^\?/m);
    await clone.run('checkout', '-q', 'main');
    const whole = await Clone.of(url);
    expect(await clone.run('ls-files', '-s')).toBe(await whole.run('ls-files', '-s'));
  });

  test('an empty repository, and its default branch', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    for (const version of [0, 2]) {
      const at = remoteUrl(gateway.url, `${world.owner}/${world.name}`);
      const { code, stderr } = await runGit(temporaryFolder(), ['-c', `protocol.version=${version}`, 'clone', at, '.']);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('empty repository') });
    }
  });

  test('a write over REST is in the next fetch, also after a forced move and with a copy that was deleted', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const first = await world.commit({ 'a.txt': 'one', 'dir/b.txt': 'two' });
    const clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`));
    expect(await clone.run('rev-parse', 'HEAD')).toBe(first);
    const { json } = await world.put('/contents/c.txt', { message: 'c', content: 'Yw==' });
    await clone.run('pull', '-q');
    expect(await clone.run('rev-parse', 'HEAD')).toBe(json.commit.sha);
    for (const name of readdirSync(join(data, 'git'))) rmSync(join(data, 'git', name), { recursive: true });
    await world.put('/contents/d.txt', { message: 'd', content: 'ZA==' });
    await clone.run('pull', '-q');
    await clone.run('fsck', '--strict');
    expect(await clone.run('ls-files')).toBe('a.txt\nc.txt\nd.txt\ndir/b.txt');
  });

  test('a copy may be deleted at any time, also while it is repacked', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    for (let at = 0; at < 5; at++) await world.commit({ [`${at}.txt`]: `${at}\n`.repeat(5_000) });
    const own = remoteUrl(gateway.url, `${world.owner}/${world.name}`);
    for (let round = 0; round < 12; round++) {
      const clone = await Clone.of(own, '--mirror');
      await clone.run('fsck', '--strict');
      // The copy is repacked now.
      for (const process of readdirSync(join(data, 'git'))) {
        for (const name of readdirSync(join(data, 'git', process))) {
          if (name.startsWith(`${world.id}-`))
            rmSync(join(data, 'git', process, name), { recursive: true, force: true, maxRetries: 20 });
        }
      }
    }
  }, 60_000);

  test('many fetches of small changes leave few packs, and the copy stays complete', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`));
    for (let at = 0; at < 30; at++) {
      await world.commit({ [`${at}.txt`]: `${at}` });
      await clone.run('pull', '-q');
    }
    const packs = (): number =>
      readdirSync(join(data, 'git')).flatMap(process =>
        readdirSync(join(data, 'git', process))
          .filter(name => name.startsWith(`${world.id}-`))
          .flatMap(name => readdirSync(join(data, 'git', process, name, 'objects', 'pack')))
          .filter(name => name.endsWith('.pack')),
      ).length;
    // They are merged after the answer. Waiting longer than the test may take fails it.
    while (packs() > 12) await call(gateway, 'GET', '/livez');
    const whole = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`), '--mirror');
    await whole.run('fsck', '--strict', '--full');
    expect(await whole.run('rev-list', '--count', 'main')).toBe('31');
  }, 60_000);

  test('large blobs come complete', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const large = Buffer.alloc(3_500_000, 'portico ');
    await world.commit({ 'large.bin': large });
    const clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`));
    expect(statSync(join(clone.path, 'large.bin')).size).toBe(large.length);
    await clone.run('fsck', '--strict');
  });
});

describe('what no ref reaches', () => {
  test.each([0, 2])('is refused, though it is stored (protocol v%i)', async version => {
    const world = await newWorld(gateway, wren.classic_token);
    const kept = await world.commit({ 'a.txt': 'one' });
    const secret = await world.commit({ 'a.txt': 'a secret' }, { branch: 'oops' });
    const at = remoteUrl(gateway.url, `${world.owner}/${world.name}`);
    const option = `protocol.version=${version}`;
    // The copy has it now.
    await Clone.of(at, '-c', option, '--mirror');
    const answer = await graphql(gateway, `mutation { ${deleteRef(world, 'refs/heads/oops')} }`, wren.classic_token);
    expect(answer.errors).toBeUndefined();
    const clone = await Clone.empty();
    const { code, stderr } = await clone.attempt('-c', option, 'fetch', at, secret);
    expect({ code, stderr }).toMatchObject({ code: 128, stderr: expect.stringContaining('not our ref') });
    await clone.run('-c', option, 'fetch', '-q', at, kept);
    expect((await clone.attempt('cat-file', '-e', secret)).code).not.toBe(0);
  });

  test('what is only in a fork is not served by its parent, nor the other way round', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const parent = remoteUrl(gateway.url, `${world.owner}/${world.name}`);
    const answer = await graphql(
      gateway,
      'mutation($input: ForkRepositoryInput!) { forkRepository(input: $input) { repository { nameWithOwner } } }',
      linh.classic_token,
      { input: { repository: { named: { owner: world.owner, name: world.name } } } },
    );
    const { nameWithOwner } = answer.data.forkRepository.repository;
    const fork = await Clone.of(remoteUrl(gateway.url, nameWithOwner, linh.classic_token));
    const inFork = await fork.commit({ 'b.txt': 'only in the fork' });
    await fork.run('push', '-q', 'origin', 'main');
    const inParent = await world.commit({ 'c.txt': 'only in the parent' });
    await Promise.all([Clone.of(parent), Clone.of(remoteUrl(gateway.url, nameWithOwner))]);
    const clone = await Clone.empty();
    expect((await clone.attempt('fetch', parent, inFork)).stderr).toContain('not our ref');
    expect((await clone.attempt('fetch', remoteUrl(gateway.url, nameWithOwner), inParent)).stderr).toContain(
      'not our ref',
    );
  });

  test('an object of another repository is not served', async () => {
    const world = await newWorld(gateway, wren.classic_token, { isPrivate: true });
    const secret = await world.commit({ 'a.txt': 'private' });
    await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, wren.classic_token));
    const clone = await Clone.empty();
    expect((await clone.attempt('fetch', url, secret)).stderr).toContain('not our ref');
  });
});

test('stale names lead on by a redirect', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.txt': 'one' });
  await graphql(
    gateway,
    'mutation($input: UpdateRepositoryInput!) { updateRepository(input: $input) { repository { name } } }',
    wren.classic_token,
    { input: { repositoryId: await globalIdOf(gateway, `${world.owner}/${world.name}`), name: `${world.name}-now` } },
  );
  const service = '/info/refs?service=git-upload-pack';
  const { status, headers } = await gateway.request(`/${world.owner}/${world.name}.git${service}`);
  expect([status, headers.get('location')]).toEqual([
    301,
    `${gateway.url}/${world.owner}/${world.name}-now.git${service}`,
  ]);
  const clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`));
  expect(await clone.run('ls-files')).toBe('a.txt');
});

import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { ruleset, suitesOf } from '../hosting/rules/push-methods.ts';
import { Clone, remoteUrl, runGit } from './git-client.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;

async function cloned(): Promise<{ world: World; clone: Clone }> {
  const world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one\n' });
  return { world, clone: await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, token)) };
}

/** Only messages that begin with Fix are allowed on main. */
const protectMain = (world: World): Promise<unknown> =>
  ruleset(gateway, world, token, {
    target: 'branch',
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'Fix' } }],
  });

/** Ids of the objects that are stored, of those that the refs reach, and the commits that are still to be indexed. */
async function storedObjects({ id, owner, name }: World): Promise<{ stored: string[]; reachable: string[] }> {
  const rows = await gateway.database.read(
    sql<{ oid: string }>`select encode(oid, 'hex') as oid from git_object where repository_id = ${id} order by 1`,
  );
  const mirror = await Clone.of(remoteUrl(gateway.url, `${owner}/${name}`, token), '--mirror');
  await mirror.run('fsck', '--strict');
  const listed = await mirror.run('rev-list', '--objects', '--no-object-names', '--all');
  return { stored: rows.map(({ oid }) => oid), reachable: listed.split('\n').sort() };
}

async function nothingIsSpare(world: World): Promise<void> {
  const { stored, reachable } = await storedObjects(world);
  expect(stored).toEqual(reachable);
  const [row] = await gateway.database.read(sql<{ orphans: number }>`
    select count(*)::int as orphans from git_unindexed_commit q where repository_id = ${world.id}
      and not exists (select 1 from git_object o where o.repository_id = q.repository_id and o.oid = q.oid)`);
  expect(row).toEqual({ orphans: 0 });
}

/** Files of one commit on a branch, on top of main, by fast-import: `prefix` makes their contents differ. */
function manyFiles(branch: string, count: number, prefix: string): string {
  let stream = `reset refs/heads/${branch}\nfrom refs/remotes/origin/main\n\ncommit refs/heads/${branch}\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n`;
  for (let at = 0; at < count; at++) {
    const text = `${prefix} ${at}`;
    stream += `M 100644 inline ${prefix}${at % 30}/f${at}\ndata ${text.length}\n${text}\n`;
  }
  return stream;
}

describe('a push of several refs without --atomic', () => {
  test('makes what the rules allow, and stores nothing of the rest', async () => {
    const { world, clone } = await cloned();
    await protectMain(world);
    await clone.run('checkout', '-q', '-b', 'free');
    await clone.commit({ 'free.txt': 'free' }, 'Anything');
    await clone.run('checkout', '-q', 'main');
    await clone.commit({ 'main.txt': 'refused' }, 'Not so');
    const { code, stderr } = await clone.attempt('push', 'origin', 'main', 'free', 'main~1:refs/heads/more');
    expect(code).toBe(1);
    expect(stderr).toMatch(/main -> main \(push declined due to repository rule violations\)/);
    expect(stderr).toMatch(/\[new branch\] +free -> free/);
    expect(stderr).toMatch(/\[new branch\] +main~1 -> more/);
    await nothingIsSpare(world);
    // One suite for the refused ref alone: no rule is about the others.
    expect(await suitesOf(gateway, world)).toMatchObject([{ ref: 'refs/heads/main', result: 'fail' }]);
  });

  test('also with more objects than memory takes', async () => {
    const { world, clone } = await cloned();
    await protectMain(world);
    const input = manyFiles('free', 1_500, 'free') + manyFiles('bad', 1_500, 'bad');
    await runGit(clone.path, ['fast-import', '--quiet'], { input });
    await clone.run('tag', '-a', '-m', 'Tag', 'v1', 'free');
    const { stderr } = await clone.attempt('push', 'origin', 'bad:main', 'free', 'v1');
    expect(stderr).toMatch(/bad -> main \(push declined/);
    expect(stderr).toMatch(/\[new branch\] +free -> free/);
    expect(stderr).toMatch(/\[new tag\] +v1 -> v1/);
    await nothingIsSpare(world);
  });

  test('a moved ref, a bad name, a name below another ref and the default branch refuse themselves only', async () => {
    const { world, clone } = await cloned();
    const other = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, token));
    await other.commit({ 'b.txt': 'first' });
    await other.run('push', '-q', 'origin', 'main');
    await clone.run('checkout', '-q', '-b', 'extra');
    await clone.commit({ 'extra.txt': 'extra' });
    await clone.run('checkout', '-q', 'main');
    await clone.commit({ 'b.txt': 'late' });
    const { stderr } = await clone.attempt(
      'push',
      // The client would refuse by itself what is no fast-forward of what it has been told.
      `--force-with-lease=main:${await clone.run('rev-parse', 'main~1')}`,
      'origin',
      'main',
      'extra',
      'extra:refs/heads/extra/below',
    );
    expect(stderr).toMatch(/main -> main \(stale info\)|main -> main \(fetch first\)/);
    expect(stderr).toMatch(/extra -> extra\/below \(.*cannot be made/);
    expect(stderr).toMatch(/\[new branch\] +extra -> extra\n/);
    const named = await clone.attempt('push', 'origin', ':main', `extra:refs/heads/${'0'.repeat(40)}`, 'extra:again');
    expect(named.stderr).toMatch(/main \(deletion of the current branch prohibited\)/);
    expect(named.stderr).toMatch(/funny refname/);
    expect(named.stderr).toMatch(/\[new branch\] +extra -> again/);
    await nothingIsSpare(world);
  });

  test('with --atomic nothing is made', async () => {
    const { world, clone } = await cloned();
    await protectMain(world);
    await clone.commit({ 'main.txt': 'refused' }, 'Not so');
    const { stderr } = await clone.attempt('push', '--atomic', 'origin', 'main', 'main~1:refs/heads/more');
    expect(stderr).toMatch(/main~1 -> more \(another ref of this push was refused\)/);
    await nothingIsSpare(world);
  });
});

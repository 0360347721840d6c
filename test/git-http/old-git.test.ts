import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { remoteUrl, runGit, temporaryFolder } from './git-client.ts';

// biome-ignore lint/style/noProcessEnv: where an older git is unpacked; without it these tests are skipped and counted as skipped.
const { PORTICO_OLD_GIT: root = '' } = process.env;
const program = join(root, 'bin', 'git');
const suite = root !== '' && existsSync(program) ? describe : describe.skip;

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;

suite('an older git', () => {
  /** Runs it in a folder, with one version of the protocol. */
  const gitIn =
    (folder: string, version: number) =>
    async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runGit(folder, ['-c', `protocol.version=${version}`, ...args], {
        program,
        env: { GIT_EXEC_PATH: join(root, 'lib', 'git-core') },
      });
      if (code !== 0) throw new Error(`git ${args.join(' ')} ended (${code}): ${stderr}`);
      return stdout.trim();
    };

  test('is older than the git of the server', async () => {
    const [old, own] = [await gitIn(temporaryFolder(), 0)('--version'), await runGit(temporaryFolder(), ['--version'])];
    expect(old).toMatch(/^git version 2\.\d+/);
    expect(old).not.toBe(own.stdout.trim());
  });

  test.each([0, 1, 2])('clones, fetches, pushes, tags and deletes with protocol v%i', async version => {
    const world = await newWorld(gateway, token);
    await world.commit({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' });
    await world.commit({ 'a.txt': 'three\n' });
    const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
    const git = gitIn(temporaryFolder(), version);
    await git('clone', '-q', url, '.');
    await git('commit', '-q', '--allow-empty', '-m', 'By an older git');
    await git('tag', '-a', '-m', 'First', 'v1');
    await git('push', '-q', 'origin', 'main', 'v1', 'main:refs/heads/side');
    const head = await git('rev-parse', 'HEAD');
    const { json } = await call(gateway, 'GET', `/repos/${world.owner}/${world.name}/git/commits/${head}`);
    expect(json.tree.sha).toBe(await git('rev-parse', 'HEAD^{tree}'));
    await git('push', '-q', 'origin', '--delete', 'side');
    const written = await world.commit({ 'c.txt': 'four\n' });
    await git('pull', '-q', '--ff-only', 'origin', 'main');
    expect(await git('rev-parse', 'HEAD')).toBe(written);
    await git('fsck', '--strict', '--full');

    const shallow = gitIn(temporaryFolder(), version);
    await shallow('clone', '-q', '--depth=1', url, '.');
    expect(await shallow('rev-list', '--count', 'HEAD')).toBe('1');
    await shallow('fetch', '-q', '--unshallow', '--tags');
    expect(await shallow('rev-parse', 'v1^{commit}')).toBe(head);
    const partial = gitIn(temporaryFolder(), version);
    await partial('clone', '-q', '--filter=blob:none', '--no-checkout', url, '.');
    expect(await partial('rev-list', '--objects', '--all', '--missing=print')).toMatch(/^\?/m);
    await partial('checkout', '-q', 'main');
    expect(await partial('ls-remote', '--heads', 'origin')).toBe(`${written}\trefs/heads/main`);
  });
});

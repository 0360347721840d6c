import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl, temporaryFolder } from './git-client.ts';

const folder = temporaryFolder();
// biome-ignore lint/style/noProcessEnv: the gateway finds git there.
const { PATH = '' } = process.env;

/**
 * A git whose `index-pack` does what the files of the test say: `burn-…` takes CPU time, longer than a push may idle and less than the
 * check of a pack may take; `sleep-…` takes none.
 */
writeFileSync(
  join(folder, 'git'),
  `#!/bin/sh
PATH='${PATH}'
burn() { timeout --foreground "$1" sh -c 'while :; do :; done'; }
case " $* " in
  *' index-pack '*) git "$@" || exit
    [ -e ${folder}/burn-push ] && burn 4
    [ -e ${folder}/sleep-push ] && sleep 60
    exit 0;;
esac
exec git "$@"
`,
);
chmodSync(join(folder, 'git'), 0o755);
// biome-ignore lint/style/noProcessEnv: as above.
process.env.PATH = `${folder}:${PATH}`;
afterAll(() => {
  // biome-ignore lint/style/noProcessEnv: as above.
  process.env.PATH = PATH;
});

const during = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  writeFileSync(join(folder, name), '');
  try {
    return await work();
  } finally {
    rmSync(join(folder, name));
  }
};

const gateway = await testGateway({ settings: { REQUEST_TIMEOUT_MS: '1000', GIT_IDLE_TIMEOUT_MS: '2000' } });
const { wren } = (await demoOf(gateway)).users;

async function push(): Promise<{ code: number; stderr: string }> {
  const world = await newWorld(gateway, wren.classic_token);
  const clone = await Clone.empty();
  await clone.run('commit', '-q', '--allow-empty', '-m', 'First');
  return clone.attempt('push', remoteUrl(gateway.url, `${world.owner}/${world.name}`, wren.classic_token), 'main');
}

describe('a push whose check goes on after its last byte', () => {
  test('has the documented time while git works', async () => {
    const { code, stderr } = await during('burn-push', push);
    expect([code, stderr]).toEqual([0, expect.stringContaining('main -> main')]);
  }, 60_000);

  test('is cut off when git makes no progress', async () => {
    const { code, stderr } = await during('sleep-push', push);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/503|hung up|disconnect/)]);
    expect(code).not.toBe(0);
  }, 60_000);
});

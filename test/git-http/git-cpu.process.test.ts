import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { temporaryFolder } from './git-client.ts';

const folder = temporaryFolder();
// biome-ignore lint/style/noProcessEnv: the gateway finds git there.
const { PATH = '' } = process.env;

/** A git whose `upload-pack` never ends and takes CPU time, as one that packs a large repository. */
writeFileSync(
  join(folder, 'git'),
  `#!/bin/sh
PATH='${PATH}'
case " $* " in *' upload-pack '*) while :; do :; done;; esac
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

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const token = (await demoOf(gateway)).users.wren.classic_token;

test('the CPU time of git is charged while it is used: an anonymous address is refused, others are not', async () => {
  const headers = (address: string) => ({
    'content-type': 'application/x-git-upload-pack-request',
    'x-forwarded-for': address,
  });
  const probe = (address: string) =>
    gateway.request('/harbor-lab/compass.git/git-upload-pack', {
      method: 'POST',
      headers: headers(address),
      body: '0000',
    });
  const { json } = await gateway.request('/repos/harbor-lab/compass/git/ref/heads/main', {
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'tests' },
  });
  const want = `0032want ${json.object.sha}\n00000009done\n`;
  const leave = new AbortController();
  const fetching = Array.from({ length: 2 }, () =>
    fetch(`${gateway.url}/harbor-lab/compass.git/git-upload-pack`, {
      method: 'POST',
      headers: headers('192.0.2.1'),
      body: want,
      signal: leave.signal,
    }).catch(() => undefined),
  );
  let answer = await probe('192.0.2.1');
  for (let probes = 0; answer.status === 200 && probes < 600; probes++) {
    // Slower than the points of a minute allow.
    await new Promise(later => setTimeout(later, 500));
    answer = await probe('192.0.2.1');
  }
  expect([answer.status, answer.headers.get('retry-after'), answer.text]).toEqual([
    429,
    expect.stringMatching(/^\d+$/),
    expect.stringContaining('secondary rate limit'),
  ]);
  expect((await gateway.metrics()).text).toMatch(/portico_limit_refusals_total\{[^}]*limit="cpu"[^}]*\} 1\n/);
  expect((await probe('192.0.2.2')).status).toBe(200);
  leave.abort();
  await Promise.all(fetching);
}, 400_000);

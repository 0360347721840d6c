import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

const data = temporaryFolder();
const gateway = await testGateway({
  settings: {
    PORTICO_DATA: data,
    GIT_CACHE_MB: '8',
    GIT_PUSH_MAX_MB: '3',
    // Far less than slow clients are given.
    GIT_QUEUE_TIMEOUT_MS: '1000',
    TRUST_PROXY: 'loopback',
  },
});
const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'on' } });
const { wren, linh } = (await demoOf(gateway)).users;
const token = wren.classic_token;

/** Bytes that do not compress. */
function noise(bytes: number, seed: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let state = seed;
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    buffer[at] = state >>> 24;
  }
  return buffer;
}

/** A repository whose clone is larger than the buffers of a connection. */
async function largeWorld(seed: number, bytes = 6_000_000): Promise<{ world: World; head: string }> {
  const world = await newWorld(gateway, token);
  return { world, head: await world.commit({ 'noise.bin': noise(bytes, seed) }) };
}

const pathOf = ({ owner, name }: World): string => `/${owner}/${name}.git`;

const fetchType = 'application/x-git-upload-pack-request';
const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const wantAll = (head: string): string => `${line('command=fetch')}0001${line(`want ${head}\n`)}${line('done\n')}0000`;

/** Asks for a pack and reads none of it. */
async function slowReader(
  world: World,
  head: string,
  caller: Record<string, string> = { authorization: basic('x', token) },
): Promise<IncomingMessage> {
  const sent = httpRequest(`${gateway.url}${pathOf(world)}/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': fetchType, 'git-protocol': 'version=2', ...caller },
    agent: false,
  });
  sent.end(wantAll(head));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

/** Copies of repositories on disk, and their bytes. The gateway may delete one of them while it is read. */
function copies(): Map<string, number> {
  const root = join(data, 'git');
  const found = new Map<string, number>();
  for (const folder of readdirSync(root)) {
    for (const name of readdirSync(join(root, folder)).filter(entry => entry.endsWith('.git'))) {
      const packs = join(root, folder, name, 'objects', 'pack');
      try {
        const files = readdirSync(packs).map(file => statSync(join(packs, file), { throwIfNoEntry: false }));
        found.set(
          name,
          files.reduce((sum, stats) => sum + (stats?.size ?? 0), 0),
        );
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
    }
  }
  return found;
}

/** Waits while a condition holds. Waiting longer than the test may take fails it. */
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await call(gateway, 'GET', '/livez');
}

describe('packs at a time', () => {
  test('ten for a caller; a further one waits in vain, another caller is served, and who leaves makes room', async () => {
    // More than the buffers of the kernel take.
    const { world, head } = await largeWorld(1, 30_000_000);
    const readers = await Promise.all(Array.from({ length: 10 }, () => slowReader(world, head)));
    expect(readers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
    const refused = await gateway.request(`${pathOf(world)}/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': fetchType, 'git-protocol': 'version=2', authorization: basic('x', token) },
      body: wantAll(head),
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    const withToken = ['-c', `http.extraHeader=Authorization: ${basic('x', token)}`];
    const url = `${gateway.url}${pathOf(world)}`;
    const { stderr } = await runGit(temporaryFolder(), [...withToken, 'clone', url, '.']);
    expect(stderr).toContain('503');
    const other = await slowReader(world, head, { authorization: basic('x', linh.classic_token) });
    expect(other.statusCode).toBe(200);
    for (const reader of [...readers, other]) reader.destroy();
    for (;;) {
      const again = await slowReader(world, head);
      again.destroy();
      if (again.statusCode === 200) break;
    }
  }, 60_000);
});

const pushHeaders = {
  'content-type': 'application/x-git-receive-pack-request',
  'content-encoding': 'gzip',
  authorization: basic('x', token),
};
const attemptPush = (world: World) =>
  gateway.request(`${pathOf(world)}/git-receive-pack`, { method: 'POST', headers: pushHeaders, body: 'no gzip' });

describe('slow readers', () => {
  test('at four addresses leave slots to every other caller, and to other repositories', async () => {
    const world = await newWorld(gateway, token);
    const head = await world.commit({ 'noise.bin': randomBytes(14_000_000) });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const attackers = await Promise.all(
      Array.from({ length: 48 }, (_, at) => slowReader(world, head, from(`192.0.2.${at % 4}`))),
    );
    const held = attackers.filter(({ statusCode }) => statusCode === 200);
    expect(held.length).toBeLessThan(48);
    for (const refused of attackers.filter(one => !held.includes(one))) {
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    }
    // One /64 is one address.
    const sixes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => slowReader(world, head, from(`2001:db8::${at}`))),
    );
    expect(sixes.filter(({ statusCode }) => statusCode === 200).length).toBe(held.length / 4);
    for (const caller of [from('198.51.100.1'), { authorization: basic('x', token) }]) {
      const served = await slowReader(world, head, caller);
      expect(served.statusCode).toBe(200);
      served.destroy();
    }
    // Many addresses take what is not reserved.
    const many = await Promise.all(
      Array.from({ length: 24 }, (_, at) => slowReader(world, head, from(`203.0.113.${at}`))),
    );
    expect(many.map(({ statusCode }) => statusCode)).toContain(503);
    const known = await slowReader(world, head, { authorization: basic('x', linh.classic_token) });
    expect(known.statusCode).toBe(200);
    for (const reader of [...attackers, ...sixes, ...many, known]) reader.destroy();
  }, 240_000);

  test('a body that does not arrive holds a slot of its sender, before anything is unpacked', async () => {
    const { world } = await largeWorld(8, 100);
    const url = `${gateway.url}${pathOf(world)}/git-receive-pack`;
    const pending = Array.from({ length: 10 }, () => {
      const sent = httpRequest(url, { method: 'POST', headers: pushHeaders, agent: false });
      sent.once('error', () => {}).flushHeaders();
      return sent;
    });
    for (let status = 0; status !== 503; ) status = (await attemptPush(world)).status;
    for (const one of pending) one.destroy();
    for (let status = 503; status === 503; ) status = (await attemptPush(world)).status;
  }, 60_000);

  test('a sender that leaves while its credential is checked holds no slot', async () => {
    const { world } = await largeWorld(8, 100);
    const url = `${gateway.url}${pathOf(world)}/git-receive-pack`;
    for (let left = 0; left < 40; left++) {
      const sent = httpRequest(url, { method: 'POST', headers: pushHeaders, agent: false });
      sent.once('error', () => {}).flushHeaders();
      const [socket] = (await once(sent, 'socket')) as [Socket];
      await once(socket, 'connect');
      // Some leave before the gateway has read the request, and some while it looks for the account.
      await delay(left % 8);
      sent.destroy();
    }
    for (let status = 503; status === 503 || status === 429; ) status = (await attemptPush(world)).status;
  }, 60_000);
});

describe('copies on disk', () => {
  test('the least recently used are deleted beyond the bound; those in use stay', async () => {
    const worlds = [await largeWorld(2), await largeWorld(3)] as const;
    const [first, second] = worlds;
    const reader = await slowReader(first.world, first.head);
    const clone = await Clone.of(remoteUrl(gateway.url, `${second.world.owner}/${second.world.name}`));
    expect(await clone.run('rev-parse', 'HEAD')).toBe(second.head);
    const isOf = ({ world }: { world: World }) => [...copies().keys()].some(name => name.startsWith(`${world.id}-`));
    // The second is larger than what is left beside the first, which is in use.
    await until(() => !isOf(second));
    expect(isOf(first)).toBe(true);
    reader.resume();
    await once(reader, 'end');
    await Clone.of(remoteUrl(gateway.url, `${second.world.owner}/${second.world.name}`));
    await until(() => [...copies().values()].reduce((sum, bytes) => sum + bytes, 0) <= 8 * 1024 * 1024);
    await Clone.of(remoteUrl(gateway.url, `${first.world.owner}/${first.world.name}`));
  }, 60_000);
});

describe('bodies', () => {
  test('a push of more than the limit', async () => {
    const world = await newWorld(gateway, token);
    const clone = await Clone.empty();
    const { stdout } = await runGit(clone.path, ['hash-object', '-w', '--stdin'], { input: noise(4_000_000, 4) });
    await clone.run('update-index', '--add', '--cacheinfo', `100644,${stdout.trim()},noise.bin`);
    await clone.run('commit', '-q', '-m', 'Noise');
    const { code, stderr } = await clone.attempt(
      'push',
      remoteUrl(gateway.url, `${world.owner}/${world.name}`, token),
      'main',
    );
    expect(code).not.toBe(0);
    expect(stderr).toContain('remote: error: A push may have 3 MB.');
    expect(stderr).toContain('pack exceeds maximum allowed size');
    const refs = await runGit(clone.path, ['ls-remote', remoteUrl(gateway.url, `${world.owner}/${world.name}`, token)]);
    expect(refs.stdout).toBe('');
  });

  test('a request for a pack of more than 10 MB, also when it is compressed', async () => {
    const { world } = await largeWorld(5, 100);
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(Buffer.alloc(11 * 1024 * 1024, '0032want '));
    const { status, text } = await gateway.request(`${pathOf(world)}/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': fetchType, 'content-encoding': 'gzip' },
      body,
    });
    expect([status, text]).toEqual([
      expect.any(Number),
      expect.stringMatching(/more than 64 times|more than 10 MB|length|line/),
    ]);
    expect([400, 413]).toContain(status);
  });

  test('more refs than one push may change', async () => {
    const { world, head } = await largeWorld(6, 100);
    const commands = Array.from({ length: 10_001 }, (_, at) =>
      line(`${'0'.repeat(40)} ${head} refs/heads/b${at}${at === 0 ? '\0report-status' : ''}`),
    ).join('');
    const { status, text } = await gateway.request(`${pathOf(world)}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: basic('x', token) },
      body: `${commands}0000`,
    });
    expect(status).toBe(200);
    expect(text).toContain('unpack too many refs');
    expect(text).toContain('ng refs/heads/b10000 unpacker error');
  });
});

describe('charges', () => {
  test('an operation costs one request of the hour, and a caller beyond it waits', async () => {
    const refs = () => limited.request('/harbor-lab/compass.git/info/refs?service=git-upload-pack');
    const first = await refs();
    const { status, stderr } = await runGit(temporaryFolder(), [
      'clone',
      '-q',
      remoteUrl(limited.url, 'harbor-lab/compass'),
      '.',
    ]).then(({ code, stderr }) => ({ status: code, stderr }));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const second = await refs();
    const left = (answer: typeof first): number => Number(answer.headers.get('x-ratelimit-remaining'));
    // The clone has paid once, and this request.
    expect(left(first) - left(second)).toBe(2);
    for (let at = left(second); at > 0; at--) expect((await refs()).status).toBe(200);
    const refused = await refs();
    expect([refused.status, refused.headers.get('retry-after'), refused.text]).toEqual([
      401,
      expect.stringMatching(/^\d+$/),
      expect.stringContaining('rate limit'),
    ]);
  });
});

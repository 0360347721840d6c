import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, jest, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { runGit, temporaryFolder } from '../git-http/git-client.ts';
import { MemoryGroup } from '../harness/memory-group.ts';
import { Program } from '../harness/program.ts';
import { ask, type SingleAnswer } from '../harness/single-request.ts';
import { GitVisitor } from './git-visitor.ts';

// The embedded server is made anew, and little memory makes all slower.
jest.setTimeout(300_000);

const megabytes = 384;
const group = MemoryGroup.make('portico-test', megabytes);
const running: { program?: Program } = {};
afterAll(async () => {
  await running.program?.remove();
  if (group === undefined) return;
  for (const end = Date.now() + 10_000; group.members.length > 0 && Date.now() < end; ) await delay(20);
  group.remove();
});

/** Resident megabytes of each process, by its program. */
const residents = (pids: readonly number[]): Map<number, number> =>
  new Map(
    pids.flatMap(pid => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return [[pid, Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024]];
      } catch {
        return [];
      }
    }),
  );

test('where memory is short there are fewer child processes and connections; a setting goes first', () => {
  const small = 384 * 1024 * 1024;
  expect(readConfig({}, 'command', small)).toMatchObject({ WORK_PROCESSES: 1, WORK_PROCESS_MB: 300, DATABASE_POOL: 9 });
  expect(readConfig({ DATABASE_POOL: '30' }, 'command', small)).toMatchObject({ DATABASE_POOL: 30 });
  expect(readConfig({}, 'command', 2 ** 31)).toMatchObject({ WORK_PROCESSES: 2, DATABASE_POOL: 24 });
});

(group === undefined ? test.skip : test)(
  'in a container of 384 MB with the embedded server it serves an honest and a hostile load, and its process stays',
  async () => {
    const program = new Program({ SEED: 'demo', RATE_LIMIT_FACTOR: '100000' }, { prefix: group?.prefix ?? [] });
    running.program = program;
    const [, url = ''] = await program.printed(/Start page +(http:\S+?)\/?\n[\s\S]*Try:/, 180_000);
    const { hosting, health } = JSON.parse(readFileSync(join(program.folder, 'demo.json'), 'utf8'));
    const token: string = hosting.users.wren.classic_token;
    const { email } = health.users.amira;
    const created = await fetch(`${url}/user/repos`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'narrow', auto_init: true }),
    });
    expect(created.status).toBe(201);
    const remote = `${url.replace('http://', `http://x-access-token:${token}@`)}/wren/narrow.git`;
    const git = new GitVisitor(remote);
    const outcomes: (SingleAnswer | undefined)[] = [];
    const read = async (path: string, times: number, authorized?: string): Promise<void> => {
      for (let at = 0; at < times; at++) outcomes.push(await ask(`${url}${path}`, authorized));
    };
    const send = async (path: string, headers: Record<string, string>, body: string, times: number): Promise<void> => {
      for (let at = 0; at < times; at++) {
        const response = await fetch(`${url}${path}`, { method: 'POST', headers, body }).catch(() => undefined);
        await response?.arrayBuffer().catch(() => undefined);
        outcomes.push(
          response && { status: response.status, retryAfter: response.headers.get('retry-after') ?? undefined },
        );
      }
    };
    const json = { 'Content-Type': 'application/json' };
    let most = { gateway: 0, all: 0 };
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const sizes = residents(group?.members ?? []);
        const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
        most = { gateway: Math.max(most.gateway, sizes.get(program.pid) ?? 0), all: Math.max(most.all, all) };
        await delay(50);
      }
    })();
    const blob = JSON.stringify({ content: 'A'.repeat(12_000_000), encoding: 'base64' });
    await Promise.all([
      git.visit(3),
      ...Array.from({ length: 12 }, () => read('/repos/harbor-lab/compass/tarball/main', 4, token)),
      ...Array.from({ length: 12 }, () => read('/repos/harbor-lab/compass/commits?per_page=100', 6, token)),
      ...Array.from({ length: 12 }, () => read('/api/v1/articles/?page_size=100', 6)),
      // Hashes of passwords and large bodies take the most memory.
      ...Array.from({ length: 12 }, () =>
        send('/api/v1/auth/login/', json, JSON.stringify({ email, password: 'wrong' }), 3),
      ),
      ...Array.from({ length: 4 }, () =>
        send('/repos/wren/narrow/git/blobs', { ...json, Authorization: `Bearer ${token}` }, blob, 2),
      ),
    ]);
    isOver = true;
    await watch;
    process.stdout.write(
      `384 MB: gateway ${most.gateway.toFixed(0)} MB, all processes ${most.all.toFixed(0)} MB, with files ${group?.peak.toFixed(0)} MB\n`,
    );

    const statuses = outcomes.map(outcome => outcome?.status);
    const served = new Set([200, 201, 302]);
    const refused = new Set([400, 401, 403, 413, 422, 429, 503]);
    expect([...new Set(statuses)].filter(status => !served.has(status ?? 0) && !refused.has(status ?? 0))).toEqual([]);
    expect(outcomes.filter(outcome => outcome?.status === 503 && outcome.retryAfter === undefined)).toEqual([]);
    expect(statuses.filter(status => served.has(status ?? 0)).length).toBeGreaterThan(statuses.length / 2);
    expect(git.outcomes).toContain('pushed');
    expect(program.ending).toBeUndefined();
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200 });
    const { stdout } = await runGit(temporaryFolder(), ['ls-remote', remote, 'HEAD']);
    expect(stdout.split('\t')[0]).toBe(git.pushed);
    expect(program.errors).toBe('');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
  },
);

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, jest, test } from '@jest/globals';
import { runGit, temporaryFolder } from '../git-http/git-client.ts';
import { BareConnection } from '../harness/bare-connection.ts';
import { testDatabase } from '../harness/gateway.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';
import { ask, type SingleAnswer } from '../harness/single-request.ts';
import { GitVisitor } from './git-visitor.ts';

const demo = await testDatabase('demo');

// The embedded server is made anew, and two clients of git take their time on a busy machine.
jest.setTimeout(240_000);

const withFewDescriptors = { prefix: ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'] };
const halfOpen = 200;

const deliveries: string[] = [];
const receiver = createServer((request, response) => {
  void text(request).then(body => {
    deliveries.push(body);
    response.end();
  });
});
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
const hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const programs: Program[] = [];
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await Promise.all(programs.map(program => program.remove()));
});

const isPush = (body: string): boolean => body.includes('"ref":"refs/heads/');

/** Connections that never send a whole request; each is opened again when it is closed, until `stop`. */
function holdHalfOpen(url: string): { stop(): Promise<void> } {
  let isOver = false;
  const hold = async (): Promise<void> => {
    while (!isOver) {
      const connection = await BareConnection.open(url).catch(() => undefined);
      connection?.send('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
      await connection?.closed(250).catch(() => {});
      if (!isOver) await connection?.closed(5_000).catch(() => {});
      connection?.destroy();
    }
  };
  const holders = Array.from({ length: halfOpen }, hold);
  return {
    async stop() {
      isOver = true;
      await Promise.all(holders);
    },
  };
}

test.each([
  ['with a server of PostgreSQL', { DATABASE_URL: demo }],
  ['with the embedded server', {}],
])(
  'with 256 descriptors and 200 half-open connections it serves and refuses, and its process stays, %s',
  async (_, database) => {
    const program = new Program(
      {
        ...database,
        SECRET_KEY: testSecret,
        SEED: 'demo',
        RATE_LIMIT_FACTOR: '100000',
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
      withFewDescriptors,
    );
    programs.push(program);
    const [, url = ''] = await program.printed(/Start page +(http:\S+?)\/?\n[\s\S]*Try:/, 120_000);
    expect(readFileSync(`/proc/${program.pid}/limits`, 'utf8')).toMatch(/Max open files +256 +256/);
    const { hosting } = JSON.parse(readFileSync(join(program.folder, 'demo.json'), 'utf8'));
    const token: string = hosting.users.wren.classic_token;
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('/user/repos', { name: 'narrow', auto_init: true })).status).toBe(201);
    expect(
      (await post('/repos/wren/narrow/hooks', { config: { url: hookUrl, content_type: 'json' }, events: ['push'] }))
        .status,
    ).toBe(201);
    const remote = `${url.replace('http://', `http://x-access-token:${token}@`)}/wren/narrow.git`;
    deliveries.length = 0;

    const attack = holdHalfOpen(url);
    const outcomes: (SingleAnswer | undefined)[] = [];
    const read = async (path: string, times: number, authorized?: string): Promise<void> => {
      for (let at = 0; at < times; at++) outcomes.push(await ask(`${url}${path}`, authorized));
    };
    const git = new GitVisitor(remote);
    await Promise.all([
      git.visit(4),
      ...Array.from({ length: 8 }, () => read('/repos/harbor-lab/compass/tarball/main', 4, token)),
      ...Array.from({ length: 30 }, () => read('/repos/harbor-lab/compass/commits', 6, token)),
      ...Array.from({ length: 30 }, () => read('/api/v1/articles/', 6)),
    ]);
    const descriptors = readdirSync(`/proc/${program.pid}/fd`).length;
    await attack.stop();

    // Of those that were not answered, the connection was given to another one before it had sent its request.
    const statuses = outcomes.map(outcome => outcome?.status);
    expect([...new Set(statuses)].filter(status => ![200, 302, 503, undefined].includes(status))).toEqual([]);
    expect(outcomes.filter(outcome => outcome?.status === 503 && outcome.retryAfter === undefined)).toEqual([]);
    // How many depends on what else the machine does.
    expect(statuses.filter(status => status === 200 || status === 302).length).toBeGreaterThan(20);
    expect(git.outcomes.filter(reason => !/^(cloned|pushed)$|503|reset|empty reply|connection/i.test(reason))).toEqual(
      [],
    );
    expect(git.outcomes).toContain('cloned');
    expect(git.outcomes).toContain('pushed');
    expect(descriptors).toBeLessThan(256);

    expect(program.ending).toBeUndefined();
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200 });
    const { stdout } = await runGit(temporaryFolder(), ['ls-remote', remote, 'HEAD']);
    expect(stdout.split('\t')[0]).toBe(git.pushed);
    for (const end = Date.now() + 30_000; !deliveries.some(isPush) && Date.now() < end; )
      await new Promise(resolve => setTimeout(resolve, 50));
    expect(deliveries.some(isPush)).toBe(true);
    expect(program.errors).toBe('');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
  },
);

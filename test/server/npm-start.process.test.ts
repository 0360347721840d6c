import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, jest, test } from '@jest/globals';
import { testDatabase } from '../harness/gateway.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';

const demo = await testDatabase('demo');
const root = join(import.meta.dirname, '..', '..');

// npm and the program load on a busy machine.
jest.setTimeout(120_000);

const programs: Program[] = [];
afterAll(() => Promise.all(programs.map(program => program.remove())));

/** `answered`; `refused` where nothing listens any more; the code of the error of a request that was accepted and cut off. */
const ask = (url: string): Promise<string> =>
  new Promise(resolve => {
    const request = get(url, { agent: false }, response => {
      response.on('error', error => resolve(error.message));
      response.resume().once('end', () => resolve(response.statusCode === 200 ? 'answered' : `${response.statusCode}`));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : `${error.code} ${error.message}`),
    );
  });

test('SIGTERM to npm start under load resets no request, and the gateway stops in order', async () => {
  const program = new Program(
    {
      DATABASE_URL: demo,
      SECRET_KEY: testSecret,
      RATE_LIMIT_FACTOR: '100000',
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
      HOME: '/tmp',
    },
    { command: { line: ['npm', 'start'], cwd: root } },
  );
  programs.push(program);
  const [, url = ''] = await program.printed(/Start page +(http:\S+?)\/?\n[\s\S]*Try:/);
  const gateway = Number(/"pid":(\d+)/.exec(program.output)?.[1] ?? 0);
  let isOver = false;
  const outcomes: string[] = [];
  const clients = Array.from({ length: 20 }, async () => {
    while (!isOver) {
      const outcome = await ask(`${url}/api/v1/articles/`);
      outcomes.push(outcome);
      if (outcome === 'refused') return;
    }
  });
  while (outcomes.length < 200) await delay(10);
  program.signal('SIGTERM');
  await program.printed(/stopping on SIGTERM/);
  const ending = await program.ended();
  isOver = true;
  await Promise.all(clients);
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  expect([...counts.keys()].filter(outcome => outcome !== 'answered' && outcome !== 'refused')).toEqual([]);
  expect(counts.get('answered')).toBeGreaterThan(200);
  expect(ending).toBe(0);
  if (gateway > 0) expect(() => readFileSync(`/proc/${gateway}/status`)).toThrow('ENOENT');
});

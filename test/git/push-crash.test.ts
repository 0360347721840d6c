import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { history } from '../../src/git/history.ts';
import { reachableObjects } from '../../src/git/reachable.ts';
import { statObjects } from '../../src/git/read-objects.ts';
import { readRef } from '../../src/git/refs.ts';
import { repositoryOf } from '../../src/git/repository.ts';
import { testDatabase } from '../harness/gateway.ts';
import { numbers } from './random-history.ts';
import { insertRepositories } from './repository-rows.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
const url = await testDatabase('empty');
const database = await openDatabase({ url, pool: 2, statementTimeout: 30_000 });
closing.push(() => database.close());
await insertRepositories(database.sql, 1);
const program = fileURLToPath(new URL('./push-process.ts', import.meta.url));

/** Lets writers write until they have acknowledged so many commits, kills them at once, and gives the ids. */
async function killedAfter(acknowledged: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', chunk => {
    said += chunk;
    if (said.split('\n').length > acknowledged) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return said.split('\n').slice(0, -1);
}

test('writers that are killed lose nothing they acknowledged and leave nothing half', async () => {
  const pick = numbers(4);
  const acknowledged: string[] = [];
  for (let round = 0; round < 6; round++) {
    acknowledged.push(...(await killedAfter(3 + pick(30))));
    const repository = repositoryOf(query => database.read(query), 1);
    const tip = (await readRef(repository, 'refs/heads/main')) ?? '';
    const chain: string[] = [];
    for await (const node of history(repository, [tip])) chain.push(node.oid);
    expect(new Set(chain).size).toBe(chain.length);
    expect(acknowledged.filter(oid => !chain.includes(oid))).toEqual([]);
    // Commits beyond those are the ones whose answer did not get out: at most one of each writer and round.
    expect(chain.length - acknowledged.length).toBeLessThanOrEqual(3 * (round + 1));
    const reached: string[] = [];
    for await (const { oid } of reachableObjects(repository, [tip])) reached.push(oid);
    expect((await statObjects(repository, reached)).size).toBe(reached.length);
  }
}, 120_000);

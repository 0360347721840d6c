import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { GitObject } from '../../src/git/object.ts';
import { readCommit } from '../../src/git/read-objects.ts';
import { openRepository, unlimitedSource } from '../../src/git/repository.ts';
import { emptyTree } from '../../src/git/tree.ts';
import { computations } from '../../src/hosting/computations.ts';
import type { Computation, WorkInput } from '../../src/workers/computation.ts';
import { IsolatedWork, jobCaller } from '../../src/workers/isolated-work.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { WorkProcesses } from '../../src/workers/work-processes.ts';
import { testGateway } from '../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from './contents/world.ts';
import { addBomb, addBranch, commitOf } from './heavy-work/heavy-commits.ts';
import { workProcessIds } from './heavy-work/work-process-ids.ts';

const gateway = await testGateway({
  settings: { WORK_PROCESSES: '2', WORK_TIMEOUT_MS: '60000', WORK_MAX_STEPS: '1000000' },
  logLevel: 'warn',
});
const demo = await demoOf(gateway);
const wren = demo.users.wren.classic_token as string;
const { ask } = callsWithTokens(gateway);

/** Of the gateway, which runs in this process. */
const workProcesses = (): number[] => workProcessIds(process.pid);

async function busyProcesses(): Promise<number> {
  const { text } = await gateway.metrics();
  return Number(/^portico_work_processes\{pool="computations",state="busy"\} (\d+)$/m.exec(text)?.[1]);
}

describe('a computation has one result in this process and in another', () => {
  let world: World;
  let commits: string[];
  const processes = new WorkProcesses({
    program: new URL('../../src/hosting/work-program.ts', import.meta.url),
    start: { kind: 'start', database: gateway.database.address, statementTimeoutMs: 10_000 },
    size: 1,
    maxHeapMb: 256,
    maxDataMb: 600,
    onFailure() {},
  });
  const isolation = new IsolatedWork(processes, { trialMs: 0 }).for(jobCaller);
  afterAll(() => processes.stop());

  beforeAll(async () => {
    world = await newWorld(gateway, wren);
    const first = await world.commit({
      'a.txt': 'a\nb\nc\nd\ne\nf\ng\n',
      'src/b.js': 'b()\n',
      'pic.png': Buffer.from([0, 1]),
    });
    await ask('POST', `/repos/${world.owner}/${world.name}/git/refs`, wren, { ref: 'refs/heads/topic', sha: first });
    const second = await world.commit({ 'a.txt': 'A\nb\nc\nd\ne\nf\ng\n' }, { message: 'Zwei ä\n\nText' });
    const third = await world.commit(
      {
        'a.txt': 'a\nb\nc\nd\ne\nf\nG\n',
        'pic.png': Buffer.from([0, 2, 255]),
        'src/l': { mode: '120000', text: 'b.js' },
      },
      { branch: 'topic' },
    );
    commits = [first, second, third];
  });

  const inputs: Record<string, () => object[]> = {
    ancestor: () => [{ one: commits[1], other: commits[2] }],
    authors: () => [{ tip: commits[1], maxCommits: 10 }],
    'changed-files': () => [{ commits }],
    changes: () => [
      { before: commits[0], after: commits[2] },
      { before: undefined, after: commits[0] },
    ],
    comparison: () => [
      { base: commits[1], head: commits[2], ancestor: commits[0], skip: 0, limit: 10, maxFiles: 300 },
      { base: commits[1], head: commits[2], ancestor: commits[0], skip: 1, limit: 10, maxFiles: 0 },
    ],
    diff: () => [{ before: commits[0], after: commits[2] }],
    history: () => [
      { tip: commits[1], parts: [], offset: 0, limit: 10 },
      { tip: commits[2], parts: ['a.txt'], offset: 1, limit: 1 },
      {
        ...{ tip: commits[2], parts: [], offset: 0, limit: 5, since: 1, until: 2_000_000_000 },
        author: { emails: ['seed@example.org'], accountId: undefined, publicOrigin: 'https://example.org' },
      },
    ],
    'history-count': () => [{ tip: commits[2], parts: [], max: 1_000 }],
    index: () => [{}],
    languages: () => [{ tree: '' }],
    'last-changes': () => [
      { tip: commits[2], parts: [] },
      { tip: commits[2], parts: ['src'] },
    ],
    measure: () => [{ tree: '' }],
    merge: () => [
      { tip: commits[1], head: commits[2], mayFastForward: true },
      { tip: commits[0], head: commits[2], mayFastForward: true },
      { tip: commits[2], head: commits[0], mayFastForward: false },
    ],
    patches: () => [{ base: commits[0], head: commits[2] }],
  };

  test('every computation of the program has a case', () => {
    expect(Object.keys(inputs)).toEqual(computations.map(({ name }) => name).toSorted());
  });

  test.each(computations.map(one => one as Computation<WorkInput, unknown>))('$name', async computation => {
    const { read } = gateway.database;
    const budget = () => new WorkBudget({ steps: 1e7, objects: 1e5, bytes: 1e8, milliseconds: 30_000 });
    for (const given of inputs[computation.name]?.() ?? []) {
      const input = { ...given, repositoryId: world.id } as WorkInput & { tree?: string };
      if (input.tree === '') {
        const store = openRepository(unlimitedSource(read), world.id);
        input.tree = (await readCommit(store, commits[2] as string)).tree;
      }
      const here = await computation.run({ read, workBudget: budget() }, input);
      expect(await isolation.run(computation, input, { read, workBudget: budget() })).toEqual(here);
    }
  });

  test.each(computations.map(one => one as Computation<WorkInput, unknown>))(
    '$name with a missing commit and with a spent budget',
    async computation => {
      const { read } = gateway.database;
      const missing = '1'.repeat(40);
      const replaced = JSON.stringify(inputs[computation.name]?.()[0]).replace(/[0-9a-f]{40}/g, missing);
      const input = { ...JSON.parse(replaced), repositoryId: world.id } as WorkInput;
      const budgets = [
        { steps: 1e6, objects: 1e6 },
        { steps: 0, objects: 0 },
      ];
      for (const limits of budgets) {
        const outcome = async (run: () => Promise<unknown>) =>
          run().then(
            value => ({ value }),
            ({ name, message, code }) => ({ name, message, code }),
          );
        const source = () => ({ read, workBudget: new WorkBudget({ ...limits, bytes: 1e8, milliseconds: 30_000 }) });
        const here = await outcome(() => computation.run(source(), input));
        expect(await outcome(() => isolation.run(computation, input, source()))).toEqual(here);
      }
    },
  );

  test('the connections of the processes cannot write', async () => {
    const rows = await gateway.database.read<{ count: number }>(
      sql`select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'portico work'`,
    );
    expect(rows[0]?.count).toBeGreaterThan(0);
  });
});

/** Returns the path of the comparison with main. */
async function addBombTo({ id, owner, name }: World, branch: string): Promise<string> {
  await addBomb({ database: gateway.database, id, now: gateway.clock.now }, branch);
  return `/repos/${owner}/${name}/compare/main...${branch}`;
}

/** A branch of commits without changes. */
async function addHistory({ id }: World, branch: string, length: number): Promise<void> {
  const objects: GitObject[] = [emptyTree];
  let parents: string[] = [];
  for (let n = 0; n < length; n++) {
    const commit = commitOf(emptyTree.oid, parents, 1_790_000_000 + n);
    objects.push(commit);
    parents = [commit.oid];
  }
  await addBranch({ database: gateway.database, id, now: gateway.clock.now }, { branch, objects });
}

describe('heavy work of requests', () => {
  test('a gateway at rest has no process; kill -9 is 503 with Retry-After for the request that it computed, and for no other', async () => {
    const world = await newWorld(gateway, wren);
    await world.commit({ 'a.txt': 'a' });
    const light = await ask('GET', `/repos/${world.owner}/${world.name}/compare/main...main`, wren);
    expect([light.status, workProcesses()]).toEqual([200, []]);
    const path = await addBombTo(world, 'bomb');
    // The process has started, and the comparison is known to be heavy.
    const whole = await ask('GET', path, wren);
    expect(whole.status).toBe(422);
    expect(whole.text).toContain('WORK_MAX_STEPS');
    expect(workProcesses()).toHaveLength(1);
    const [pid] = workProcesses();
    process.kill(pid ?? 0, 'SIGSTOP');
    const answer = ask('GET', path, wren);
    while ((await busyProcesses()) === 0) await delay(10);
    const others = ask('GET', `/repos/${world.owner}/${world.name}/commits`, wren);
    process.kill(pid ?? 0, 'SIGKILL');
    const { status, headers, json } = await answer;
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(json.message).toContain('Try again');
    expect((await others).status).toBe(200);
    expect((await ask('GET', path, wren)).status).toBe(422);
    const { text } = await gateway.metrics();
    expect(text).toContain('portico_work_ends_total{pool="computations",reason="killed"} 1');
    expect(gateway.lines.some(line => line.includes('a process for heavy work failed'))).toBe(true);
  });

  test('at /graphql it is the error of the field, with Retry-After', async () => {
    const world = await newWorld(gateway, wren);
    await world.commit({ 'a.txt': 'a' });
    await addHistory(world, 'long', 15_000);
    const document = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      object(expression: "long") { ... on Commit { history(first: 1, author: { emails: ["nobody@example.org"] }) {
        nodes { oid } } } } } }`;
    const body = { query: document, variables: { owner: world.owner, name: world.name } };
    const history = () => ask('POST', '/graphql', wren, body);
    // It is known to be heavy then, and a process has started.
    const whole = await history();
    expect([whole.status, whole.json.data.repository.object.history.nodes]).toEqual([200, []]);
    const pids = workProcesses();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const answer = history();
    while ((await busyProcesses()) === 0) await delay(10);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const { status, headers, json } = await answer;
    // The response has data beside the field.
    expect([status, headers.get('retry-after')]).toEqual([200, '5']);
    expect(json.errors[0].extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', reason: 'work_ended' });
    expect((await history()).status).toBe(200);
  });

  test('merges at a time into one branch all succeed, and each is there', async () => {
    const world = await newWorld(gateway, wren);
    const first = await world.commit({ 'a.txt': 'a' });
    const branches = Array.from({ length: 8 }, (_, n) => `topic-${n}`);
    for (const [n, branch] of branches.entries()) {
      await ask('POST', `/repos/${world.owner}/${world.name}/git/refs`, wren, {
        ref: `refs/heads/${branch}`,
        sha: first,
      });
      await world.commit({ [`file-${n}.txt`]: `${n}` }, { branch });
    }
    const merge = (head: string) =>
      ask('POST', `/repos/${world.owner}/${world.name}/merges`, wren, { base: 'main', head });
    const answers = await Promise.all(branches.map(merge));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const { json } = await world.get('/contents/');
    expect(json).toHaveLength(9);
  });
});

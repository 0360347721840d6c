import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { databaseForJobs, inTransaction } from '../../src/db/database.ts';
import { lockAgainstCollection } from '../../src/git/collection-lock.ts';
import { collectChanged, repackGrown } from '../../src/hosting/repositories/maintain-changed.ts';
import { collectTask, garbageGraceMs } from '../../src/hosting/repositories/maintain-repository.ts';
import { scanTask } from '../../src/hosting/source-imports/scan-task.ts';
import { LongWork } from '../../src/workers/long-task.ts';
import { WorkProcesses } from '../../src/workers/work-processes.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from '../git-http/git-client.ts';
import { testGateway } from '../harness/gateway.ts';
import { deleteRef } from '../harness/git-mutations.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { until } from '../jobs/job-harness.ts';
import { newWorld, type World } from './contents/world.ts';

const data = temporaryFolder();
const gateway = await testGateway({ settings: { PORTICO_DATA: data } });
const { wren } = (await demoOf(gateway)).users;
const database = databaseForJobs(gateway.database);
const processes = new WorkProcesses({
  program: new URL('../../src/hosting/long-program.ts', import.meta.url),
  start: { kind: 'start', database: gateway.database.directAddress, statementTimeoutMs: 10_000 },
  size: 2,
  maxHeapMb: 512,
  maxDataMb: 1_024,
  onFailure() {},
});
afterAll(() => processes.stop());
const longWork = new LongWork(processes);
const { signal } = new AbortController();
const context = { database, config: { PORTICO_DATA: data }, now: () => gateway.clock.now, signal, longWork };
const never = (): boolean => false;

/** A repository of which some objects belong to a deleted branch, all of them older than the grace. */
async function worldWithGarbage(linesOfFile = 10): Promise<World> {
  const world = await newWorld(gateway, wren.classic_token);
  const lines = Array.from({ length: linesOfFile }, (_, n) => `line ${n} ${(n * 7_919) % 10_007}`);
  await world.commit({ 'a.txt': lines.join('\n') });
  await world.commit({ 'a.txt': [...lines, 'more'].join('\n') });
  await world.commit({ 'gone.txt': 'gone' }, { branch: 'gone' });
  const answer = await graphql(gateway, `mutation { ${deleteRef(world, 'refs/heads/gone')} }`, wren.classic_token);
  expect(answer.errors).toBeUndefined();
  await sql`update git_object set stored_at = stored_at - interval '20 days' where repository_id = ${world.id}`.execute(
    gateway.database.sql,
  );
  return world;
}

async function stored({ id }: World): Promise<{ objects: number; deltas: number }> {
  const [row] = await gateway.database.read<{ objects: number; deltas: number }>(sql`
    select count(*)::int as objects, count(delta)::int as deltas from git_object where repository_id = ${id}`);
  return row ?? { objects: 0, deltas: 0 };
}

const collectOf = ({ id }: World, ended = signal) =>
  longWork.run(
    collectTask,
    { repositoryId: id, at: gateway.clock.now.getTime(), graceMs: garbageGraceMs },
    { pool: database.pools.jobs, signal: ended },
  );

/** Runs `work` while pushes to the repository hold their lock, once the process waits for it. */
function whilePushing(world: World, work: () => Promise<void>): Promise<void> {
  return inTransaction(gateway.database, async db => {
    await lockAgainstCollection(db, world.id);
    await work();
  });
}

const collectionWaits = () =>
  until('the collection waits', async () => {
    const rows = await gateway.database.read(sql`select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`);
    return rows.length > 0;
  });

test('jobs repack and collect in child processes: this one reads and writes no object', async () => {
  // More than the four megabytes from which a repository is repacked.
  const world = await worldWithGarbage(200_000);
  const before = await stored(world);
  const sent = await gateway.statements(async () => {
    await collectChanged(context, never);
    await repackGrown({ ...context, now: () => new Date(gateway.clock.now.getTime() + 3_600_000) }, never);
  });
  expect(sent.filter(text => text.includes('git_object'))).toEqual([]);
  expect(processes.counts.runs).toBeGreaterThan(1);
  const after = await stored(world);
  expect([after.objects, after.deltas > 0]).toEqual([before.objects - 3, true]);
});

test('a process that is killed during a collection holds no lock, and the next one goes on', async () => {
  const world = await worldWithGarbage();
  const before = await stored(world);
  await whilePushing(world, async () => {
    const collecting = collectOf(world);
    collecting.catch(() => {});
    await collectionWaits();
    for (const pid of processes.pids) process.kill(pid, 'SIGKILL');
    await expect(collecting).rejects.toMatchObject({ extensions: { reason: 'work_ended' } });
  });
  expect(await stored(world)).toEqual(before);
  expect(await collectOf(world)).toMatchObject({ objects: 3, isComplete: true });
});

test('a job that is stopped ends its work, and not the process', async () => {
  const world = await worldWithGarbage();
  await whilePushing(world, async () => {
    const stopping = new AbortController();
    const collecting = collectOf(world, stopping.signal);
    collecting.catch(() => {});
    await collectionWaits();
    const { pids } = processes;
    stopping.abort(new Error('stopped'));
    await expect(collecting).rejects.toThrow('stopped');
    expect(processes.pids).toEqual(pids);
  });
  expect(await collectOf(world)).toMatchObject({ objects: 3 });
});

test('a source is scanned with the same result as here, and git fails as it does here', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.txt': 'a', '.github/workflows/x.yml': 'x' });
  const folder = temporaryFolder();
  const mirror = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, wren.classic_token), '--mirror');
  await runGit(folder, ['clone', '-q', '--mirror', mirror.path, join(folder, 'repository.git')]);
  const limits = { maxFileBytes: 1e9, maxMemoryBytes: 2 * 1024 ** 3 };
  const input = { repositoryId: world.id, folder, limits, workflowFolder: '.github/workflows/' };
  const source = { pool: database.pools.jobs, signal };
  const here = await scanTask.run(source, input);
  expect(here).toMatchObject({ commits: 1, changesWorkflows: true });
  expect(await longWork.run(scanTask, input, source)).toEqual(here);
  const few = { ...input, limits: { ...limits, maxFileBytes: 0, maxMemoryBytes: 1024 } };
  await expect(longWork.run(scanTask, few, source)).rejects.toMatchObject({ name: 'GitFailed' });
});

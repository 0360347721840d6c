import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { copyIntoFork, copyJob } from '../../../src/hosting/repositories/copy-git-data.ts';
import { enqueue } from '../../../src/jobs/enqueue.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from '../contents/world.ts';

const options = { data: 'demo', now: '2026-10-01T08:10:00Z', settings: { DATABASE_POOL: '10' } } as const;
const gateway = await testGateway(options);
const working = await testGateway({ ...options, workers: true });
const { wren, tomas, juniper } = (await demoOf(gateway)).users;
type Person = typeof wren;
const { sql: database } = gateway.database;

const ask = (method: string, path: string, { classic_token }: Person, body?: object, at = gateway) =>
  call(at, method, path, `Bearer ${classic_token}`, body);

/** A repository whose forks are copied by a job: its size is entered. */
async function largeWorld(at = gateway, isPrivate = false): Promise<World & { path: string }> {
  const world = await newWorld(at, wren.classic_token, { isPrivate });
  await world.commit({ 'a.txt': 'a\n', 'b/c.txt': 'c\n', large: 'x'.repeat(1024 * 1024 + 7) });
  await world.commit({ 'a.txt': 'b\n' }, { branch: 'main', seconds: 1_790_000_100 });
  await sql`update repository set stored_bytes = 200000000 where id = ${world.id}`.execute(at.database.sql);
  return { ...world, path: `/repos/${world.owner}/${world.name}` };
}

async function forkOf(world: { path: string }, by: Person, at = gateway): Promise<{ id: number; path: string }> {
  const { status, json } = await ask('POST', `${world.path}/forks`, by, {}, at);
  expect(status).toBe(202);
  return { id: json.id, path: `/repos/${json.full_name}` };
}

const isCopying = async (path: string): Promise<boolean> => {
  const [owner, name] = path.split('/').slice(2);
  const { data } = await graphql(
    gateway,
    'query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { isCopying isEmpty } }',
    tomas.classic_token,
    { owner, name },
  );
  expect(data.repository.isEmpty).toBe(data.repository.isCopying);
  return data.repository.isCopying;
};

const jobsFor = async (id: number): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from jobs.job
    where name = 'repository-copy' and data ->> 'repositoryId' = ${`${id}`}`.execute(database);
  return rows[0]?.count ?? 0;
};

test('a large fork is empty until its data have arrived, all at once', async () => {
  const world = await largeWorld();
  const fork = await forkOf(world, tomas);
  expect(await isCopying(fork.path)).toBe(true);
  expect((await ask('GET', `${fork.path}/commits`, tomas)).status).toBe(409);
  expect((await ask('GET', `${fork.path}/contents/a.txt`, tomas)).status).toBe(404);
  const body = { message: 'm', content: base64('text') };
  const early = await ask('PUT', `${fork.path}/contents/early.txt`, tomas, body);
  expect([early.status, early.json.message]).toEqual([
    409,
    'The contents of this fork are still being copied. Try again later.',
  ]);
  expect((await ask('POST', `${fork.path}/forks`, juniper, {})).status).toBe(409);
  // Objects that came meanwhile are no reason to fail.
  await ask('POST', `${fork.path}/git/blobs`, tomas, { content: 'a\n' });

  await copyIntoFork(gateway.database, fork.id);
  expect(await isCopying(fork.path)).toBe(false);
  const [theirs, ours] = await Promise.all([
    ask('GET', `${fork.path}/commits`, tomas),
    ask('GET', `${world.path}/commits`, wren),
  ]);
  const shas = (answer: typeof ours): string[] => answer.json.map(({ sha }: { sha: string }) => sha);
  expect([shas(theirs).length, shas(theirs)]).toEqual([2, shas(ours)]);
  const raw = await gateway.request(`${fork.path}/contents/large`, {
    headers: { 'user-agent': 'portico tests', accept: 'application/vnd.host.raw' },
  });
  expect(raw.text).toHaveLength(1024 * 1024 + 7);
  expect((await ask('PUT', `${fork.path}/contents/late.txt`, tomas, body)).status).toBe(201);
  // A second run of the job finds nothing to do.
  await copyIntoFork(gateway.database, fork.id);
  expect((await ask('GET', `${fork.path}/contents/late.txt`, tomas)).status).toBe(200);
});

test('concurrent requests make one fork and one job; another request brings a lost job back', async () => {
  const world = await largeWorld();
  const forks = await Promise.all(Array.from({ length: 4 }, () => forkOf(world, tomas)));
  const [{ id } = { id: 0 }] = forks;
  expect(new Set(forks.map(fork => fork.id))).toEqual(new Set([id]));
  expect(await jobsFor(id)).toBe(1);
  await sql`delete from jobs.job where name = 'repository-copy'`.execute(database);
  expect((await forkOf(world, tomas)).id).toBe(id);
  expect(await jobsFor(id)).toBe(1);
  // Both run; the second one finds the fork complete.
  await Promise.all([copyIntoFork(gateway.database, id), copyIntoFork(gateway.database, id)]);
  await forkOf(world, tomas);
  expect(await jobsFor(id)).toBe(1);
});

test('a deletion ends the copy, of the private forks of a private repository too', async () => {
  const lockHeld = async (id: number): Promise<boolean> => {
    const { rows } = await sql`select from pg_locks l, (select hashtextextended(${`copy into ${id}`}, 0) as key) k
      where l.locktype = 'advisory' and l.classid::bigint = ((k.key >> 32) & 4294967295)
        and l.objid::bigint = (k.key & 4294967295)`.execute(database);
    return rows.length > 0;
  };
  const until = async (isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone())) await new Promise(resolve => setImmediate(resolve));
  };
  for (const deleted of ['fork', 'parent'] as const) {
    const world = await largeWorld(gateway, deleted === 'parent');
    if (deleted === 'parent') {
      await sql`insert into collaborator (repository_id, account_id, role, since)
        select ${world.id}, id, 'read', now() from account where login = 'tomas'`.execute(database);
    }
    const fork = await forkOf(world, tomas);
    let copy: Promise<unknown> | undefined;
    let deletion: ReturnType<typeof ask> | undefined;
    // The copy waits here for this transaction at its end, as a long one would at any place.
    await gateway.database.pools.jobs.transaction(async db => {
      await sql`select from repository where id = ${fork.id} for no key update`.execute(db);
      copy = copyIntoFork(gateway.database, fork.id).then(
        () => 'copied',
        () => 'ended',
      );
      await until(() => lockHeld(fork.id));
      deletion = ask('DELETE', deleted === 'fork' ? fork.path : world.path, deleted === 'fork' ? tomas : wren);
      await until(async () => !(await lockHeld(fork.id)));
    });
    expect(await copy).toBe('ended');
    expect((await deletion)?.status).toBe(204);
    await copyIntoFork(gateway.database, fork.id);
    const { rows } = await sql`select from git_object where repository_id = ${fork.id} limit 1`.execute(database);
    expect(rows).toHaveLength(0);
  }
});

test('a worker runs the job, also for a fork whose parent is gone', async () => {
  const world = await largeWorld(working);
  const copied = async (id: number): Promise<boolean> => {
    const { rows } = await sql`select from repository where id = ${id} and not is_copying`.execute(
      working.database.sql,
    );
    return rows.length > 0;
  };
  let lost = 0;
  await working.database.pools.write.transaction(async db => {
    const { rows } = await sql<{
      id: number;
    }>`insert into repository (owner_id, name, parent_id, is_copying, created_at, updated_at)
      select id, 'orphan', null, true, now(), now() from account where login = 'tomas' returning id`.execute(db);
    lost = Number(rows[0]?.id);
    await enqueue(db, copyJob, { repositoryId: lost });
  });
  const fork = await forkOf(world, tomas, working);
  const deadline = Date.now() + 60_000;
  for (const id of [fork.id, lost])
    while (!(await copied(id)) && Date.now() < deadline) await new Promise(resolve => setTimeout(resolve, 100));
  expect([await copied(fork.id), await copied(lost)]).toEqual([true, true]);
  expect((await ask('GET', `${fork.path}/commits`, tomas, undefined, working)).json).toHaveLength(2);
  expect((await ask('GET', '/repos/tomas/orphan/commits', tomas, undefined, working)).status).toBe(409);
});

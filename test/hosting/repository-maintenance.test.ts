import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { databaseForJobs, inTransaction } from '../../src/db/database.ts';
import { lockAgainstCollection, lockForCollection } from '../../src/git/collection-lock.ts';
import { verifyRepository } from '../../src/git/maintenance/verify-repository.ts';
import { oidBytes, openRepository, unlimitedSource } from '../../src/git/repository.ts';
import { collectChanged, repackGrown } from '../../src/hosting/repositories/maintain-changed.ts';
import { collect, garbageGraceMs, repack } from '../../src/hosting/repositories/maintain-repository.ts';
import { numbers } from '../git/random-history.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from '../git-http/git-client.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { createRef, deleteRef } from '../harness/git-mutations.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from './contents/world.ts';

const data = temporaryFolder();
const gateway = await testGateway({ settings: { PORTICO_DATA: data } });
// Another process: it has nothing in its caches.
const other = await testGateway({ beside: gateway, settings: { PORTICO_DATA: temporaryFolder() } });
const { wren, tomas } = (await demoOf(gateway)).users;
const dayMs = 24 * 60 * 60 * 1000;
const { signal } = new AbortController();

const context = {
  database: databaseForJobs(gateway.database),
  config: { PORTICO_DATA: data },
  now: () => gateway.clock.now,
  signal,
};
const repackAll = (id: number) => repack(context, id, { coldBefore: new Date('2099-01-01') });
const collectAll = (id: number) => collect(context, id, { graceMs: garbageGraceMs });

async function defectsOf(id: number): Promise<string[]> {
  const lines: string[] = [];
  const repository = openRepository(
    unlimitedSource(query => gateway.database.read(query)),
    id,
  );
  await verifyRepository(repository, { onDefect: line => lines.push(line), signal });
  return lines;
}

async function countDeltas(id: number): Promise<number> {
  const [row] = await gateway.database.read<{ count: number }>(
    sql`select count(*)::int as count from git_object where repository_id = ${id} and delta is not null`,
  );
  return row?.count ?? 0;
}

async function isStored(id: number, oid: string): Promise<boolean> {
  const rows = await gateway.database.read(
    sql`select from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  return rows.length > 0;
}

/** Makes everything that is stored of a repository older. Rows are locked in the order of pushes. */
async function age(id: number, days: number): Promise<void> {
  await sql`
    with stored as materialized (select oid from git_object where repository_id = ${id} order by oid for no key update)
    update git_object o set stored_at = stored_at - make_interval(days => ${days}) from stored
    where o.repository_id = ${id} and o.oid = stored.oid`.execute(gateway.database.sql);
}

const pick = numbers(8);
const line = (): string => Array.from({ length: 8 }, () => pick(2 ** 30).toString(36)).join(' ');
const linesOf = (count: number): string[] => Array.from({ length: count }, line);

/** Commits versions of a small file, a large one and a folder with many. Returns the commits, oldest first. */
async function commitVersions(world: World, count: number): Promise<string[]> {
  const [small, large] = [linesOf(300), linesOf(30_000)];
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`many/file-${at}.txt`, `file ${at}\n`]));
  const commits: string[] = [];
  for (let at = 0; at < count; at++) {
    small[pick(small.length)] = line();
    large[pick(large.length)] = line();
    const files = { 'small.txt': small.join('\n'), 'dir/large.txt': large.join('\n'), [`many/file-${at}.txt`]: line() };
    commits.push(await world.commit(at === 0 ? { ...many, ...files } : files, { seconds: 1_790_000_000 + at }));
  }
  return commits;
}

const git = (at: TestGateway, world: World, token = wren.classic_token): string =>
  remoteUrl(at.url, `${world.owner}/${world.name}`, token);

async function deleteBranch(world: World, branch: string): Promise<void> {
  const answer = await graphql(gateway, `mutation { ${deleteRef(world, `refs/heads/${branch}`)} }`, wren.classic_token);
  expect(answer.errors).toBeUndefined();
}

/** The data of a query or a mutation by Wren, or null. */
async function ask(at: TestGateway, document: string): Promise<Record<string, never> | null> {
  return (await graphql(at, document, wren.classic_token)).data;
}

const named = ({ owner, name }: World): string => `repository: { named: { owner: "${owner}", name: "${name}" } }`;

/** Forks it for Tomás and returns the number of the fork. */
async function fork(world: World): Promise<number> {
  const document = `mutation { forkRepository(input: { ${named(world)} }) { repository { databaseId } } }`;
  const { data, errors } = await graphql(gateway, document, tomas.classic_token);
  expect(errors).toBeUndefined();
  return data.forkRepository.repository.databaseId;
}

/** Waits until a statement of another session waits for an advisory lock. */
async function untilLockAwaited(): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(20)) {
    const rows = await gateway.database.read(
      sql`select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
    );
    if (rows.length > 0) return;
  }
  throw new Error('Nobody waits for an advisory lock.');
}

describe('a repository whose older versions are deltas', () => {
  let world: World;
  let commits: string[];
  const answers = async (at: TestGateway): Promise<string[]> => {
    const said: string[] = [];
    const headers = { 'user-agent': 'portico tests', authorization: `Bearer ${wren.classic_token}` };
    const get = async (path: string, more: Record<string, string> = {}): Promise<string> => {
      const answer = await fetch(`${at.url}/repos/${world.owner}/${world.name}${path}`, {
        headers: { ...headers, ...more },
      });
      expect([path, answer.status]).toEqual([path, 200]);
      return Buffer.from(await answer.arrayBuffer())
        .toString('latin1')
        .replaceAll(at.url, '');
    };
    for (const commit of commits) {
      said.push(await get(`/contents/small.txt?ref=${commit}`), await get(`/contents/many?ref=${commit}`));
      said.push(await get(`/contents/dir/large.txt?ref=${commit}`, { accept: 'application/vnd.host.raw' }));
      const object = (path: string, fields: string): string => `object(expression: "${commit}:${path}") { ${fields} }`;
      const blob = '... on Blob { oid byteSize text }';
      said.push(
        JSON.stringify(
          await ask(
            at,
            `{ repository(owner: "${world.owner}", name: "${world.name}") { small: ${object('small.txt', blob)}
              large: ${object('dir/large.txt', '... on Blob { oid byteSize }')}
              tree: ${object('many', '... on Tree { entries { name oid } }')} } }`,
          ),
        ),
      );
    }
    for (const path of ['small.txt', 'dir', 'many/file-3.txt']) {
      const history = `history(first: 20, path: "${path}") { nodes { oid } }`;
      const document = `{ repository(owner: "${world.owner}", name: "${world.name}") { object(expression: "main") { ... on Commit { ${history} } } } }`;
      said.push(JSON.stringify(await ask(at, document)));
    }
    for (const word of ['tarball', 'zipball']) said.push(await get(`/${word}/${commits[2]}`));
    return said;
  };

  beforeAll(async () => {
    world = await newWorld(gateway, wren.classic_token);
    commits = await commitVersions(world, 6);
  });

  test('answers as before over REST: contents, blobs, trees, raw files, history and archives', async () => {
    const before = await answers(gateway);
    expect((await repackAll(world.id))?.deltas).toBeGreaterThanOrEqual(14);
    const after = await answers(other);
    expect(after).toHaveLength(before.length);
    for (const [at, text] of before.entries()) expect(after[at] === text).toBe(true);
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('is cloned with the same ids, fsck clean, and pushed to', async () => {
    expect(await countDeltas(world.id)).toBeGreaterThan(0);
    const clone = await Clone.of(git(other, world));
    await clone.run('fsck', '--strict', '--full');
    expect((await clone.run('rev-list', '--reverse', 'main')).split('\n')).toEqual(commits);
    const pushed = await clone.commit({ 'dir/large.txt': linesOf(30_000).join('\n'), 'new.txt': 'new\n' });
    await clone.run('push', '-q', 'origin', 'main');
    expect((await world.get(`/git/commits/${pushed}`)).status).toBe(200);
    const again = await Clone.of(git(gateway, world));
    await again.run('fsck', '--strict', '--full');
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('is forked with its deltas', async () => {
    const forkId = await fork(world);
    expect(await countDeltas(forkId)).toBe(await countDeltas(world.id));
    expect(await defectsOf(forkId)).toEqual([]);
  });
});

test('pushes go on during a repack, and readers see either form', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const commits = await commitVersions(world, 5);
  let isOver = false;
  const failures: string[] = [];
  const writer = async (): Promise<number> => {
    let done = 0;
    for (; !isOver || done < 3; done++) {
      const answer = await world.put(`/contents/by-${done}.txt`, { message: 'm', content: 'eA==' });
      if (answer.status !== 201) failures.push(answer.text);
    }
    return done;
  };
  const reader = async (): Promise<void> => {
    for (let at = 0; !isOver || at < 10; at++) {
      const path = `/repos/${world.owner}/${world.name}/contents/dir/large.txt?ref=${commits[at % 5]}`;
      const accept = 'application/vnd.host.raw';
      const answer = await fetch(`${other.url}${path}`, { headers: { 'user-agent': 'portico tests', accept } });
      if (answer.status !== 200 || (await answer.text()).length < 1_000_000) failures.push(`${answer.status}`);
    }
  };
  const others = [writer(), reader(), reader()];
  const repacked = await repackAll(world.id);
  isOver = true;
  await Promise.all(others);
  expect(failures).toEqual([]);
  expect(repacked?.deltas).toBeGreaterThan(0);
  expect(await defectsOf(world.id)).toEqual([]);
});

describe('garbage collection', () => {
  const postBlob = async (world: World, text: string): Promise<string> => {
    const document = `mutation { createBlob(input: { ${named(world)}, content: "${text}" }) { blob { oid } } }`;
    const { data, errors } = await graphql(gateway, document, wren.classic_token);
    expect(errors).toBeUndefined();
    return data.createBlob.blob.oid;
  };
  const postTree = (world: World, blob: string) =>
    graphql(
      gateway,
      `mutation { createTree(input: { ${named(world)}, entries: [{ path: "x.txt", oid: "${blob}" }] }) { tree { oid } } }`,
      wren.classic_token,
    );
  const sizeOf = async (id: number): Promise<{ counted: number; stored: number }> => {
    const [row] = await gateway.database.read<{ counted: number; stored: number }>(sql`
      select r.stored_bytes + coalesce((select sum(bytes)::bigint from repository_growth where repository_id = r.id), 0) as counted,
        (select coalesce(sum(size), 0)::bigint from git_object where repository_id = r.id) as stored
      from repository r where r.id = ${id}`);
    return row ?? { counted: 0, stored: -1 };
  };

  test('deletes what a deleted branch had, and nothing of what is reachable or of a fork', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const kept = await world.commit({ 'a.txt': 'one', 'dir/b.txt': 'two' });
    await world.commit({ 'a.txt': 'one' }, { branch: 'gone' });
    const large = Buffer.alloc(1_500_000, 'secret ');
    const gone = await world.commit({ 'secret.txt': 'a secret', 'large.bin': large }, { branch: 'gone' });
    const forkId = await fork(world);
    await sql`insert into commit_verification (network_id, oid, verified_at) values
      (${world.id}, ${oidBytes(gone)}, now()), (${world.id}, ${oidBytes(kept)}, now())`.execute(gateway.database.sql);
    // The copy on disk has it.
    await Clone.of(git(gateway, world));
    await deleteBranch(world, 'gone');
    await age(world.id, 15);
    await age(forkId, 15);
    const collected = await collectAll(world.id);
    expect(collected).toMatchObject({ isComplete: true, young: 0 });
    // Two commits, two roots, the secret and the large file; `a.txt` is that of main.
    expect(collected?.objects).toBe(6);
    expect(await isStored(world.id, gone)).toBe(false);
    expect(await isStored(forkId, gone)).toBe(true);
    const { counted, stored } = await sizeOf(world.id);
    expect(counted).toBe(stored);
    expect(await defectsOf(world.id)).toEqual([]);
    expect(await defectsOf(forkId)).toEqual([]);
    const path = `/repos/${world.owner}/${world.name}/git/commits/`;
    expect((await call(other, 'GET', `${path}${gone}`)).status).toBe(404);
    expect((await call(other, 'GET', `${path}${kept}`)).status).toBe(200);
    // The fork has both commits, and they are of one network.
    const verified = (): Promise<{ oid: string }[]> =>
      gateway.database.read(
        sql`select encode(oid, 'hex') as oid from commit_verification where network_id = ${world.id}`,
      );
    expect(await verified()).toHaveLength(2);
    const branch = `refs/heads/gone`;
    await sql`delete from git_ref where repository_id = ${forkId} and name = ${branch}`.execute(gateway.database.sql);
    expect((await collectAll(forkId))?.objects).toBe(6);
    expect(await verified()).toEqual([{ oid: kept }]);
    // The next fetch lets the copy forget it as well, after the answer.
    await world.commit({ 'a.txt': 'two' });
    await Clone.of(git(gateway, world));
    const copies = join(data, 'git');
    const hasSecret = async (): Promise<boolean> => {
      for (const process of readdirSync(copies)) {
        for (const name of readdirSync(join(copies, process)).filter(one => one.startsWith(`${world.id}-`))) {
          const { code } = await runGit(join(copies, process, name), ['cat-file', '-e', gone]);
          if (code === 0) return true;
        }
      }
      return false;
    };
    for (const end = Date.now() + 20_000; (await hasSecret()) && Date.now() < end; await delay(50));
    expect(await hasSecret()).toBe(false);
  });

  test('keeps what was posted until the grace, and what was posted again', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const [blob, again] = [await postBlob(world, 'posted'), await postBlob(world, 'posted twice')];
    await age(world.id, 13);
    expect(await collectAll(world.id)).toMatchObject({ objects: 0, young: 2 });
    expect(await postBlob(world, 'posted twice')).toBe(again);
    await age(world.id, 2);
    expect(await collectAll(world.id)).toMatchObject({ objects: 1, young: 1 });
    expect([await isStored(world.id, blob), await isStored(world.id, again)]).toEqual([false, true]);
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('keeps what a young tree refers to', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const blob = await postBlob(world, 'old blob');
    await age(world.id, 20);
    expect((await postTree(world, blob)).errors).toBeUndefined();
    expect(await collectAll(world.id)).toMatchObject({ objects: 0, young: 2 });
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('keeps what a push revives while it waits for that push', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const revived = await world.commit({ 'b.txt': 'two' }, { branch: 'gone' });
    await world.commit({ 'c.txt': 'three' }, { branch: 'also-gone' });
    await deleteBranch(world, 'gone');
    await deleteBranch(world, 'also-gone');
    await age(world.id, 15);
    let collecting: ReturnType<typeof collectAll> | undefined;
    await inTransaction(gateway.database, async db => {
      await lockAgainstCollection(db, world.id);
      collecting = collectAll(world.id);
      await untilLockAwaited();
      await sql`insert into git_ref (repository_id, name, oid) values (${world.id}, 'refs/heads/back', ${oidBytes(revived)})`.execute(
        db,
      );
    });
    // The commit, the tree and the file of the other branch.
    expect(await collecting).toMatchObject({ objects: 3, isComplete: true });
    expect(await isStored(world.id, revived)).toBe(true);
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('keeps the commits from which an import maps authors anew', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const source = await world.commit({ 'b.txt': 'two' }, { branch: 'gone' });
    await deleteBranch(world, 'gone');
    await age(world.id, 15);
    await sql`
      with made as (insert into source_import (repository_id, vcs_url, status, may_change_workflows, created_at, updated_at)
        values (${world.id}, 'https://example.org/x.git', 'complete', false, now(), now()) returning id)
      insert into source_import_ref (import_id, name, oid, mapped_oid)
      select id, 'refs/heads/main', ${oidBytes(source)}::bytea, ${Buffer.alloc(20, 1)}::bytea from made`.execute(
      gateway.database.sql,
    );
    expect(await collectAll(world.id)).toMatchObject({ objects: 0, young: 0 });
    await sql`delete from source_import where repository_id = ${world.id}`.execute(gateway.database.sql);
    expect(await collectAll(world.id)).toMatchObject({ objects: 3 });
  });

  test('a push that waits for a collection holds no ref', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    let pushing: ReturnType<World['put']> | undefined;
    await inTransaction(gateway.database, async db => {
      await lockForCollection(db, world.id, 1_000);
      pushing = world.put('/contents/b.txt', { message: 'm', content: 'eA==' });
      await untilLockAwaited();
      const { rows } = await sql`select name from git_ref where repository_id = ${world.id} for update nowait`.execute(
        db,
      );
      expect(rows).toHaveLength(1);
    });
    expect((await pushing)?.status).toBe(201);
  });

  test('a tree is not stored when what it refers to is deleted meanwhile', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const blob = await postBlob(world, 'about to go');
    let posting: ReturnType<typeof postTree> | undefined;
    await inTransaction(gateway.database, async db => {
      await lockForCollection(db, world.id, 1_000);
      posting = postTree(world, blob);
      await untilLockAwaited();
      await sql`delete from git_object where repository_id = ${world.id} and oid = ${oidBytes(blob)}`.execute(db);
    });
    expect((await posting).errors).toMatchObject([{ extensions: { code: 'RULE_BROKEN' } }]);
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('a ref is not created at a commit that only the cache of the process has', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const gone = await world.commit({ 'b.txt': 'two' }, { branch: 'gone' });
    expect((await world.get(`/git/commits/${gone}`)).status).toBe(200);
    await deleteBranch(world, 'gone');
    await age(world.id, 15);
    expect((await collectAll(world.id))?.objects).toBe(3);
    const answer = await graphql(
      gateway,
      `mutation { ${createRef(world, 'refs/heads/back', gone)} }`,
      wren.classic_token,
    );
    expect(answer.errors).toMatchObject([{ extensions: { code: 'RULE_BROKEN' } }]);
    expect(await defectsOf(world.id)).toEqual([]);
  });

  test('a kept delta whose base is deleted is stored as a whole', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const [small, large] = [linesOf(300), linesOf(20_000)];
    // git takes the larger version as the base, which is that of the branch.
    await world.commit({ 'small.txt': small.join('\n'), 'large.txt': large.join('\n') });
    await world.commit(
      { 'small.txt': [...small, line()].join('\n'), 'large.txt': [...large, line()].join('\n') },
      { branch: 'gone' },
    );
    await world.commit({ 'other.txt': 'x', 'small.txt': 'y', 'large.txt': 'z' });
    expect((await repackAll(world.id))?.deltas).toBe(2);
    await deleteBranch(world, 'gone');
    await age(world.id, 15);
    expect((await collectAll(world.id))?.objects).toBe(4);
    expect(await countDeltas(world.id)).toBe(0);
    expect(await defectsOf(world.id)).toEqual([]);
    const clone = await Clone.of(git(other, world));
    await clone.run('fsck', '--strict');
    expect(await clone.run('show', 'HEAD~:large.txt')).toBe(large.join('\n'));
  });

  test('pushes and posts during collections lose nothing', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    await world.commit({ 'a.txt': 'one' });
    const failures: string[] = [];
    let isOver = false;
    const writer = async (name: string): Promise<void> => {
      for (let at = 0; !isOver; at++) {
        const branch = `${name}-${at}`;
        await world.commit({ [`${name}/${at}.txt`]: `${name} ${at}` }, { branch });
        await deleteBranch(world, branch);
        await age(world.id, 20);
        // The same objects are stored again while they may be deleted.
        await world.commit({ [`${name}/${at}.txt`]: `${name} ${at}` }, { branch });
        const answer = await world.put(`/contents/${name}-${at}.txt`, { message: 'm', content: 'eA==' });
        if (![201, 409].includes(answer.status)) failures.push(answer.text);
      }
    };
    const writers = [writer('one'), writer('two')];
    for (let round = 0; round < 12; round++) await collectAll(world.id);
    isOver = true;
    await Promise.all(writers);
    expect(failures).toEqual([]);
    expect(await defectsOf(world.id)).toEqual([]);
    await (await Clone.of(git(other, world), '--mirror')).run('fsck', '--strict', '--full');
  });
});

test('the tasks take the repositories that have grown or changed, once', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await commitVersions(world, 4);
  const never = (): boolean => false;
  const rowOf = async () => {
    const [row] = await gateway.database.read<{
      repackedAt: Date | null;
      collectedAt: Date | null;
      removals: number;
    }>(sql`
      select repacked_at as "repackedAt", collected_at as "collectedAt", removals from git_maintenance
      where repository_id = ${world.id}`);
    return row;
  };
  // Everything was stored just now.
  await repackGrown(context, never);
  expect(await countDeltas(world.id)).toBe(0);
  const begin = gateway.clock.now;
  gateway.clock.now = new Date(begin.getTime() + 2 * 60 * 60 * 1000);
  try {
    await repackGrown(context, never);
    expect(await countDeltas(world.id)).toBeGreaterThan(0);
    const repacked = (await rowOf())?.repackedAt;
    expect(new Date(repacked ?? 0)).toEqual(gateway.clock.now);
    await world.commit({ 'small.txt': 'changed' }, { branch: 'gone' });
    await deleteBranch(world, 'gone');
    await collectChanged(context, never);
    expect(await rowOf()).toMatchObject({ removals: 0, collectedAt: expect.anything() });
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 20 * dayMs);
    await repackGrown(context, never);
    expect((await rowOf())?.repackedAt).toEqual(repacked);
    // The young garbage of the first time is old now.
    await collectChanged(context, never);
    expect((await rowOf())?.removals).toBeGreaterThan(0);
    const collected = (await rowOf())?.collectedAt;
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 20 * dayMs);
    await collectChanged(context, never);
    expect((await rowOf())?.collectedAt).toEqual(collected);
  } finally {
    gateway.clock.now = begin;
  }
  expect(await defectsOf(world.id)).toEqual([]);
});

test('a repository that cannot be repacked is reported, and the others are done', async () => {
  const [damaged, sound] = [await newWorld(gateway, wren.classic_token), await newWorld(gateway, wren.classic_token)];
  await commitVersions(damaged, 3);
  await commitVersions(sound, 3);
  await sql`update git_object set z = substr(z, 1, 9) where repository_id = ${damaged.id} and type = 2`.execute(
    gateway.database.sql,
  );
  const begin = gateway.clock.now;
  gateway.clock.now = new Date(begin.getTime() + 2 * 60 * 60 * 1000);
  try {
    await expect(repackGrown(context, () => false)).rejects.toMatchObject({
      name: 'PermanentError',
      message: expect.stringContaining(`Repository ${damaged.id}: `),
    });
    expect([await countDeltas(damaged.id), (await countDeltas(sound.id)) > 0]).toEqual([0, true]);
    await repackGrown(context, () => false);
  } finally {
    gateway.clock.now = begin;
  }
});

import { existsSync, mkdirSync, readdirSync, rmdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { ruleset, suitesOf } from '../hosting/rules/push-methods.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

const data = temporaryFolder();
const gateway = await testGateway({ settings: { PORTICO_DATA: data } });
const demo = await demoOf(gateway);
const { wren } = demo.users;
const token = wren.classic_token;

const urlOf = ({ owner, name }: World, secret: string = token): string =>
  remoteUrl(gateway.url, `${owner}/${name}`, secret);

/** A repository with one commit, and a clone of it. */
async function cloned(files: Record<string, string> = { 'a.txt': 'one\n' }): Promise<{ world: World; clone: Clone }> {
  const world = await newWorld(gateway, token);
  await world.commit(files);
  return { world, clone: await Clone.of(urlOf(world)) };
}

const stored = async ({ id }: World): Promise<{ objects: number; refs: string[] }> => {
  const [row] = await gateway.database.read(sql<{ objects: number; refs: string[] }>`
    select (select count(*)::int from git_object where repository_id = ${id}) as objects,
      array(select name || ' ' || encode(oid, 'hex') from git_ref where repository_id = ${id} order by name) as refs`);
  return row ?? { objects: 0, refs: [] };
};

const incomingFolders = (): string[] =>
  readdirSync(join(data, 'git'))
    .map(name => join(data, 'git', name, 'incoming'))
    .filter(existsSync);

/** What is left of packs that arrived. */
const incoming = (): string[] => incomingFolders().flatMap(folder => readdirSync(folder));

/** They are deleted right after the answer. Waiting longer than the test may take fails it. */
async function packsAreGone(): Promise<void> {
  while (incoming().length > 0) await call(gateway, 'GET', '/livez');
}

describe('push', () => {
  test.each([0, 1, 2])('to a new repository, seen by REST and GraphQL at once (protocol v%i)', async version => {
    const world = await newWorld(gateway, token);
    const clone = await Clone.empty();
    const oid = await clone.commit({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' });
    await clone.run('tag', '-a', 'v1', '-m', 'First');
    await clone.run(
      '-c',
      `protocol.version=${version}`,
      'push',
      '-q',
      urlOf(world),
      'main',
      'v1',
      'HEAD:refs/heads/topic/x',
    );
    expect((await call(gateway, 'GET', `/repos/${world.owner}/${world.name}/contents/dir/b.txt`)).json).toMatchObject({
      content: 'dHdvCg==\n',
    });
    const { data: found } = await graphql(
      gateway,
      `{ repository(owner: "${world.owner}", name: "${world.name}") { ref(qualifiedName: "refs/heads/topic/x") { target { oid } } } }`,
      token,
    );
    expect(found.repository.ref.target.oid).toBe(oid);
    const events = (await call(gateway, 'GET', `/repos/${world.owner}/${world.name}/events`)).json;
    expect(events.map(({ type }: { type: string }) => type)).toEqual(expect.arrayContaining(['CreateEvent']));
    const other = await Clone.of(urlOf(world), '--mirror');
    await other.run('fsck', '--strict');
    expect(await other.run('rev-parse', 'v1^{commit}', 'main')).toBe(`${oid}\n${oid}`);
  });

  test('updates, forces, deletes and tags', async () => {
    const { world, clone } = await cloned();
    await clone.commit({ 'b.txt': 'two\n' });
    await clone.run('push', '-q', 'origin', 'main', 'main:other');
    await clone.run('commit', '-q', '--amend', '-m', 'Another');
    const late = await clone.attempt('push', 'origin', 'main');
    expect(late.stderr).toContain('non-fast-forward');
    await clone.run('push', '-q', '--force', 'origin', 'main');
    await clone.run('push', '-q', '--delete', 'origin', 'other');
    const head = await clone.run('rev-parse', 'HEAD');
    expect((await stored(world)).refs).toEqual([`refs/heads/main ${head}`]);
  });

  test('a large one: more objects than memory takes, blobs in chunks, chunked and compressed bodies', async () => {
    const world = await newWorld(gateway, token);
    const clone = await Clone.empty();
    let stream = 'commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n';
    for (let at = 0; at < 3_000; at++) {
      const text = `file ${at} ${Math.sin(at)}`;
      stream += `M 100644 inline d${at % 40}/f${at}\ndata ${text.length}\n${text}\n`;
    }
    const big = Array.from({ length: 300_000 }, (_, at) => `${Math.cos(at)}`).join('\n');
    stream += `M 100644 inline big.txt\ndata ${big.length}\n${big}\n`;
    await runGit(clone.path, ['fast-import', '--quiet'], { input: stream });
    await clone.run('push', '-q', urlOf(world), 'main');
    const other = await Clone.of(urlOf(world));
    await other.run('fsck', '--strict');
    expect(await other.run('rev-parse', 'HEAD^{tree}')).toBe(await clone.run('rev-parse', 'main^{tree}'));
    expect((await stored(world)).objects).toBe(
      Number((await clone.run('rev-list', '--objects', '--all')).split('\n').length),
    );
    await packsAreGone();
  });

  test('8 pushers on one branch: one winner each round, and the others are told to fetch first', async () => {
    const { world } = await cloned();
    const clones = await Promise.all(Array.from({ length: 8 }, () => Clone.of(urlOf(world))));
    for (let round = 0; round < 2; round++) {
      await Promise.all(clones.map((clone, at) => clone.commit({ [`f${at}`]: `${round}` }, `${round} ${at}`)));
      const results = await Promise.all(clones.map(clone => clone.attempt('push', 'origin', 'main')));
      const won = results.filter(({ code }) => code === 0);
      expect(won).toHaveLength(1);
      for (const { code, stderr } of results)
        if (code !== 0) expect(stderr).toMatch(/fetch first|failed to lock|Too many packs/);
      await Promise.all(clones.map(clone => clone.run('fetch', '-q')));
      await Promise.all(clones.map(clone => clone.run('reset', '-q', '--hard', 'origin/main')));
    }
    const heads = await Promise.all(clones.map(clone => clone.run('rev-parse', 'HEAD')));
    expect(new Set(heads).size).toBe(1);
    expect(await clones[0]?.run('rev-list', '--count', 'HEAD')).toBe('3');
  }, 120_000);
});

describe('refusals leave nothing', () => {
  test('rules say which rule, leave their suite and no object', async () => {
    const { world, clone } = await cloned();
    await ruleset(gateway, world, token, {
      target: 'branch',
      conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
      rules: [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'Fix' } }],
    });
    const before = await stored(world);
    await clone.commit({ 'b.txt': 'b' }, 'Not so');
    const one = await clone.attempt('push', '--atomic', 'origin', 'main', 'main:free');
    expect(one.stderr).toContain('remote: error: Repository rule violations found for refs/heads/main.');
    expect(one.stderr).toMatch(/main -> main \(push declined due to repository rule violations\)/);
    expect(one.stderr).toMatch(/main -> free \(another ref of this push was refused\)/);
    expect(await stored(world)).toEqual(before);
    expect(await suitesOf(gateway, world)).toMatchObject([{ result: 'fail' }]);
    // The same with more objects than are held in memory.
    let stream =
      'reset refs/heads/many\nfrom refs/heads/main\n\ncommit refs/heads/many\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n';
    for (let at = 0; at < 2_100; at++) stream += `M 100644 inline f${at}\ndata ${`${at}`.length}\n${at}\n`;
    await runGit(clone.path, ['fast-import', '--quiet'], { input: stream });
    const many = await clone.attempt('push', 'origin', 'many:main');
    expect(many.stderr).toContain('repository rule violations');
    expect(await stored(world)).toEqual(before);
    const unindexed = await gateway.database.read(sql<{ n: number }>`
      select count(*)::int as n from git_unindexed_commit q where repository_id = ${world.id}
        and not exists (select 1 from git_object o where o.repository_id = q.repository_id and o.oid = q.oid)`);
    expect(unindexed).toEqual([{ n: 0 }]);
    await clone.run('reset', '-q', '--soft', 'HEAD^');
    await clone.run('commit', '-q', '-m', 'Fix it');
    await clone.run('push', '-q', 'origin', 'main');
  });

  test('workflow files need that right', async () => {
    const { world, clone } = await cloned();
    const { json } = await call(gateway, 'GET', `/repos/${world.owner}/${world.name}`, `Bearer ${token}`);
    expect(json.name).toBe(world.name);
    await clone.commit({ '.host/workflows/run.yml': 'on: push' });
    const plain = await plainToken();
    const { stderr, code } = await clone.attempt('push', urlOf(world, plain), 'main');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('workflows: write') });
    await clone.run('push', '-q', 'origin', 'main');
  });

  test('the default branch, a bad name, refs that are folders of others, atomic pushes', async () => {
    const { world, clone } = await cloned();
    await clone.run('push', '-q', 'origin', 'main:gone');
    const both = await clone.attempt('push', 'origin', ':main', ':gone');
    expect(both.stderr).toMatch(/main \(deletion of the current branch prohibited\)/);
    expect(both.stderr).toMatch(/\[deleted\] +gone/);
    await clone.run('push', '-q', 'origin', 'main:refs/heads/x');
    const below = await clone.attempt('push', 'origin', 'main:refs/heads/x/y');
    expect(below.stderr).toMatch(/cannot be made: .refs\/heads\/x. exists/);
    const funny = await clone.attempt('push', 'origin', 'main:refs/heads/0123456789012345678901234567890123456789');
    expect(funny.stderr).toContain('funny refname');
    const atomic = await clone.attempt('push', '--atomic', 'origin', ':main', 'main:new');
    expect(atomic.code).not.toBe(0);
    expect((await stored(world)).refs.map(line => line.split(' ')[0])).toEqual(['refs/heads/main', 'refs/heads/x']);
  });

  test('an archived repository', async () => {
    const { world, clone } = await cloned();
    const repositoryId = await globalIdOf(gateway, `${world.owner}/${world.name}`);
    await graphql(
      gateway,
      `mutation { archiveRepository(input: { repositoryId: "${repositoryId}" }) { clientMutationId } }`,
      token,
    );
    await clone.commit({ 'b.txt': 'b' });
    const { code, stderr } = await clone.attempt('push', 'origin', 'main');
    expect({ code, stderr }).toMatchObject({ code: 128, stderr: expect.stringContaining('archived so is read-only') });
    await clone.run('fetch', '-q');
  });

  test.each([
    ['.git', '40000 .git\0'],
    ['.GIT in NTFS', '40000 git~1\0'],
    ['..', '40000 ..\0'],
    ['a name with a slash', '40000 a/b\0'],
  ])('a tree with %s', async (_name, entry) => {
    const { world, clone } = await cloned();
    const before = await stored(world);
    const inner = await clone.run('rev-parse', 'HEAD^{tree}');
    const bytes = Buffer.concat([Buffer.from(entry), Buffer.from(inner, 'hex')]);
    const { stdout: tree } = await runGit(clone.path, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
      input: bytes,
    });
    const commit = await clone.run('commit-tree', '-p', 'HEAD', '-m', 'evil', tree.trim());
    const { code, stderr } = await clone.attempt('push', 'origin', `${commit}:refs/heads/evil`);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/remote: error: object [0-9a-f]{40}: /),
    });
    expect(stderr).not.toContain(data);
    expect(await stored(world)).toEqual(before);
  });

  test('a commit whose parent is nowhere', async () => {
    const { world, clone } = await cloned();
    const before = await stored(world);
    const text = `tree ${await clone.run('rev-parse', 'HEAD^{tree}')}\nparent ${'1'.repeat(40)}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nx\n`;
    const { stdout } = await runGit(clone.path, ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], {
      input: text,
    });
    const pack = await packOf(clone, [stdout.trim()]);
    const answer = await sendPush(world, `${'0'.repeat(40)} ${stdout.trim()} refs/heads/hole`, pack);
    expect(answer).toMatch(/unpack missing objects/);
    expect(answer).toContain('needs the commit 1111');
    expect(await stored(world)).toEqual(before);
  });

  test.each([
    ['a changed byte', (pack: Buffer) => Buffer.concat([pack.subarray(0, -25), Buffer.from([1]), pack.subarray(-24)])],
    ['half of it', (pack: Buffer) => pack.subarray(0, Math.floor(pack.length / 2))],
    ['no pack', () => Buffer.from('nothing of the kind')],
  ])('a damaged pack: %s', async (_name, damage) => {
    const { world, clone } = await cloned();
    const before = await stored(world);
    const oid = await clone.commit({ 'b.txt': 'b'.repeat(1000) });
    const pack = damage(
      await packOf(
        clone,
        (await clone.run('rev-list', '--objects', '--no-object-names', 'HEAD', '^origin/main')).split('\n'),
      ),
    );
    const answer = await sendPush(world, `${'0'.repeat(40)} ${oid} refs/heads/broken`, pack);
    expect(answer).toMatch(/unpack The pack is damaged or incomplete/);
    expect(answer).toContain('ng refs/heads/broken unpacker error');
    expect(await stored(world)).toEqual(before);
    await packsAreGone();
  });

  test('what is no pack makes no folder', async () => {
    const { world, clone } = await cloned();
    const oid = await clone.commit({ 'b.txt': 'b' });
    const push = (pack: string) => sendPush(world, `${'0'.repeat(40)} ${oid} refs/heads/broken`, Buffer.from(pack));
    const pack = 'PACK\0\0\0\x02\0\0\0\x05';
    await push(pack);
    await packsAreGone();
    const [folder = ''] = incomingFolders();
    const names = new Set<string | null>();
    const watched = Promise.withResolvers<void>();
    const watcher = watch(folder, (_event, name) => (name === 'last' ? watched.resolve() : names.add(name)));
    for (const body of ['nothing of the kind', pack])
      expect(await push(body)).toContain('ng refs/heads/broken unpacker error');
    await packsAreGone();
    // Events arrive in their order.
    mkdirSync(join(folder, 'last'));
    await watched.promise;
    watcher.close();
    rmdirSync(join(folder, 'last'));
    expect(names.size).toBe(1);
  });

  test('a client that leaves in the middle', async () => {
    const { world } = await cloned();
    const before = await stored(world);
    const stop = new AbortController();
    const body = new ReadableStream({
      start(controller) {
        const line = `${'0'.repeat(40)} ${'2'.repeat(40)} refs/heads/half\0report-status`;
        controller.enqueue(
          Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000PACK\0\0\0\x02\0\0\0\x05`),
        );
        setTimeout(() => stop.abort(), 300);
      },
    });
    const init = { method: 'POST', headers: pushHeaders, body, duplex: 'half', signal: stop.signal } as RequestInit;
    await expect(fetch(`${gateway.url}/${world.owner}/${world.name}.git/git-receive-pack`, init)).rejects.toThrow();
    for (let tries = 0; tries < 100 && incoming().length > 0; tries++)
      await new Promise(resolve => setImmediate(resolve));
    while (incoming().length > 0) await call(gateway, 'GET', '/livez');
    expect(await stored(world)).toEqual(before);
  });
});

const pushHeaders = {
  'content-type': 'application/x-git-receive-pack-request',
  authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
};

async function sendPush({ owner, name }: World, command: string, pack: Buffer): Promise<string> {
  const line = `${command}\0report-status side-band-64k`;
  const head = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  const { status, text } = await gateway.request(`/${owner}/${name}.git/git-receive-pack`, {
    method: 'POST',
    headers: pushHeaders,
    body: Buffer.concat([Buffer.from(head), pack]),
  });
  expect(status).toBe(200);
  return text;
}

function packOf(clone: Clone, oids: string[]): Promise<Buffer> {
  return clone.bytes(['pack-objects', '--stdout', '-q'], oids.map(oid => `${oid}\n`).join(''));
}

/** A classic token of wren without the scope `workflow`. */
async function plainToken(): Promise<string> {
  const [wrens] = await gateway.database.read(sql<{ id: number }>`select id from account where login = 'wren'`);
  const credential = { kind: 'classic', accountId: wrens?.id ?? 0, scopes: ['repo'] } as const;
  const made = await inTransaction(gateway.database, db => insertCredential(db, credential, gateway.clock.now));
  return made.token;
}

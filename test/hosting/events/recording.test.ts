import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { createObject } from '../../../src/git/object.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { encodeTree } from '../../../src/git/tree.ts';
import { push } from '../../../src/hosting/pushes/push.ts';
import { pushPipeline } from '../../../src/hosting/pushes/push-pipeline.ts';
import { testGateway } from '../../harness/gateway.ts';
import { createRef, deleteRef, repositoryNamed, updateRef } from '../../harness/git-mutations.ts';
import { acceptInvitations, appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';
import { chain } from './chain.ts';

const gateway = await testGateway({ now: '2026-11-01T12:00:00Z' });
const demo = await demoOf(gateway);
const { juniper, linh, tomas, wren } = demo.users;
const zeros = '0'.repeat(40);

const done = async (query: string, token: string, variables = {}) => {
  const { data, errors } = await graphql(gateway, query, token, variables);
  expect(errors).toBeUndefined();
  return data;
};
/** Types and payloads in the feed of a repository, newest first. */
async function told({ owner, name }: { owner: string; name: string }, token = juniper.classic_token) {
  const { status, json } = await call(gateway, 'GET', `/repos/${owner}/${name}/events?per_page=100`, `Bearer ${token}`);
  expect(status).toBe(200);
  return json as { id: string; type: string; payload: Record<string, never>; actor: { login: string } }[];
}
const write = (world: World, path: string, branch = 'main', token = juniper.classic_token) =>
  world.put(`/contents/${path}`, { message: `Write ${path}`, content: 'aGk=', branch }, token);
const ref = async ({ owner, name }: World, mutation: (id: number) => string) => {
  const { id } = await repositoryNamed(gateway, `${owner}/${name}`);
  return done(`mutation { ${mutation(id)} }`, juniper.classic_token);
};

describe('a push', () => {
  test('records its commits, including the first commit of a branch in an empty repository', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const first = (await write(world, 'one')).json.commit.sha;
    const second = (await write(world, 'two')).json.commit.sha;
    const events = await told(world);
    expect(events.map(({ type }) => type)).toEqual(['PushEvent', 'PushEvent', 'CreateEvent', 'CreateEvent']);
    const commit = (sha: string, message: string) => ({
      sha,
      author: { email: '2+juniper@users.noreply.127.0.0.1', name: 'Juniper Okafor' },
      message,
      distinct: true,
      url: `${gateway.url}/repos/juniper/${world.name}/commits/${sha}`,
    });
    const pushed = (at: number, head: string, before: string, message: string) => ({
      repository_id: world.id,
      push_id: Number(events[at]?.id),
      size: 1,
      distinct_size: 1,
      ref: 'refs/heads/main',
      head,
      before,
      commits: [commit(head, message)],
    });
    // Compared as JSON text, because the key order is part of the contract.
    expect(JSON.stringify(events, null, 1)).toBe(
      JSON.stringify(
        [
          { type: 'PushEvent', payload: pushed(0, second, first, 'Write two') },
          { type: 'PushEvent', payload: pushed(1, first, zeros, 'Write one') },
          {
            type: 'CreateEvent',
            payload: {
              ref: 'main',
              ref_type: 'branch',
              full_ref: 'refs/heads/main',
              master_branch: 'main',
              description: null,
              pusher_type: 'user',
            },
          },
          {
            type: 'CreateEvent',
            payload: {
              ref: null,
              ref_type: 'repository',
              full_ref: null,
              master_branch: 'main',
              description: null,
              pusher_type: 'user',
            },
          },
        ].map(({ type, payload }, at) => ({
          id: events[at]?.id,
          type,
          actor: {
            id: 2,
            login: 'juniper',
            display_login: 'juniper',
            avatar_id: '',
            gravatar_id: '',
            url: `${gateway.url}/users/juniper`,
            avatar_url: `${gateway.url}/avatars/2.svg`,
          },
          repo: {
            id: world.id,
            name: `juniper/${world.name}`,
            url: `${gateway.url}/repos/juniper/${world.name}`,
          },
          payload,
          public: true,
          created_at: '2026-11-01T12:00:00Z',
        })),
        null,
        1,
      ),
    );
  });

  test('records created, updated and deleted branches and tags', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const first = (await write(world, 'one')).json.commit.sha;
    const second = (await write(world, 'two')).json.commit.sha;
    const before = (await told(world)).length;
    const newest = async () => (await told(world)).slice(0, -before).map(({ type, payload }) => ({ type, payload }));
    const named = (name: string, refType: string) => ({
      ref: name,
      ref_type: refType,
      full_ref: `refs/${refType === 'tag' ? 'tags' : 'heads'}/${name}`,
    });
    const about = { master_branch: 'main', description: null, pusher_type: 'user' };
    // A branch without new commits is no push event.
    await ref(world, id => createRef({ id }, 'refs/heads/side', first));
    await ref(world, id => createRef({ id }, 'refs/tags/v1', second));
    await ref(world, id => updateRef({ id }, 'refs/heads/side', second));
    await ref(world, id => updateRef({ id }, 'refs/heads/side', first, { force: true }));
    await ref(world, id => deleteRef({ id }, 'refs/tags/v1'));
    await ref(world, id => deleteRef({ id }, 'refs/heads/side'));
    await ref(world, id => createRef({ id }, 'refs/notes/x', first));
    const pushed = (head: string, from: string) => ({ ref: 'refs/heads/side', head, before: from, distinct_size: 0 });
    expect(await newest()).toMatchObject([
      { type: 'DeleteEvent', payload: { ...named('side', 'branch'), pusher_type: 'user' } },
      { type: 'DeleteEvent', payload: { ...named('v1', 'tag'), pusher_type: 'user' } },
      { type: 'PushEvent', payload: { ...pushed(first, second), size: 0, commits: [] } },
      {
        type: 'PushEvent',
        payload: { ...pushed(second, first), size: 1, commits: [{ sha: second, distinct: false }] },
      },
      { type: 'CreateEvent', payload: { ...named('v1', 'tag'), ...about } },
      { type: 'CreateEvent', payload: { ...named('side', 'branch'), ...about } },
    ]);
  });

  const context = {
    ...unlimitedSource(gateway.database.read),
    now: () => gateway.clock.now,
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
  };
  const tree = createObject('tree', encodeTree([]));
  const main = 'refs/heads/main';

  test('of 25 commits records the newest 20, and truncates texts', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const commits = chain(25, at => (at === 24 ? `${'x'.repeat(9_000)}` : `Commit ${at}`));
    const request = { repositoryId: world.id, pusherId: 2, objects: [tree, ...commits] };
    const to = commits.at(-1)?.oid ?? null;
    await push(context, { ...request, updates: [{ ref: main, to }] });
    const [{ payload } = { payload: {} as Record<string, never> }] = await told(world);
    expect(payload).toMatchObject({ size: 25, distinct_size: 25, head: to, before: zeros });
    const messages = (payload.commits as unknown as { message: string }[]).map(({ message }) => message);
    expect(messages).toEqual([...Array.from({ length: 19 }, (_, at) => `Commit ${at + 5}`), 'x'.repeat(8_192)]);
  });

  test('of many branches names commits of 4 million characters in all its events, and counts those of each', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const commits = chain(21, at => `${at} ${'x'.repeat(8_000)}`);
    const [first, last] = [commits[0]?.oid ?? null, commits.at(-1)?.oid ?? null];
    const request = { repositoryId: world.id, pusherId: 2, objects: [tree, ...commits] };
    const branches = (to: string | null) =>
      Array.from({ length: 60 }, (_, at) => ({ ref: `refs/heads/b${100 + at}`, to }));
    await push(context, { ...request, updates: branches(first) });
    await push(context, { ...request, updates: branches(last) });
    const payloads = (await told(world)).filter(({ type }) => type === 'PushEvent').slice(0, 60);
    const events = payloads.map(({ payload }) => payload as { size?: number; commits?: { message: string }[] });
    expect(new Set(events.map(({ size }) => size))).toEqual(new Set([20]));
    const named = events.flatMap(event => event.commits ?? []);
    expect(named.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(4_000_000);
    expect(named.length).toBe(480);
  });

  test('of more than three tags records none, and one without an actor records nothing', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const [one, two] = chain(2, at => `${at}`);
    const objects = [tree, ...chain(2, at => `${at}`)];
    const tags = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => ({ ref: `refs/tags/${name}${at}`, to: one?.oid ?? null }));
    const request = { repositoryId: world.id, pusherId: 2, objects };
    await push(context, { ...request, updates: [{ ref: main, to: one?.oid ?? null }, ...tags(4, 'a')] });
    await push(context, { ...request, updates: tags(3, 'b') });
    await push(context, { repositoryId: world.id, updates: [{ ref: main, to: two?.oid ?? null }] });
    expect((await told(world)).map(({ type, payload }) => `${type} ${payload.ref}`)).toEqual([
      'CreateEvent b2',
      'CreateEvent b1',
      'CreateEvent b0',
      `PushEvent ${main}`,
      'CreateEvent main',
      'CreateEvent null',
    ]);
  });

  test('that is rolled back records nothing; 200 concurrent ones record 200 events', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const commits = chain(201, at => `${at}`);
    const request = { repositoryId: world.id, pusherId: 2, objects: [tree, ...commits] };
    await push(context, { ...request, updates: [{ ref: main, to: commits[0]?.oid ?? null }] });
    const before = await countOf(world);
    const refused = { rules: [async () => [{ ref: main, message: 'No.' }]], events: [], deliveries: [] };
    const to = (at: number) => [{ ref: main, to: commits[at]?.oid ?? null }];
    expect(await push(context, { ...request, updates: to(1) }, refused)).toMatchObject({ kind: 'refused' });
    const thrown = push(
      context,
      { ...request, updates: to(1) },
      {
        rules: [],
        events: pushPipeline.events,
        deliveries: [() => Promise.reject(new Error('Afterwards.'))],
      },
    );
    await expect(thrown).rejects.toThrow('Afterwards.');
    const wrong = [{ ref: main, expected: zeros, to: commits[1]?.oid ?? null }];
    expect(await push(context, { ...request, updates: wrong })).toMatchObject({ kind: 'conflict' });
    expect(await countOf(world)).toBe(before);
    const { objects: _, ...later } = request;
    for (let at = 1; at <= 200; at++) await push(context, { ...later, updates: to(at) });
    expect(await countOf(world)).toBe(before + 200);
    const { rows } = await sql<{ heads: number }>`select count(distinct payload ->> 'head')::int as heads from event
      where repository_id = ${world.id} and type = 'PushEvent'`.execute(gateway.database.sql);
    expect(rows[0]?.heads).toBe(201);
  });

  async function countOf({ id }: World): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from event where repository_id = ${id}`.execute(gateway.database.sql);
    return rows[0]?.count ?? 0;
  }

  test('by an app records its bot as actor', async () => {
    const written = await call(
      gateway,
      'PUT',
      '/repos/harbor-lab/tides/contents/by-app',
      `Bearer ${(await installationToken()).token}`,
      { message: 'By an app', content: 'aGk=' },
    );
    expect(written.status).toBe(201);
    const [event] = await told({ owner: 'harbor-lab', name: 'tides' });
    const login = 'harbor-pilot[bot]';
    expect(event).toMatchObject({
      type: 'PushEvent',
      actor: { login, display_login: login, url: `${gateway.url}/users/${encodeURIComponent(login)}` },
      org: { login: 'harbor-lab', url: `${gateway.url}/orgs/harbor-lab` },
    });
    expect(Object.keys(event ?? {})).toEqual(['id', 'type', 'actor', 'repo', 'payload', 'public', 'created_at', 'org']);
  });
});

async function installationToken(): Promise<{ token: string }> {
  const path = `/app/installations/${demo.app.installation_id}/access_tokens`;
  return (await call(gateway, 'POST', path, `Bearer ${await appJwt(gateway, demo)}`)).json;
}

describe('other actions', () => {
  test('starring records one event, unstarring none', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const id = encodeGlobalId('Repository', world.id);
    const star = (mutation: string) =>
      done(`mutation { ${mutation}(input: { starrableId: "${id}" }) { starrable { id } } }`, tomas.classic_token);
    await star('addStar');
    await star('addStar');
    await star('removeStar');
    expect(await told(world)).toMatchObject([
      { type: 'WatchEvent', payload: { action: 'started' }, actor: { login: 'tomas' } },
      { type: 'CreateEvent' },
    ]);
  });

  test('adding a collaborator records an event, changing the role none', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const repository = `repository: { named: { owner: "juniper", name: "${world.name}" } }`;
    const of = `${repository}, userId: "${await globalIdOf(gateway, 'tomas')}"`;
    for (const permission of ['READ', 'WRITE']) {
      await done(
        `mutation { setCollaborator(input: { ${of}, permission: ${permission} }) { permission } }`,
        juniper.classic_token,
      );
      if (permission === 'READ') expect(await told(world)).toHaveLength(1);
      await acceptInvitations(gateway, tomas.classic_token);
    }
    const events = await told(world);
    expect(events.map(({ type }) => type)).toEqual(['MemberEvent', 'CreateEvent']);
    expect(events[0]).toMatchObject({ actor: { login: 'juniper' } });
    expect(events[0]?.payload).toMatchObject({ action: 'added', member: { login: 'tomas', type: 'User' } });
  });

  test('publishing a repository records one event; making it private hides its events', async () => {
    const world = await newWorld(gateway, juniper.classic_token, { isPrivate: true });
    await write(world, 'one');
    const change = (visibility: string) => `mutation {
      updateRepository(input: { repositoryId: "${encodeGlobalId('Repository', world.id)}", visibility: ${visibility} }) {
        repository { isPrivate visibility } } }`;
    const show = async (isPrivate: boolean) =>
      (await done(change(isPrivate ? 'PRIVATE' : 'PUBLIC'), juniper.classic_token)).updateRepository.repository;
    const open = async () => {
      const { json } = await call(gateway, 'GET', '/users/juniper/events/public?per_page=100');
      return (json as { repo: { id: number } }[]).filter(({ repo }) => repo.id === world.id).length;
    };
    expect(await open()).toBe(0);
    expect(await show(false)).toEqual({ isPrivate: false, visibility: 'PUBLIC' });
    await show(false);
    const events = await told(world);
    expect(events.map(({ type }) => type)).toEqual(['PublicEvent', 'PushEvent', 'CreateEvent', 'CreateEvent']);
    expect(JSON.stringify(events[0]?.payload)).toBe('{}');
    expect(await open()).toBe(4);
    expect(await show(true)).toEqual({ isPrivate: true, visibility: 'PRIVATE' });
    expect(await open()).toBe(0);
    const others = await graphql(gateway, change('PUBLIC'), linh.classic_token);
    expect(others.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('a fork', () => {
  const fork = (owner: string, name: string, token: string, more = '') =>
    graphql(
      gateway,
      `mutation { forkRepository(input: { repository: { named: { owner: "${owner}", name: "${name}" } }${more} }) {
        repository { databaseId nameWithOwner isFork isPrivate parent { nameWithOwner } networkRoot { nameWithOwner }
          networkForkCount } } }`,
      token,
    );

  test('has all data of its parent, and records an event of the parent', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const large = 'x'.repeat(1024 * 1024 + 7);
    await world.commit({ 'a/b.txt': 'text', large });
    const tip = (await write(world, 'one')).json.commit.sha;
    const made = (await fork('juniper', world.name, tomas.classic_token)).data.forkRepository.repository;
    const parent = { nameWithOwner: `juniper/${world.name}` };
    const { databaseId, ...facts } = made;
    expect(facts).toEqual({
      nameWithOwner: `tomas/${world.name}`,
      isFork: true,
      isPrivate: false,
      parent,
      networkRoot: parent,
      networkForkCount: 0,
    });
    const [event] = await told(world);
    expect(event).toMatchObject({ type: 'ForkEvent', actor: { login: 'tomas' }, repo: { id: world.id } });
    expect(event?.payload).toMatchObject({
      action: 'forked',
      forkee: { id: databaseId, full_name: `tomas/${world.name}`, fork: true, public: true },
    });
    expect(Object.keys(event?.payload.forkee ?? {})).toContain('default_branch');
    // The second request returns the same fork and records no event.
    const again = await fork('juniper', world.name, tomas.classic_token);
    expect(again.data.forkRepository.repository.databaseId).toBe(databaseId);
    expect((await told(world)).filter(({ type }) => type === 'ForkEvent')).toHaveLength(1);
    const there = `/repos/tomas/${world.name}`;
    const raw = await gateway.request(`${there}/contents/large`, {
      headers: { 'user-agent': 'portico tests', accept: 'application/vnd.host.raw' },
    });
    expect(raw.text).toBe(large);
    const branch = await call(gateway, 'GET', `${there}/git/commits/${tip}`);
    expect(branch.status).toBe(200);
    // Both repositories are independent from now on.
    await call(gateway, 'PUT', `${there}/contents/two`, `Bearer ${tomas.classic_token}`, {
      message: 'Two',
      content: 'aGk=',
    });
    expect((await call(gateway, 'GET', `/repos/juniper/${world.name}/contents/two`)).status).toBe(404);
    const second = await fork('tomas', world.name, linh.classic_token, ', name: "copy-of-copy"');
    expect(second.data.forkRepository.repository).toMatchObject({
      nameWithOwner: 'linh/copy-of-copy',
      parent: { nameWithOwner: `tomas/${world.name}` },
      networkRoot: parent,
      networkForkCount: 1,
    });
    const network = await call(gateway, 'GET', `/networks/linh/copy-of-copy/events?per_page=100`);
    const names = (network.json as { repo: { name: string } }[]).map(({ repo }) => repo.name);
    expect(new Set(names)).toEqual(new Set([`juniper/${world.name}`, `tomas/${world.name}`]));
  });

  test('has the visibility of its parent, and publishes nothing private', async () => {
    const world = await newWorld(gateway, wren.classic_token, { isPrivate: true });
    await world.commit({ a: 'b' });
    expect((await fork('wren', world.name, tomas.classic_token)).errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await fork('wren', world.name, wren.classic_token)).errors[0].extensions.code).toBe('RULE_BROKEN');
    const ownerId = await globalIdOf(gateway, 'harbor-lab');
    const made = await fork('wren', world.name, wren.classic_token, `, ownerId: "${ownerId}", name: "shut"`);
    expect(made.data.forkRepository.repository).toMatchObject({ nameWithOwner: 'harbor-lab/shut', isPrivate: true });
    const repositoryId = encodeGlobalId('Repository', made.data.forkRepository.repository.databaseId);
    const opened = await graphql(
      gateway,
      `mutation { updateRepository(input: { repositoryId: "${repositoryId}", visibility: PUBLIC }) { repository { id } } }`,
      wren.classic_token,
    );
    expect(opened.errors[0].extensions.code).toBe('RULE_BROKEN');
    const anonymous = await graphql(
      gateway,
      'mutation { forkRepository(input: { repository: { named: { owner: "harbor-lab", name: "tides" } } }) { repository { id } } }',
    );
    expect(anonymous.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  test('is created once per owner by concurrent requests', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const all = await Promise.all(Array.from({ length: 4 }, () => fork('juniper', world.name, tomas.classic_token)));
    expect(new Set(all.map(({ data }) => data.forkRepository.repository.databaseId)).size).toBe(1);
  });
});

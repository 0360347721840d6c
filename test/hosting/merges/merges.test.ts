import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { verifyRepository } from '../../../src/git/maintenance/verify-repository.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper, tomas] = (['wren', 'juniper', 'tomas'] as const).map(login => users[login].classic_token) as [
  string,
  string,
  string,
];
const { ask, status } = callsWithTokens(gateway);

const pathOf = ({ owner, name }: Pick<World, 'owner' | 'name'>): string => `/repos/${owner}/${name}`;
const merge = (world: World, base: string, head: string, body: object = {}, token = wren) =>
  ask('POST', `${pathOf(world)}/merges`, token, { base, head, ...body });
const textOf = async (path: string, file: string, ref = 'main') =>
  Buffer.from((await ask('GET', `${path}/contents/${file}?ref=${ref}`, wren)).json.content, 'base64').toString();

const lines = (changes: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, n) => `${changes[n] ?? `line ${n}`}\n`).join('');

/** A repository with the branches main and topic, which start from one commit. */
async function diverging(): Promise<World> {
  const world = await newWorld(gateway, wren);
  const base = await world.commit({ 'a.txt': lines(), 'b.txt': 'b\n' });
  await ask('POST', `${pathOf(world)}/git/refs`, wren, { ref: 'refs/heads/topic', sha: base });
  return world;
}

describe('a merge of branches', () => {
  test('is one signed commit with both parents, and a push', async () => {
    const world = await diverging();
    const ours = await world.commit({ 'a.txt': lines({ 1: 'ours' }) });
    const theirs = await world.commit({ 'a.txt': lines({ 10: 'theirs' }), 'c/new.txt': 'c' }, { branch: 'topic' });
    const { status: code, json } = await merge(world, 'main', 'topic');
    expect([code, json]).toMatchObject([
      201,
      {
        parents: [{ sha: ours }, { sha: theirs }],
        author: { login: 'wren' },
        committer: { login: 'web-flow' },
        commit: { message: 'Merge topic into main', verification: { verified: true, reason: 'valid' } },
      },
    ]);
    expect((await world.get('/commits/main')).json.sha).toBe(json.sha);
    expect(await textOf(pathOf(world), 'a.txt')).toBe(lines({ 1: 'ours', 10: 'theirs' }));
    expect(await textOf(pathOf(world), 'c/new.txt')).toBe('c');
    const [event] = (await world.get('/events')).json;
    expect(event).toMatchObject({ type: 'PushEvent', payload: { head: json.sha, before: ours } });

    expect((await merge(world, 'main', 'topic')).status).toBe(204);
    expect((await merge(world, 'main', theirs)).status).toBe(204);
    expect((await world.get('/commits/main')).json.sha).toBe(json.sha);
  });

  test('makes a commit where the base could be moved forward, with the message that was sent', async () => {
    const world = await diverging();
    const theirs = await world.commit({ 'b.txt': 'c\n' }, { branch: 'topic' });
    const { json } = await merge(world, 'main', theirs, { commit_message: 'Shipped' });
    expect(json).toMatchObject({ commit: { message: 'Shipped' }, parents: [{}, { sha: theirs }] });
  });

  test('in the graph', async () => {
    const world = await diverging();
    await world.commit({ 'b.txt': 'c\n' }, { branch: 'topic' });
    const document = `mutation($input: MergeBranchInput!) { mergeBranch(input: $input) { mergeCommit { oid message } } }`;
    const input = { repositoryId: encodeGlobalId('Repository', world.id), base: 'main', head: 'topic' };
    const { data } = await graphql(gateway, document, wren, { input });
    expect(data.mergeBranch.mergeCommit).toEqual({
      oid: (await world.get('/commits/main')).json.sha,
      message: 'Merge topic into main',
    });
    expect((await graphql(gateway, document, wren, { input })).data.mergeBranch.mergeCommit).toBeNull();
  });

  test('concurrent merges into one branch are all made', async () => {
    const world = await diverging();
    const heads = await Promise.all(
      ['one', 'two', 'three'].map(async name => {
        const { json } = await world.get('/commits/topic');
        await ask('POST', `${pathOf(world)}/git/refs`, wren, { ref: `refs/heads/${name}`, sha: json.sha });
        await world.commit({ [`${name}.txt`]: name }, { branch: name });
        return name;
      }),
    );
    const codes = await Promise.all(heads.map(async head => (await merge(world, 'main', head)).status));
    expect(codes).toEqual([201, 201, 201]);
    for (const name of heads) expect(await textOf(pathOf(world), `${name}.txt`)).toBe(name);
  });

  test('conflicts are refused with their path, and nothing is changed', async () => {
    const world = await diverging();
    const ours = await world.commit({ 'a.txt': lines({ 1: 'ours' }) });
    await world.commit({ 'a.txt': lines({ 1: 'theirs' }) }, { branch: 'topic' });
    const { status: code, json } = await merge(world, 'main', 'topic');
    expect([code, json]).toMatchObject([
      409,
      {
        message: 'Merge conflict',
        errors: [{ resource: 'Merge', field: 'a.txt', code: 'custom', message: 'Both sides change the same lines.' }],
      },
    ]);
    expect((await world.get('/commits/main')).json.sha).toBe(ours);
    const tree = (await world.get('/git/trees/main')).json.sha;
    const root = await ask('POST', `${pathOf(world)}/git/commits`, wren, { message: 'r', tree });
    expect((await merge(world, 'main', root.json.sha)).json.errors[0].message).toBe(
      'The histories have no common ancestor.',
    );
  });

  test('refused: unknown bases and heads, callers without write access, and what rules refuse', async () => {
    const world = await diverging();
    await world.commit({ 'b.txt': 'c\n' }, { branch: 'topic' });
    for (const [base, head] of [
      ['none', 'topic'],
      ['..', 'topic'],
      ['main', 'none'],
      ['main', '0'.repeat(40)],
    ])
      expect([base, head, (await merge(world, base as string, head as string)).status]).toEqual([base, head, 404]);
    expect((await merge(world, 'main', 'topic', {}, tomas)).status).toBe(403);
    expect(await status('POST', `${pathOf(world)}/merges`, undefined, { base: 'main', head: 'topic' })).toBe(403);
    expect((await ask('POST', `${pathOf(world)}/merges`, wren, { base: 'main' })).status).toBe(422);
    const rules = [{ type: 'required_linear_history' }];
    const conditions = { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } };
    const ruleset = { name: 'linear', target: 'branch', enforcement: 'active', rules, conditions };
    expect(await status('POST', `${pathOf(world)}/rulesets`, wren, ruleset)).toBe(201);
    expect((await merge(world, 'main', 'topic')).status).toBe(409);
  });
});

describe('a fork', () => {
  let made = 0;
  async function forked(): Promise<{ origin: World; fork: string; id: number }> {
    const origin = await diverging();
    const { json } = await ask('POST', `${pathOf(origin)}/forks`, juniper, { name: `synced-${++made}` });
    return { origin, fork: `/repos/${json.full_name}`, id: json.id };
  }
  const sync = (fork: string, branch = 'main', token = juniper) =>
    ask('POST', `${fork}/merge-upstream`, token, { branch });
  const tipOf = async (path: string, branch = 'main') => (await ask('GET', `${path}/commits/${branch}`, wren)).json.sha;
  async function defectsOf(id: number): Promise<string[]> {
    const found: string[] = [];
    const repository = openRepository(
      unlimitedSource(query => gateway.database.read(query)),
      id,
    );
    await verifyRepository(repository, { onDefect: line => found.push(line), signal: new AbortController().signal });
    return found;
  }

  test('is moved forward to its origin, whose objects it gets', async () => {
    const { origin, fork, id } = await forked();
    await origin.commit({ large: randomBytes(2_500_000), 'b.txt': 'new' });
    const tip = await origin.commit({ 'd/e.txt': 'newer' });
    const { status: code, json } = await sync(fork);
    expect([code, json]).toEqual([
      200,
      {
        message: 'Successfully fetched and fast-forwarded from upstream wren:main.',
        merge_type: 'fast-forward',
        base_branch: 'wren:main',
      },
    ]);
    expect(await tipOf(fork)).toBe(tip);
    expect(await defectsOf(id)).toEqual([]);
    expect((await ask('GET', `${fork}/commits?per_page=2`, juniper)).json).toHaveLength(2);
    expect((await sync(fork)).json).toEqual({
      message: 'This branch is not behind the upstream wren:main.',
      merge_type: 'none',
      base_branch: 'wren:main',
    });
  });

  test('with commits of its own gets a merge commit', async () => {
    const { origin, fork, id } = await forked();
    await ask('PUT', `${fork}/contents/own.txt`, juniper, { message: 'Own', content: 'b3du' });
    const own = await tipOf(fork);
    const theirs = await origin.commit({ 'a.txt': lines({ 3: 'theirs' }) });
    expect((await sync(fork)).json.merge_type).toBe('merge');
    const { json } = await ask('GET', `${fork}/commits/main`, juniper);
    expect(json).toMatchObject({
      parents: [{ sha: own }, { sha: theirs }],
      commit: { message: "Merge branch 'wren:main' into main", verification: { verified: true } },
    });
    expect([await textOf(fork, 'a.txt'), await textOf(fork, 'own.txt')]).toEqual([lines({ 3: 'theirs' }), 'own']);
    expect(await defectsOf(id)).toEqual([]);
    const document = `mutation($input: MergeUpstreamInput!) { mergeUpstream(input: $input) { ref { name target { oid } } } }`;
    const input = { repositoryId: encodeGlobalId('Repository', id), branch: 'main' };
    const { data } = await graphql(gateway, document, juniper, { input });
    expect(data.mergeUpstream.ref).toEqual({ name: 'main', target: { oid: json.sha } });
  });

  test('refused: conflicts, branches that one of them lacks, repositories that are no fork, and readers', async () => {
    const { origin, fork } = await forked();
    await ask('PUT', `${fork}/contents/c.txt`, juniper, { message: 'Own', content: 'b3du' });
    const own = await tipOf(fork);
    const theirs = await origin.commit({ 'c.txt': 'theirs' });
    const conflict = await sync(fork);
    expect([conflict.status, conflict.json.message, conflict.json.errors[0].field]).toEqual([
      409,
      'Merge conflict',
      'c.txt',
    ]);
    expect(await tipOf(fork)).toBe(own);
    // Nothing of the origin is left behind.
    expect(await status('GET', `${fork}/git/commits/${theirs}`, juniper)).toBe(404);
    await origin.commit({ x: 'x' }, { branch: 'only-there' });
    for (const branch of ['only-there', 'none', '..', ''])
      expect([branch, (await sync(fork, branch)).status]).toEqual([branch, 422]);
    expect((await sync(pathOf(origin), 'main', wren)).json.message).toBe(
      'The repository is no fork of a repository that you can read.',
    );
    expect((await sync(fork, 'main', tomas)).status).toBe(403);
    expect(await status('POST', `${fork}/merge-upstream`, undefined, { branch: 'main' })).toBe(403);
  });
});

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { databaseForJobs } from '../../../src/db/database.ts';
import { verifyRepository } from '../../../src/git/maintenance/verify-repository.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { repack } from '../../../src/hosting/repositories/maintain-repository.ts';
import { temporaryFolder } from '../../git-http/git-client.ts';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const data = temporaryFolder();
const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings: { PORTICO_DATA: data } });
const { users } = await demoOf(gateway);
const [wren, juniper, tomas, linh] = (['wren', 'juniper', 'tomas', 'linh'] as const).map(
  login => users[login].classic_token,
) as [string, string, string, string];
const { ask, status } = callsWithTokens(gateway);

async function template(options: { isPrivate?: boolean } = {}): Promise<World> {
  const world = await newWorld(gateway, wren, options);
  const path = `/repos/${world.owner}/${world.name}`;
  expect((await ask('PATCH', path, wren, { is_template: true })).json.is_template).toBe(true);
  return world;
}

let made = 0;
const generate = (from: { owner: string; name: string }, body: object = {}, token = juniper) =>
  ask('POST', `/repos/${from.owner}/${from.name}/generate`, token, { name: `made-${++made}`, ...body });

const { signal } = new AbortController();

async function defectsOf(id: number): Promise<string[]> {
  const lines: string[] = [];
  const repository = openRepository(
    unlimitedSource(query => gateway.database.read(query)),
    id,
  );
  await verifyRepository(repository, { onDefect: line => lines.push(line), signal });
  return lines;
}

async function countObjects(id: number, condition: RawBuilder<unknown>): Promise<number> {
  const [row] = await gateway.database.read(
    sql<{ count: number }>`select count(*)::int as count from git_object where repository_id = ${id} and ${condition}`,
  );
  return row?.count ?? 0;
}

const large = randomBytes(3_000_000);

describe('a repository from a template', () => {
  test('has the files of the default branch in one commit, and none of the history', async () => {
    const from = await template();
    const first = await from.commit({ 'secret.txt': 'a former secret', 'a.txt': 'one' });
    await from.commit({
      'a.txt': 'two',
      'd/run': { mode: '100755', text: '#!' },
      'd/link': { mode: '120000', text: 'run' },
    });
    await from.commit({ large, vendored: { mode: '160000', oid: first } });
    const tip = await from.commit({ other: 'x' }, { branch: 'topic' });
    await from.remove('/contents/secret.txt', {
      message: 'Not here',
      sha: (await from.get('/contents/secret.txt')).json.sha,
    });
    const before = (await from.get('/commits/main')).json;
    const answer = await generate(from, { description: 'Made.', private: true });
    expect([answer.status, answer.json]).toMatchObject([
      201,
      {
        full_name: `juniper/made-${made}`,
        description: 'Made.',
        private: true,
        fork: false,
        is_template: false,
        default_branch: 'main',
        template_repository: { id: from.id },
      },
    ]);
    const at = `/repos/juniper/made-${made}`;
    const commits = (await ask('GET', `${at}/commits`, juniper)).json;
    expect(commits).toMatchObject([
      {
        parents: [],
        author: { login: 'juniper' },
        commit: { message: 'Initial commit', tree: { sha: before.commit.tree.sha }, verification: { verified: true } },
      },
    ]);
    expect((await ask('GET', `${at}/branches`, juniper)).json).toHaveLength(1);
    expect(await defectsOf(answer.json.id)).toEqual([]);
    for (const old of [first, tip, before.sha])
      expect([old, await status('GET', `${at}/git/commits/${old}`, juniper)]).toEqual([old, 404]);
    const secret = (await from.get(`/contents/secret.txt?ref=${first}`)).json.sha;
    expect(await status('GET', `${at}/git/blobs/${secret}`, juniper)).toBe(404);
    const events = (await ask('GET', `${at}/events`, juniper)).json.map(({ type }: { type: string }) => type);
    expect(events.filter((type: string) => type === 'CreateEvent')).toHaveLength(2);
    expect(answer.json.size).toBeGreaterThan(2_900);
  });

  test('has all branches by request, each as one commit', async () => {
    const from = await template();
    await from.commit({ a: 'a' });
    await from.commit({ a: 'b' });
    await from.commit({ c: 'c' }, { branch: 'topic/one' });
    await from.commit({ c: 'd' }, { branch: 'topic/one' });
    await generate(from, { include_all_branches: true });
    const at = `/repos/juniper/made-${made}`;
    const names = (await ask('GET', `${at}/branches`, juniper)).json.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['main', 'topic/one']);
    for (const name of names) {
      const { json } = await ask('GET', `${at}/commits?sha=${name}`, juniper);
      const theirs = (await from.get(`/commits/${name}`)).json;
      expect([name, json.length, json[0].commit.tree.sha]).toEqual([name, 1, theirs.commit.tree.sha]);
    }
  });

  test('takes no object of the history of a repacked template', async () => {
    const from = await template();
    const text = (n: number) =>
      Array.from({ length: 400 }, (_, line) => `line ${line} ${line === n ? n : ''}\n`).join('');
    for (const n of [1, 2, 3]) await from.commit({ 'notes.txt': text(n) });
    const context = { database: databaseForJobs(gateway.database), config: { PORTICO_DATA: data } };
    await repack({ ...context, now: () => gateway.clock.now, signal }, from.id, { coldBefore: new Date('2099-01-01') });
    expect(await countObjects(from.id, sql`delta is not null`)).toBeGreaterThan(0);
    const { id } = (await generate(from)).json;
    // A commit, a tree and a blob.
    expect([await countObjects(id, sql`true`), await defectsOf(id)]).toEqual([3, []]);
    const { json } = await ask('GET', `/repos/juniper/made-${made}/contents/notes.txt`, juniper);
    expect(Buffer.from(json.content, 'base64').toString()).toBe(text(3));
  });

  test('of an empty template is empty; the graph does the same', async () => {
    const from = await template();
    const document = `mutation($input: CloneTemplateRepositoryInput!) {
      cloneTemplateRepository(input: $input) { repository { isEmpty templateRepository { name } owner { login } } } }`;
    const input = {
      repositoryId: encodeGlobalId('Repository', from.id),
      ownerId: await globalIdOf(gateway, 'harbor-lab'),
      name: `made-${++made}`,
      visibility: 'PUBLIC',
    };
    const { data } = await graphql(gateway, document, juniper, { input });
    expect(data.cloneTemplateRepository.repository).toEqual({
      isEmpty: true,
      templateRepository: { name: from.name },
      owner: { login: 'harbor-lab' },
    });
  });
});

describe('refused', () => {
  test('what is no template or cannot be read, names that are taken, and owners of others', async () => {
    const plain = await newWorld(gateway, wren);
    const hidden = await template({ isPrivate: true });
    const from = await template();
    await from.commit({ a: 'a' });
    expect((await generate(plain)).json.errors).toEqual([
      expect.objectContaining({ field: 'template', message: 'The repository is not a template.' }),
    ]);
    expect((await generate(hidden)).status).toBe(404);
    expect((await generate(from, { owner: 'nobody-at-all' })).status).toBe(404);
    expect((await generate(from, { owner: 'tomas' })).status).toBe(403);
    expect((await generate(from, { owner: 'northgate' })).status).toBe(403);
    expect((await generate(from, { private: true }, linh)).status).toBe(403);
    expect((await generate(from, { name: 'compass' }, tomas)).json.errors).toEqual([
      { resource: 'Repository', field: 'name', code: 'already_exists' },
    ]);
    expect((await generate(from, { name: 'a/b' })).status).toBe(422);
    expect(await status('POST', `/repos/${from.owner}/${from.name}/generate`, undefined, { name: 'x' })).toBe(403);
  });

  test('by a rule of the owner: then nothing is created', async () => {
    const from = await template();
    await from.commit({ a: 'a' });
    const rules = [{ type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: 'TICKET' } }];
    const conditions = {
      ref_name: { include: ['~ALL'], exclude: [] },
      repository_name: { include: ['ruled-*'], exclude: [] },
    };
    const ruleset = { name: 'templates', target: 'branch', enforcement: 'active', rules, conditions };
    expect(await status('POST', '/orgs/harbor-lab/rulesets', wren, ruleset)).toBe(201);
    expect((await generate(from, { owner: 'harbor-lab', name: 'ruled-1' })).status).toBe(409);
    expect(await status('GET', '/repos/harbor-lab/ruled-1', wren)).toBe(404);
  });
});

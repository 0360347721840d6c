import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { countQueuedLanguages } from '../../../src/hosting/contents/count-languages.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;
const { read } = gateway.database;
const authorization = `Bearer ${wren.classic_token}`;

const transaction = <T>(work: Parameters<typeof inTransaction<T>>[1]): Promise<T> =>
  inTransaction(gateway.database, work);

const count = (isStopped = () => false): Promise<void> => countQueuedLanguages({ read, transaction }, isStopped);

const languageOf = async ({ get }: Pick<World, 'get'>): Promise<unknown> => (await get('')).json.language;

const isQueued = async (id: number): Promise<boolean> =>
  (await read(sql`select 1 from uncounted_language where repository_id = ${id}`)).length > 0;

const patch = (world: World, body: object) =>
  call(gateway, 'PATCH', `/repos/${world.owner}/${world.name}`, authorization, body);

async function found(query: string): Promise<string[]> {
  const document = `query($query: String!) { search(type: REPOSITORY, query: $query, first: 50) {
    nodes { ... on Repository { nameWithOwner primaryLanguage { name } } } } }`;
  const { data } = await graphql(gateway, document, wren.classic_token, { query });
  return data.search.nodes.map((one: { nameWithOwner: string; primaryLanguage: { name: string } | null }) =>
    [one.nameWithOwner, one.primaryLanguage?.name].join(' '),
  );
}

test('the demo data has languages, in lists, in the graph and in the search', async () => {
  const { json } = await call(gateway, 'GET', '/orgs/harbor-lab/repos', authorization);
  expect(json.find((one: { name: string }) => one.name === 'compass')).toMatchObject({ language: 'TypeScript' });
  expect(await found('compass language:typeSCRIPT')).toEqual(['harbor-lab/compass TypeScript']);
  expect(await found('compass language:go language:TypeScript')).toEqual(['harbor-lab/compass TypeScript']);
  expect(await found('compass language:go')).toEqual([]);
});

test('a commit by the API changes the language, and a deleted file takes it away', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  expect(await languageOf(world)).toBeNull();
  const { json } = await world.put('/contents/a.rs', { message: 'a', content: base64('fn a() {}') });
  expect(await isQueued(world.id)).toBe(true);
  await count();
  expect(await isQueued(world.id)).toBe(false);
  expect(await languageOf(world)).toBe('Rust');
  expect(await found(`user:${world.owner} ${world.name} language:rust`)).toEqual([`${world.owner}/${world.name} Rust`]);
  await world.remove('/contents/a.rs', { message: 'b', sha: json.content.sha });
  await count();
  expect(await languageOf(world)).toBeNull();
});

test('another branch changes nothing until it is the default branch', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.c': 'int a;' });
  await count();
  await world.commit({ 'b.go': 'package b' }, { branch: 'other' });
  expect(await isQueued(world.id)).toBe(false);
  expect((await patch(world, { default_branch: 'other' })).status).toBe(200);
  await count();
  expect(await languageOf(world)).toBe('Go');
  expect((await patch(world, { description: 'Unrelated' })).status).toBe(200);
  expect(await isQueued(world.id)).toBe(false);
});

test('a first branch that becomes the default branch is counted', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.py': 'a = 1' }, { branch: 'first' });
  await count();
  expect(await languageOf(world)).toBe('Python');
});

test('a fork has the language of its parent at once', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.kt': 'val a = 1' });
  await count();
  const fork = await call(
    gateway,
    'POST',
    `/repos/${world.owner}/${world.name}/forks`,
    `Bearer ${tomas.classic_token}`,
    {},
  );
  expect(fork).toMatchObject({ status: 202, json: { language: 'Kotlin' } });
});

test('a push that has not ended when the job runs is counted by the next run', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const before = await world.commit({ 'a.c': 'int a;' });
  await world.commit({ 'a.c': 'int a;', 'b.go': 'package b' });
  await count();
  expect(await languageOf(world)).toBe('Go');
  await world.commit({ 'c.rb': 'puts "long enough"' });
  await transaction(async db => {
    await sql`update git_ref set oid = ${Buffer.from(before, 'hex')}
      where repository_id = ${world.id} and name = 'refs/heads/main'`.execute(db);
    // Does not wait for the push, whose lock it would find in another order.
    await count();
  });
  expect(await languageOf(world)).toBe('Go');
  expect(await isQueued(world.id)).toBe(true);
  await count();
  expect(await languageOf(world)).toBe('C');
  expect(await isQueued(world.id)).toBe(false);
});

test('a push between the reading and the storing keeps the repository queued', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.c': 'int a;' });
  let isPushed = false;
  const late = async <T>(work: Parameters<typeof inTransaction<T>>[1]): Promise<T> => {
    if (!isPushed) {
      isPushed = true;
      await world.commit({ 'b.go': 'package bbbbbbbbbb' });
    }
    return transaction(work);
  };
  await countQueuedLanguages({ read, transaction: late }, () => false);
  expect(isPushed).toBe(true);
  expect(await languageOf(world)).toBeNull();
  await count();
  expect(await languageOf(world)).toBe('Go');
});

test('a stopped job leaves the queue as it is', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.c': 'int a;' });
  await count(() => true);
  expect(await isQueued(world.id)).toBe(true);
  expect(await languageOf(world)).toBeNull();
});

test('a repository whose objects are missing has no language and does not stop the others', async () => {
  const broken = await newWorld(gateway, wren.classic_token);
  await broken.commit({ 'a.c': 'int a;' });
  await sql`update git_ref set oid = ${Buffer.alloc(20, 1)} where repository_id = ${broken.id}`.execute(
    gateway.database.sql,
  );
  const whole = await newWorld(gateway, wren.classic_token);
  await whole.commit({ 'b.ex': 'defmodule B' });
  await count();
  expect(await languageOf(broken)).toBeNull();
  expect(await languageOf(whole)).toBe('Elixir');
});

import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { createRef, inRepository, onBranch } from '../../harness/git-mutations.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const { id } = (await call(gateway, 'GET', '/users/wren')).json;
const nobody = `${id}+wren@users.noreply.127.0.0.1`;

async function show(email: string | null): Promise<void> {
  await sql`update account set public_email = ${email} where id = ${id}`.execute(gateway.database.sql);
}

test('every way to commit uses the same email address: the public or the noreply one', async () => {
  const world = await newWorld(gateway, token);
  const of = inRepository(world.owner, world.name);
  const base = await world.commit({ a: 'a' });
  const tree = (await world.get(`/git/commits/${base}`)).json.tree.sha as string;
  const people = async (at: string) => {
    const put = (await world.put(`/contents/${at}`, { message: 'm', content: '' })).json;
    const removed = (await world.remove(`/contents/${at}`, { message: 'm', sha: put.content.sha })).json;
    const address = `/repos/${world.owner}/${world.name}/git/commits`;
    const created = (await call(gateway, 'POST', address, `Bearer ${token}`, { message: at, tree })).json;
    const { data } = await graphql(
      gateway,
      `mutation { onBranch: createCommitOnBranch(input: { ${onBranch(world.owner, world.name)}, message: { headline: "m" } }) {
          commit { author { email } committer { email } } }
        tagged: createTag(input: { ${of}, name: "t", message: "m", targetOid: "${base}" }) { tag { tagger { email } } } }`,
      token,
    );
    const all = [put.commit, removed.commit, created].flatMap(one => [one.author, one.committer]);
    all.push(data.onBranch.commit.author);
    // The service commits and signs on a branch.
    expect(data.onBranch.commit.committer.email).toMatch(/^\d+\+web-flow@/);
    return [...new Set([...all, data.tagged.tag.tagger].map(({ email }) => email))];
  };
  await show(null);
  expect(await people('x')).toEqual([nobody]);
  await show('wren@public.example.org');
  expect(await people('y')).toEqual(['wren@public.example.org']);
});

test('every empty field is reported, by contents and by commits', async () => {
  const world = await newWorld(gateway, token);
  const base = await world.commit({ a: 'a' });
  const tree = (await world.get(`/git/commits/${base}`)).json.tree.sha as string;
  const errors = (role: string) => ['name', 'email'].map(field => ({ resource: role, code: 'missing_field', field }));
  for (const role of ['author', 'committer']) {
    const people = { [role]: { name: ' <> ', email: '.' } };
    const put = await world.put('/contents/x', { message: 'm', content: '', ...people });
    expect([put.status, put.json.message, put.json.errors]).toEqual([422, 'Validation Failed', errors(role)]);
    const address = `/repos/${world.owner}/${world.name}/git/commits`;
    const made = await call(gateway, 'POST', address, `Bearer ${token}`, { message: 'm', tree, ...people });
    expect([made.status, made.json.message, made.json.errors]).toEqual([422, 'Validation Failed', errors(role)]);
  }
});

test('pushed_at and size follow every push', async () => {
  const world = await newWorld(gateway, token);
  const facts = async () => {
    const { size, pushed_at } = (await world.get('')).json;
    return [size, pushed_at];
  };
  // Before the first push it is the time of creation: clients take it for a time.
  expect(await facts()).toEqual([0, '2026-10-01T08:10:00Z']);
  const content = Buffer.alloc(10 * 1024, 'a').toString('base64');
  const put = (path: string) => world.put(`/contents/${path}`, { message: 'm', content });
  expect((await put('a')).status).toBe(201);
  // The file, a tree and a commit: ten kilobytes plus less than one.
  expect(await facts()).toEqual([11, '2026-10-01T08:10:00Z']);
  gateway.clock.now = new Date('2026-10-02T00:00:00Z');
  // Equal content is stored once; many small pushes are not rounded down to nothing.
  for (const path of ['b', 'c', 'd', 'e', 'f', 'g']) await put(path);
  const [size, pushedAt] = await facts();
  expect([pushedAt, size > 11 && size < 14]).toEqual(['2026-10-02T00:00:00Z', true]);
  // Writers of several branches contend for the row of the repository; all their bytes are counted.
  const branches = Array.from({ length: 12 }, (_, at) => `branch-${at}`);
  await Promise.all(branches.map((branch, at) => world.commit({ [branch]: 'x'.repeat(2000 + at) }, { branch })));
  const [all] = await facts();
  expect(all).toBeGreaterThan(size + 20);
  const { rows } = await sql<{ size: number }>`
    select ceil(sum(size) / 1024)::int as size from git_object where repository_id = ${world.id}`.execute(
    gateway.database.sql,
  );
  expect(all).toBe(rows[0]?.size);
  gateway.clock.now = new Date('2026-10-03T00:00:00Z');
  const refused = await world.put('/contents/a', { message: 'm', content, sha: '0'.repeat(40) });
  expect(refused.status).toBe(409);
  // Objects without a ref increase the size, but are not a push.
  const large = Buffer.alloc(48 * 1024, 'b').toString('base64');
  const of = inRepository(world.owner, world.name);
  await graphql(
    gateway,
    `mutation($c: LongText!) { createBlob(input: { ${of}, content: $c, encoding: BASE64 }) { blob { oid } } }`,
    token,
    { c: large },
  );
  expect(await facts()).toEqual([all + 48, '2026-10-02T00:00:00Z']);
  const made = await graphql(
    gateway,
    `mutation { createCommitOnBranch(input: { ${onBranch(world.owner, world.name)}, message: { headline: "m" } }) { commit { oid } } }`,
    token,
  );
  const { oid } = made.data.createCommitOnBranch.commit;
  await graphql(gateway, `mutation { ${createRef(world, 'refs/tags/t', oid)} }`, token);
  expect((await facts())[1]).toBe('2026-10-03T00:00:00Z');
});

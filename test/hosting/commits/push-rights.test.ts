import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { createRef, deleteRef, inRepository, onBranch, updateRef } from '../../harness/git-mutations.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const full = demo.users.wren.classic_token;
const made = await graphql(
  gateway,
  'mutation { createClassicToken(input: { note: "n", scopes: ["repo"] }) { secret } }',
  full,
);
const narrow: string = made.data.createClassicToken.secret;
const path = '.host/workflows/ci.yml';

type Outcome = { code: string | undefined; message: string | undefined };
const done: Outcome = { code: undefined, message: undefined };
const refused: Outcome = { code: 'NOT_FOUND', message: 'not found' };

async function mutate(text: string, token: string): Promise<Outcome> {
  const [error] = (await graphql(gateway, `mutation { ${text} }`, token)).errors ?? [];
  return { code: error?.extensions.code, message: plain(error?.message) };
}

/** GraphQL ends the same word with a full stop. */
const plain = (message: string | undefined) => (message?.startsWith('Not ') ? 'not found' : message);

async function publishedAs(answer: Promise<{ status: number; json: { message: string } }>): Promise<Outcome> {
  const { status, json } = await answer;
  return status < 300 ? done : { code: status === 404 ? 'NOT_FOUND' : String(status), message: plain(json.message) };
}

const of = ({ owner, name }: World): string => inRepository(owner, name);

/**
 * A repository with a workflow on main, and root commits: one with another workflow, and its child with the old one.
 */
async function setUp() {
  const world = await newWorld(gateway, full);
  const base = await world.commit({ [path]: 'old', readme: 'r' });
  const changed = await world.commit({ [path]: 'new' }, { branch: 'main' });
  const undone = await world.commit({ [path]: 'old', more: 'm' });
  const other = await world.commit({ [path]: 'old', readme: 'other' });
  const read = async (sha: string) => (await world.get(`/git/commits/${sha}`)).json;
  // The branch is reset to its first commit: the others are stored but on no branch.
  await sql`update git_ref set oid = ${Buffer.from(base, 'hex')} where repository_id = ${world.id}`.execute(
    gateway.database.sql,
  );
  return { world, base, changed, undone, other, treeOf: async (sha: string) => (await read(sha)).tree.sha as string };
}

type Set = Awaited<ReturnType<typeof setUp>>;

describe('a change of workflow files needs its own permission', () => {
  test.each<[string, (set: Set, token: string) => Promise<Outcome>]>([
    [
      'PUT contents, new',
      ({ world }, token) =>
        publishedAs(world.put('/contents/.host/workflows/b.yml', { message: 'm', content: '' }, token)),
    ],
    [
      'PUT contents, in other letters',
      ({ world }, token) =>
        publishedAs(world.put('/contents/.HOST/Workflows/b.yml', { message: 'm', content: '' }, token)),
    ],
    [
      'DELETE contents',
      async ({ world }, token) => {
        const { sha } = (await world.get(`/contents/${path}`)).json;
        return publishedAs(world.remove(`/contents/${path}`, { message: 'm', sha }, token));
      },
    ],
    [
      'createCommitOnBranch',
      ({ world }, token) =>
        mutate(
          `createCommitOnBranch(input: { ${onBranch(world.owner, world.name)}, message: { headline: "m" }, fileChanges: {
            additions: [{ path: "${path}", contents: "${base64('x')}" }] } }) { commit { oid } }`,
          token,
        ),
    ],
    [
      'createRef of a branch',
      ({ world, changed }, token) => mutate(createRef(world, 'refs/heads/new', changed), token),
    ],
    [
      'createRef of a tag with a message',
      async ({ world, changed }, token) => {
        const { data } = await graphql(
          gateway,
          `mutation { createTag(input: { ${of(world)}, name: "v1", message: "m", targetOid: "${changed}" }) { tag { oid } } }`,
          token,
        );
        return mutate(createRef(world, 'refs/tags/v1', data.createTag.tag.oid), token);
      },
    ],
    ['updateRef', ({ world, changed }, token) => mutate(updateRef(world, 'refs/heads/main', changed), token)],
    [
      'updateRef to a commit that undoes it: what is between can be run as well',
      ({ world, undone }, token) => mutate(updateRef(world, 'refs/heads/main', undone), token),
    ],
    [
      'updateRef to a merge of it',
      async ({ world, base, changed, treeOf }, token) => {
        const body = { message: 'merge', tree: await treeOf(base), parents: [base, changed] };
        const address = `/repos/${world.owner}/${world.name}/git/commits`;
        const { json } = await call(gateway, 'POST', address, `Bearer ${token}`, body);
        return mutate(updateRef(world, 'refs/heads/main', json.sha), token);
      },
    ],
    [
      'updateRef by force to a history of its own',
      async ({ world, changed, treeOf }, token) => {
        const address = `/repos/${world.owner}/${world.name}/git/commits`;
        const body = { message: 'root', tree: await treeOf(changed) };
        const { json } = await call(gateway, 'POST', address, `Bearer ${token}`, body);
        const update = updateRef(world, 'refs/heads/main', json.sha, { force: true });
        return mutate(update, token);
      },
    ],
  ])('%s', async (_name, attempt) => {
    const set = await setUp();
    expect(await attempt(set, narrow)).toEqual(refused);
    expect(await attempt(set, full)).toEqual(done);
  });
});

test('the header of the refusal names the missing scope', async () => {
  const { world } = await setUp();
  const answer = await world.put(`/contents/${path}2`, { message: 'm', content: '' }, narrow);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('x-accepted-host-permissions')).toBe('contents=write; contents=write,workflows=write');
});

test('commits of one branch may be pushed to another', async () => {
  const { world, base, changed, other, treeOf } = await setUp();
  const give = (ref: string, sha: string, token: string) => mutate(createRef(world, ref, sha), token);
  expect(await give('refs/heads/reviewed', changed, full)).toEqual(done);
  // The same commit through another ref.
  expect(await give('refs/heads/copy', changed, narrow)).toEqual(done);
  const move = (sha: string) => mutate(updateRef(world, 'refs/heads/main', sha), narrow);
  expect(await move(changed)).toEqual(done);
  // Another commit with the same workflows, like a squash merge.
  const body = { message: 'squashed', tree: await treeOf(changed), parents: [base] };
  const address = `/repos/${world.owner}/${world.name}/git/commits`;
  const { json } = await call(gateway, 'POST', address, `Bearer ${narrow}`, body);
  expect(await give('refs/heads/squashed', json.sha, narrow)).toEqual(done);
  // Commits that do not change workflows need no permission.
  const plain = (await world.put('/contents/plain', { message: 'm', content: '' }, narrow)).status;
  expect(plain).toBe(201);
  expect(await give('refs/tags/light', other, full)).toEqual(done);
});

test('the default branch cannot be deleted, not even by its owner; others can', async () => {
  const { world, base } = await setUp();
  const drop = (ref: string) => mutate(deleteRef(world, ref), full);
  expect(await drop('refs/heads/main')).toEqual({
    code: 'RULE_BROKEN',
    message: 'The default branch cannot be deleted.',
  });
  expect((await world.get('/contents/readme')).status).toBe(200);
  expect(await mutate(createRef(world, 'refs/heads/side', base), full)).toEqual(done);
  expect(await drop('refs/heads/side')).toEqual(done);
});

test('nested tags are resolved, up to twenty levels', async () => {
  const { world, changed } = await setUp();
  const tags: string[] = [];
  for (let at = 0; at < 21; at++) {
    const target = tags.at(-1) ?? changed;
    const text = `mutation { createTag(input: { ${of(world)}, name: "t", message: "${at}", targetOid: "${target}" }) { tag { oid } } }`;
    tags.push((await graphql(gateway, text, full)).data.createTag.tag.oid);
  }
  const give = (count: number, token: string): Promise<Outcome> =>
    mutate(createRef(world, `refs/tags/t${count}`, tags[count - 1] ?? ''), token);
  // However many there are, the commit behind them changes a workflow.
  for (const count of [11, 20]) expect([count, await give(count, narrow)]).toEqual([count, refused]);
  expect(await give(20, full)).toEqual(done);
  const tooMany = { code: 'RULE_BROKEN', message: `The tag ${tags[20]} leads through more than 20 tags.` };
  expect(await give(21, narrow)).toEqual(tooMany);
  expect(await give(21, full)).toEqual(tooMany);
  const rules = { name: 'Moves', target: 'tag', enforcement: 'active', rules: [{ type: 'non_fast_forward' }] };
  const everyTag = { conditions: { ref_name: { include: ['~ALL'], exclude: [] } } };
  const address = `/repos/${world.owner}/${world.name}/rulesets`;
  const ruled = await call(gateway, 'POST', address, `Bearer ${full}`, { ...rules, ...everyTag });
  expect(ruled.status).toBe(201);
  expect(await give(21, full)).toEqual(tooMany);
});

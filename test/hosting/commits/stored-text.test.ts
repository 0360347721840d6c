import { expect, test } from '@jest/globals';
import { readCommit } from '../../../src/git/read-objects.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const world = await newWorld(gateway, token);
const head = await world.commit({ a: 'a' });
const repository = openRepository(unlimitedSource(gateway.database.read), world.id);
const { tree } = await readCommit(repository, head);
const here = { named: { owner: world.owner, name: world.name } };
const person = { name: 'Ada', email: 'ada@example.org' };

/** The errors of a mutation, or the commit that it has made. */
async function send(mutation: string, type: string, input: object, selected = 'commit { oid }') {
  const document = `mutation($input: ${type}!) { ${mutation}(input: $input) { ${selected} } }`;
  const { data, errors } = await graphql(gateway, document, token, { input });
  return { data: data?.[mutation], code: errors?.[0]?.extensions.code, message: errors?.[0]?.message };
}

const commitBy = (input: object) =>
  send('createGitCommit', 'CreateGitCommitInput', { repository: here, message: 'm', treeOid: tree, ...input });
const tagWith = (input: object) =>
  send(
    'createTag',
    'CreateTagInput',
    { repository: here, name: 'v1', message: 'm', targetOid: head, ...input },
    'tag { oid }',
  );
const treeWith = (entry: object) =>
  send('createTree', 'CreateTreeInput', { repository: here, entries: [entry] }, 'tree { oid }');
const fileWith = (input: object) =>
  send('createOrUpdateFile', 'CreateOrUpdateFileInput', {
    repository: here,
    path: 'f',
    message: 'm',
    content: 'aGk=',
    ...input,
  });
const onMain = (input: object) =>
  send('createCommitOnBranch', 'CreateCommitOnBranchInput', {
    branch: { repositoryNameWithOwner: `${world.owner}/${world.name}` },
    message: { headline: 'm' },
    ...input,
  });
const nul = 'a\0b';
const surrogate = 'a\ud800b';
const long = 'x'.repeat(256);

test.each<[string, () => ReturnType<typeof send>]>([
  ['message of a commit, NUL', () => commitBy({ message: nul })],
  ['message of a commit, surrogate', () => commitBy({ message: surrogate })],
  ['signature, NUL', () => commitBy({ signature: nul })],
  ['signature, surrogate', () => commitBy({ signature: surrogate })],
  ['name, brackets', () => commitBy({ author: { ...person, name: 'a<b>' } })],
  ['name, surrogate', () => commitBy({ author: { ...person, name: surrogate } })],
  ['name, NUL', () => commitBy({ committer: { name: nul } })],
  ['name, white space at an end', () => commitBy({ author: { ...person, name: 'Ada ' } })],
  ['email, line feed', () => commitBy({ author: { ...person, email: 'a@b\nc' } })],
  ['email, bracket', () => fileWith({ author: { ...person, email: 'a>b' } })],
  ['message of a file, NUL', () => fileWith({ message: nul })],
  ['message of a file, surrogate', () => fileWith({ message: surrogate })],
  ['path, surrogate', () => fileWith({ path: surrogate })],
  ['path, long part', () => fileWith({ path: `d/${long}/f` })],
  ['branch, surrogate', () => fileWith({ branch: surrogate }).then(one => ({ ...one, code: 'RULE_BROKEN' }))],
  ['message on a branch, NUL', () => onMain({ message: { headline: 'm', body: nul } })],
  ['path on a branch, long part', () => onMain({ fileChanges: { additions: [{ path: long, contents: '' }] } })],
  [
    'link on a branch, NUL',
    () => onMain({ fileChanges: { additions: [{ path: 'l', contents: 'YQBi', mode: 'SYMLINK' }] } }),
  ],
  ['path of a tree, long part', () => treeWith({ path: `d/${long}`, content: '' })],
  ['content of a tree, surrogate', () => treeWith({ path: 'f', content: surrogate })],
  ['link of a tree, NUL', () => treeWith({ path: 'l', mode: 'SYMLINK', content: nul })],
  ['link of a tree, empty', () => treeWith({ path: 'l', mode: 'SYMLINK', content: '' })],
  ['message of a tag, NUL', () => tagWith({ message: nul })],
  ['message of a tag, surrogate', () => tagWith({ message: surrogate })],
  ['name of a tag, surrogate', () => tagWith({ name: surrogate })],
  ['tagger, brackets', () => tagWith({ tagger: { ...person, name: '<a>' } })],
  [
    'blob, surrogate',
    () => send('createBlob', 'CreateBlobInput', { repository: here, content: surrogate }, 'blob { oid }'),
  ],
])('%s: refused, not changed', async (_name, refused) => {
  const { code, message, data } = await refused();
  expect([code, data ?? null]).toEqual(['RULE_BROKEN', null]);
  expect(message).not.toBe('');
});

test('a link whose target is given by the id of its blob', async () => {
  const blobOf = async (content: string) =>
    (
      await send(
        'createBlob',
        'CreateBlobInput',
        { repository: here, content: Buffer.from(content).toString('base64'), encoding: 'BASE64' },
        'blob { oid }',
      )
    ).data.blob.oid;
  const link = (oid: string) => treeWith({ path: 'l', mode: 'SYMLINK', oid });
  expect((await link(await blobOf(nul))).code).toBe('RULE_BROKEN');
  expect((await link(await blobOf('x'.repeat(5_000)))).code).toBe('RULE_BROKEN');
  expect((await link(await blobOf('a'))).code).toBeUndefined();
});

test('what git allows is kept: punctuation at the ends of names, dates after 2099', async () => {
  const author = { name: '"Ada" Jr.', email: '.ada@example.org', date: '2150-06-01T12:00:00+02:00' };
  const { data } = await commitBy({ author });
  const stored = await readCommit(repository, data.commit.oid);
  expect(stored.author).toEqual({
    name: author.name,
    email: author.email,
    seconds: Date.UTC(2150, 5, 1, 10) / 1000,
    zone: '+0200',
  });
  const at = `{ repository(owner: "${world.owner}", name: "${world.name}") { object(oid: "${data.commit.oid}") { ... on Commit { author { name date } } } } }`;
  const { data: read } = await graphql(gateway, at, token);
  expect(read.repository.object.author).toEqual({ name: author.name, date: author.date });
  const { json } = await world.put('/contents/later', { message: 'm', content: '', author });
  expect(json.commit.author).toEqual({ name: author.name, email: author.email, date: '2150-06-01T10:00:00Z' });
  const last = await commitBy({ author: { ...person, date: '9999-12-31T23:59:59-01:00' } });
  expect(last.message).toMatch(/is not a valid date-time/);
});

test('dates before 1970 are refused, as git cannot store them', async () => {
  const date = '1969-12-31T23:59:59Z';
  const refusal = `Invalid request.\n\n${date} is before 1970-01-01T00:00:00Z; git cannot store it.`;
  for (const one of [
    await commitBy({ author: { ...person, date } }),
    await commitBy({ committer: { date } }),
    await fileWith({ committer: { ...person, date } }),
    await tagWith({ tagger: { ...person, date } }),
  ])
    expect(one.message).toBe(refusal);
  const path = `/repos/${world.owner}/${world.name}/git/commits`;
  const commit = (at: string) =>
    call(gateway, 'POST', path, `Bearer ${token}`, { message: 'm', tree, author: { ...person, date: at } });
  expect((await commit(date)).status).toBe(422);
  expect((await commit('2200-01-01T00:00:00Z')).json.author.date).toBe('2200-01-01T00:00:00Z');
});

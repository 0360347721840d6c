import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { exportRepository } from '../../../src/git/export-repository.ts';
import { createObject } from '../../../src/git/object.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import {
  createRef,
  deleteRef,
  inRepository,
  onBranch,
  refIdOf,
  repositoryNamed,
  updateRef,
} from '../../harness/git-mutations.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, linh, tomas } = (await demoOf(gateway)).users;
const compass = await repositoryNamed(gateway, 'harbor-lab/compass');
const inCompass = inRepository('harbor-lab', 'compass');

/** The data of a request that must succeed. */
async function done(query: string, variables: Record<string, unknown> = {}, token = wren.classic_token) {
  const answer = await graphql(gateway, query, token, variables);
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

const statuses: Record<string, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RULE_BROKEN: 422,
};

/** The status and the message of a request that must fail. */
async function refused(query: string, token: string | null = wren.classic_token) {
  const { errors } = await graphql(gateway, query, token ?? undefined);
  const { message, extensions } = errors[0];
  return [statuses[extensions.code as string], message];
}

const head = async (branch = 'main', [owner, name] = ['harbor-lab', 'compass']): Promise<string> => {
  const { repository } = await done(
    `{ repository(owner: "${owner}", name: "${name}") { ref(qualifiedName: "refs/heads/${branch}") { target { oid } } } }`,
    {},
    owner === 'juniper' ? juniper.classic_token : wren.classic_token,
  );
  return repository.ref?.target.oid;
};

/** Selects fields of an object of the repository compass. */
const objectOf = async (expression: string, fields: string) =>
  (
    await done(
      `query($e: String) { repository(owner: "harbor-lab", name: "compass") { object(expression: $e) { ${fields} } } }`,
      { e: expression },
    )
  ).repository.object;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('the demo data has branches, history and a tag', async () => {
  const { repository } = await done(
    `{ repository(owner: "harbor-lab", name: "compass") { refs(refPrefix: "refs/heads/") { nodes { name } totalCount } } }`,
  );
  expect(repository.refs).toEqual({ nodes: [{ name: 'main' }, { name: 'rhumb-lines' }], totalCount: 2 });
  const { history } = await objectOf(
    'main',
    '... on Commit { history(first: 3) { nodes { message author { name } } pageInfo { hasNextPage } } }',
  );
  expect(history).toEqual({
    nodes: [
      { message: 'Say in the docs where the numbers are from', author: { name: 'Juniper Okafor' } },
      { message: 'Declination, from a small table', author: { name: 'Tomás Ribeiro' } },
      {
        message: 'Bearings along a great circle\n\nDegrees go in and out; radians stay inside.',
        author: { name: 'Juniper Okafor' },
      },
    ],
    pageInfo: { hasNextPage: true },
  });
  const tagged = await objectOf('v0.1.0^{commit}', '... on Commit { history(last: 1) { nodes { message } } }');
  expect(tagged).toEqual({ history: { nodes: [{ message: 'Begin with a README and a license' }] } });
  expect(await objectOf('no-such-branch', 'oid')).toBeNull();
});

test('blob, tree, commit, branch, tag: one after the other', async () => {
  const { createBlob } = await done(
    `mutation { createBlob(input: { ${inCompass}, content: "${base64('\0\u{1F9ED}')}", encoding: BASE64 }) {
      blob { oid byteSize isBinary text } } }`,
  );
  const { oid } = createObject('blob', Buffer.from('\0\u{1F9ED}'));
  expect(createBlob).toEqual({ blob: { oid, byteSize: 5, isBinary: true, text: null } });
  const main = await head();
  const { tree: base } = await objectOf('main', '... on Commit { tree { oid } }');
  const { createTree } = await done(
    `mutation { createTree(input: { ${inCompass}, baseTreeOid: "${base.oid}", entries: [
      { path: "assets/icons/rose.bin", oid: "${oid}" }, { path: "run", mode: EXECUTABLE, content: "#!/bin/sh\\n" },
      { path: "LICENSE" }] }) { tree { oid entries { name mode type } } } }`,
  );
  expect(createTree.tree.entries).toEqual([
    { name: '.gitignore', mode: 0o100644, type: 'blob' },
    { name: 'README.md', mode: 0o100644, type: 'blob' },
    { name: 'assets', mode: 0o40000, type: 'tree' },
    { name: 'docs', mode: 0o40000, type: 'tree' },
    { name: 'package.json', mode: 0o100644, type: 'blob' },
    { name: 'run', mode: 0o100755, type: 'blob' },
    { name: 'src', mode: 0o40000, type: 'tree' },
  ]);
  const { createGitCommit } = await done(
    `mutation { createGitCommit(input: { ${inCompass}, message: "A rose", treeOid: "${createTree.tree.oid}", parentOids: ["${main}"] }) {
      commit { oid messageHeadline parents { nodes { oid } } } } }`,
  );
  const { commit } = createGitCommit;
  expect(commit).toMatchObject({ messageHeadline: 'A rose', parents: { nodes: [{ oid: main }] } });
  const { createRef: made } = await done(`mutation { ${createRef(compass, 'refs/heads/rose', commit.oid)} }`);
  expect(made.ref.id).toEqual(expect.any(String));
  const { createTag } = await done(
    `mutation { createTag(input: { ${inCompass}, name: "rose-1", message: "In bloom", targetOid: "${commit.oid}", timeZone: "Asia/Tokyo" }) {
      tag { oid name message target { __typename oid } tagger { name email date } } } }`,
  );
  expect(createTag.tag).toMatchObject({
    name: 'rose-1',
    message: 'In bloom',
    target: { __typename: 'Commit', oid: commit.oid },
    tagger: {
      name: 'Wren Achterberg',
      email: '1+wren@users.noreply.127.0.0.1',
      date: '2026-10-01T17:10:00+09:00',
    },
  });
  await done(`mutation { ${createRef(compass, 'refs/tags/rose-1', createTag.tag.oid)} }`);
  expect(await objectOf('rose-1^{}', 'oid')).toEqual({ oid: commit.oid });
});

describe('refs', () => {
  const absent = 'ab'.repeat(20);

  test('fast-forward, reset only by force, delete', async () => {
    const main = await head();
    const { parents, tree } = await objectOf('main', '... on Commit { parents { nodes { oid } } tree { oid } }');
    const before = parents.nodes[0].oid;
    const ref = 'refs/heads/moving';
    await done(`mutation { ${createRef(compass, ref, before)} }`);
    await done(`mutation { ${updateRef(compass, ref, main)} }`);
    expect(await head('moving')).toBe(main);
    const back = (options = {}): string => `mutation { ${updateRef(compass, ref, before, options)} }`;
    expect(await refused(back())).toEqual([422, 'Update is not a fast forward']);
    expect(await refused(back({ force: true, expectedOid: before }))).toEqual([
      409,
      `is at ${main} but expected ${before}`,
    ]);
    await done(back({ force: true, expectedOid: main }));
    expect(await refused(`mutation { ${createRef(compass, ref, main)} }`)).toEqual([422, 'Reference already exists']);
    expect(await refused(`mutation { ${updateRef(compass, ref, tree.oid, { force: true })} }`)).toEqual([
      422,
      expect.stringContaining('can only point to a commit'),
    ]);
    await done(`mutation { ${deleteRef(compass, ref)} }`);
    expect(await head('moving')).toBeUndefined();
    for (const again of [deleteRef(compass, ref), updateRef(compass, ref, main)])
      expect(await refused(`mutation { ${again} }`)).toEqual([422, 'Reference does not exist']);
  });

  test.each([
    ['heads/x', '422'],
    ['refs/heads', '422'],
    ['refs/heads/..', '422'],
    ['refs/heads/a b', '422'],
    ['refs/heads/-x', '422'],
    [`refs/heads/${absent}`, '422'],
  ])('%s is no name', async ref => {
    const query = `mutation { ${createRef(compass, ref, await head())} }`;
    expect(await refused(query)).toEqual([422, `${ref} is not a valid ref name.`]);
  });

  test('a name below another ref, and a missing object', async () => {
    const main = await head();
    expect(await refused(`mutation { ${createRef(compass, 'refs/heads/main/x', main)} }`)).toEqual([
      422,
      '«refs/heads/main/x» cannot be made: «refs/heads/main» exists.',
    ]);
    expect(await refused(`mutation { ${createRef(compass, 'refs/heads/x', absent)} }`)).toEqual([
      422,
      'Object does not exist',
    ]);
  });
});

describe('createCommitOnBranch', () => {
  const commit = (changes: string, more = '', of = onBranch('harbor-lab', 'compass')): string =>
    `mutation { createCommitOnBranch(input: { ${of}, message: { headline: "Several at once", body: "With a body\\n" }, ${more}
      fileChanges: { ${changes} } }) { commit { oid message messageBody parents { nodes { oid } } } ref { name target { oid } } } }`;
  const expecting = (oid: string): string => `expectedHeadOid: "${oid}",`;

  test('several files in one commit: created, replaced, deleted', async () => {
    const before = await head();
    const { createCommitOnBranch: made } = await done(
      commit(
        `deletions: [{ path: "docs/numbers.md" }], additions: [
        { path: "README.md", contents: "${base64('# New\n')}" },
        { path: "tools/bin/go", contents: "${base64('go')}", mode: EXECUTABLE }]`,
        expecting(before),
      ),
    );
    expect(made.commit).toMatchObject({
      message: 'Several at once\n\nWith a body',
      messageBody: 'With a body',
      parents: { nodes: [{ oid: before }] },
    });
    expect(made.ref).toEqual({ name: 'main', target: { oid: made.commit.oid } });
    expect(await head()).toBe(made.commit.oid);
    // The mode is kept when none is given.
    const { createCommitOnBranch: next } = await done(
      commit(`additions: [{ path: "tools/bin/go", contents: "${base64('went')}" }]`),
    );
    expect(next.commit.parents.nodes).toEqual([{ oid: made.commit.oid }]);
    expect(await refused(commit('deletions: [{ path: "README.md" }]', expecting(before)))).toEqual([
      409,
      `is at ${next.commit.oid} but expected ${before}`,
    ]);
  });

  test('writers of one branch lose no commit; of those that expect the same tip one wins', async () => {
    const before = await head();
    const file = (at: number): string => `additions: [{ path: "by/${at}", contents: "${base64(`${at}`)}" }]`;
    const oids = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const { createCommitOnBranch: made } = await done(commit(file(at)));
        return made.commit.oid as string;
      }),
    );
    const { history } = await objectOf('main', '... on Commit { history(first: 9) { nodes { oid } } }');
    const walked = history.nodes.map(({ oid }: { oid: string }) => oid);
    expect(walked.slice(0, 8).toSorted()).toEqual(oids.toSorted());
    expect(walked[8]).toBe(before);
    const tip = await head();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => graphql(gateway, commit(file(at + 10), expecting(tip)), wren.classic_token)),
    );
    const codes = answers.map(({ errors }) => errors?.[0].extensions.code);
    expect(codes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', undefined]);
  });

  test('the first commit of an empty repository creates its branch', async () => {
    const world = await newWorld(gateway, juniper.classic_token);
    const first = commit(
      'additions: [{ path: "README.md", contents: "" }]',
      expecting('0'.repeat(40)),
      onBranch('juniper', world.name),
    );
    const { createCommitOnBranch: made } = await done(first, {}, juniper.classic_token);
    expect(made.commit.parents.nodes).toEqual([]);
    expect(await head('main', ['juniper', world.name])).toBe(made.commit.oid);
    expect((await refused(first, juniper.classic_token))[0]).toBe(409);
  });

  test.each([
    ['no Base64', 'additions: [{ path: "a", contents: "abcde" }]', [422, 'content is not valid Base64']],
    ['a slash in front', 'additions: [{ path: "/a", contents: "" }]', [422, 'path cannot start with a slash']],
    [
      'the folder of git',
      'additions: [{ path: "a/.GIT/b", contents: "" }]',
      [422, 'path contains a malformed path component'],
    ],
    ['a file that is not there', 'deletions: [{ path: "nothing" }]', [422, 'There is no «nothing» to delete.']],
    [
      'a file below a file',
      'additions: [{ path: "LICENSE/x", contents: "" }]',
      [422, expect.stringContaining('LICENSE')],
    ],
  ] as const)('%s', async (_name, changes, expected) => {
    expect(await refused(commit(changes))).toEqual(expected);
  });

  test('a branch by its id or name; other references are refused', async () => {
    expect(await refused(commit('', '', onBranch('harbor-lab', 'compass', 'nowhere')))).toEqual([
      404,
      'Branch nowhere not found',
    ]);
    const id = refIdOf(compass, 'refs/heads/rhumb-lines');
    const { createCommitOnBranch: made } = await done(commit('', '', `branch: { id: "${id}" }`));
    expect(made.ref.name).toBe('rhumb-lines');
    await done(commit('', '', onBranch('harbor-lab', 'compass', 'refs/heads/rhumb-lines')));
    for (const branch of [
      '{}',
      '{ branchName: "main" }',
      '{ repositoryNameWithOwner: "compass" }',
      `{ id: "${id}", branchName: "main" }`,
      `{ id: "${refIdOf(compass, 'refs/tags/v0.1.0')}" }`,
      '{ id: "x" }',
    ]) {
      const { errors } = await graphql(gateway, commit('', '', `branch: ${branch}`), wren.classic_token);
      expect([branch, errors[0].extensions.code]).toEqual([branch, 'BAD_USER_INPUT']);
    }
  });

  test('more files than other lists may have, as a variable', async () => {
    const query = `mutation($changes: FileChanges!) { createCommitOnBranch(input: {
      ${onBranch('harbor-lab', 'compass')}, message: { headline: "Many" }, fileChanges: $changes }) { commit { oid } } }`;
    const additions = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ path: `many/${at}`, contents: '' }));
    await done(query, { changes: { additions: additions(150) } });
    const { errors } = await graphql(gateway, query, wren.classic_token, { changes: { additions: additions(5_001) } });
    expect(errors[0].extensions).toMatchObject({ code: 'QUERY_LIST_TOO_LONG', allowed: 5_000 });
  });
});

describe('updateRefs', () => {
  const none = '0'.repeat(40);
  const update =
    'mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId repository { name } } }';
  const repositoryId = encodeGlobalId('Repository', compass.id);
  const input = (refUpdates: object[]) => ({ input: { repositoryId, clientMutationId: 'c', refUpdates } });

  test('creates, moves and deletes all or none', async () => {
    const main = await head();
    const { parents } = await objectOf('main', '... on Commit { parents { nodes { oid } } }');
    const before = parents.nodes[0].oid;
    const made = await done(
      update,
      input([
        { name: 'refs/heads/set-1', afterOid: before, beforeOid: none },
        { name: 'refs/heads/set-2', afterOid: main },
      ]),
    );
    expect(made.updateRefs).toEqual({ clientMutationId: 'c', repository: { name: 'compass' } });
    expect([await head('set-1'), await head('set-2')]).toEqual([before, main]);
    const late = await graphql(
      gateway,
      update,
      wren.classic_token,
      input([
        { name: 'refs/heads/set-1', afterOid: main },
        { name: 'refs/heads/set-2', afterOid: none, beforeOid: before },
      ]),
    );
    expect(late.errors[0].extensions.code).toBe('CONFLICT');
    expect(await head('set-1')).toBe(before);
    const slow = await graphql(
      gateway,
      update,
      wren.classic_token,
      input([{ name: 'refs/heads/set-2', afterOid: before }]),
    );
    expect(slow.errors[0].message).toBe('Update is not a fast forward');
    await done(
      update,
      input([
        { name: 'refs/heads/set-1', afterOid: main, beforeOid: before },
        { name: 'refs/heads/set-2', afterOid: none },
      ]),
    );
    expect([await head('set-1'), await head('set-2')]).toEqual([main, undefined]);
  });

  test.each([
    ['nothing', [], 'BAD_USER_INPUT'],
    ['a short name', [{ name: 'main', afterOid: none }], 'BAD_USER_INPUT'],
    ['an abbreviated id', [{ name: 'refs/heads/x', afterOid: 'abc' }], 'BAD_USER_INPUT'],
    ['an invalid name', [{ name: 'refs/heads/..', afterOid: 'ab'.repeat(20) }], 'RULE_BROKEN'],
    ['a missing object', [{ name: 'refs/heads/x', afterOid: 'ab'.repeat(20) }], 'RULE_BROKEN'],
    ['a missing ref', [{ name: 'refs/heads/no', afterOid: none }], 'RULE_BROKEN'],
    [
      'a ref twice',
      [
        { name: 'refs/heads/no', afterOid: none },
        { name: 'refs/heads/no', afterOid: none },
      ],
      'BAD_USER_INPUT',
    ],
  ])('%s', async (_name, refUpdates, code) => {
    const { errors } = await graphql(gateway, update, wren.classic_token, input(refUpdates));
    expect(errors[0].extensions.code).toBe(code);
  });
});

describe('permissions', () => {
  const absent = 'ab'.repeat(20);
  type Attempt = [verb: string, text: (repository: { id: number }, owner: string, name: string) => string];
  const attempts: Attempt[] = [
    ['createBlob', (_, ...in_) => `createBlob(input: { ${inRepository(...in_)}, content: "x" }) { blob { oid } }`],
    ['createTree', (_, ...in_) => `createTree(input: { ${inRepository(...in_)}, entries: [] }) { tree { oid } }`],
    ['createRef', repository => createRef(repository, 'refs/heads/x', absent)],
    ['updateRef', repository => updateRef(repository, 'refs/heads/main', absent)],
    ['deleteRef', repository => deleteRef(repository, 'refs/heads/main')],
    [
      'updateRefs',
      ({ id }) =>
        `updateRefs(input: { repositoryId: "${encodeGlobalId('Repository', id)}", refUpdates: [] }) { clientMutationId }`,
    ],
    [
      'createTag',
      (_, ...in_) =>
        `createTag(input: { ${inRepository(...in_)}, name: "x", message: "x", targetOid: "${absent}" }) { tag { oid } }`,
    ],
    [
      'createCommitOnBranch',
      (_, ...in_) =>
        `createCommitOnBranch(input: { ${onBranch(...in_)}, message: { headline: "x" } }) { commit { oid } }`,
    ],
    [
      'createGitCommit',
      (_, ...in_) =>
        `createGitCommit(input: { ${inRepository(...in_)}, message: "x", treeOid: "x" }) { commit { oid } }`,
    ],
  ];

  test.each(attempts)('%s', async (_verb, text) => {
    const query = `mutation { ${text(compass, 'harbor-lab', 'compass')} }`;
    expect((await refused(query, null))[0]).toBe(401);
    expect(await refused(query, tomas.fine_grained_token)).toEqual([
      403,
      'Resource not accessible by personal access token',
    ]);
    expect(await refused(query, linh.classic_token)).toEqual([403, 'Must have push access to Repository.']);
    const notebook = await repositoryNamed(gateway, 'juniper/notebook');
    const hidden = `mutation { ${text(notebook, 'juniper', 'notebook')} }`;
    expect((await refused(hidden, linh.classic_token))[0]).toBe(404);
  });
});

test('everything written through the API, and the demo data, passes git fsck --strict', async () => {
  const { createCommitOnBranch: made } = await done(
    `mutation { createCommitOnBranch(input: { ${onBranch('harbor-lab', 'compass')}, message: { headline: "Whole" },
      timeZone: "Asia/Kolkata", author: { name: ".Öde, Jr.", email: "o@example.org" }, fileChanges: { additions: [
        { path: "a.c", contents: "" }, { path: "a/b", contents: "" }, { path: "a0", contents: "" },
        { path: "link", mode: SYMLINK, contents: "${base64('a/b')}" }] } }) { commit { oid } } }`,
  );
  const { rows } = await sql<{ id: number; name: string }>`
    select r.id, o.login || '/' || r.name as name from repository r join account o on o.id = r.owner_id
    where exists (select 1 from git_ref g where g.repository_id = r.id)`.execute(gateway.database.sql);
  expect(rows.length).toBeGreaterThanOrEqual(9);
  for (const { id, name } of rows) {
    const git = new SystemGit(folder());
    await exportRepository(openRepository(unlimitedSource(gateway.database.read), id), git.path);
    git.run('fsck', '--strict', '--no-dangling');
    if (name !== 'harbor-lab/compass') continue;
    expect(git.run('log', '-1', '--format=%H %an %ad', '--date=format:%z', 'main')).toBe(
      `${made.commit.oid} .Öde, Jr. +0530`,
    );
  }
});

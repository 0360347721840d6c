import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { exportRepository } from '../../../src/git/export-repository.ts';
import { createObject } from '../../../src/git/object.ts';
import { openRepository } from '../../../src/git/repository.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, linh, tomas } = (await demoOf(gateway)).users;
const inCompass = 'owner: "harbor-lab", name: "compass"';

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

const head = async (branch = 'main', of = inCompass): Promise<string> => {
  const { branches } = await done(`{ branches(${of}, first: 100) { nodes { name sha } } }`);
  return branches.nodes.find((one: { name: string }) => one.name === branch)?.sha;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('the demo data has branches, history and a tag', async () => {
  const { branches, commitHistory } = await done(
    `{ branches(${inCompass}) { nodes { name } totalCount }
       commitHistory(${inCompass}, first: 3) { nodes { message author { name } } hasNext } }`,
  );
  expect(branches).toEqual({ nodes: [{ name: 'main' }, { name: 'rhumb-lines' }], totalCount: 2 });
  expect(commitHistory).toEqual({
    nodes: [
      { message: 'Say in the docs where the numbers are from', author: { name: 'Juniper Okafor' } },
      { message: 'Declination, from a small table', author: { name: 'Tomás Ribeiro' } },
      {
        message: 'Bearings along a great circle\n\nDegrees go in and out; radians stay inside.',
        author: { name: 'Juniper Okafor' },
      },
    ],
    hasNext: true,
  });
  const tagged = await done(
    `{ last: commitHistory(${inCompass}, revision: "v0.1.0", first: 2, page: 2) { nodes { message } hasNext }
       none: commitHistory(${inCompass}, revision: "no-such-branch") { hasNext } }`,
  );
  expect(tagged).toEqual({
    last: { nodes: [{ message: 'Begin with a README and a license' }], hasNext: false },
    none: null,
  });
});

test('blob, tree, commit, branch, tag: one after the other', async () => {
  const { createBlob: blob } = await done(
    `mutation { createBlob(${inCompass}, content: "${base64('\0\u{1F9ED}')}", encoding: BASE64) { sha size url } }`,
  );
  const { oid } = createObject('blob', Buffer.from('\0\u{1F9ED}'));
  expect(blob).toEqual({ sha: oid, size: 5, url: `${gateway.url}/repos/harbor-lab/compass/git/blobs/${oid}` });
  const main = await head();
  const { gitCommit } = await done(`{ gitCommit(${inCompass}, sha: "${main}") { tree { sha } } }`);
  const { createTree: tree } = await done(
    `mutation { createTree(${inCompass}, baseTree: "${gitCommit.tree.sha}", entries: [
      { path: "assets/icons/rose.bin", sha: "${oid}" }, { path: "run", mode: EXECUTABLE, content: "#!/bin/sh\\n" },
      { path: "LICENSE" }]) { sha entries { name mode type } } }`,
  );
  expect(tree.entries).toEqual([
    { name: '.gitignore', mode: '100644', type: 'blob' },
    { name: 'README.md', mode: '100644', type: 'blob' },
    { name: 'assets', mode: '40000', type: 'tree' },
    { name: 'docs', mode: '40000', type: 'tree' },
    { name: 'package.json', mode: '100644', type: 'blob' },
    { name: 'run', mode: '100755', type: 'blob' },
    { name: 'src', mode: '40000', type: 'tree' },
  ]);
  const { createGitCommit: commit } = await done(
    `mutation { createGitCommit(${inCompass}, message: "A rose", tree: "${tree.sha}", parents: ["${main}"]) { sha } }`,
  );
  const { createRef } = await done(
    `mutation { createRef(${inCompass}, ref: "refs/heads/rose", sha: "${commit.sha}") { name sha } }`,
  );
  expect(createRef).toEqual({ name: 'refs/heads/rose', sha: commit.sha });
  const { createTag: tag } = await done(
    `mutation { createTag(${inCompass}, tag: "rose-1", message: "In bloom", target: "${commit.sha}", timeZone: "Asia/Tokyo") {
      sha tag message target targetType tagger { name email date } } }`,
  );
  expect(tag).toMatchObject({
    targetType: 'commit',
    tagger: { name: 'Wren Achterberg', email: '1+wren@users.noreply.127.0.0.1', date: '2026-10-01T08:10:00Z' },
  });
  await done(`mutation { createRef(${inCompass}, ref: "refs/tags/rose-1", sha: "${tag.sha}") { sha } }`);
  const { commitHistory } = await done(
    `{ commitHistory(${inCompass}, revision: "rose-1", first: 1) { nodes { sha } hasNext } }`,
  );
  expect(commitHistory).toEqual({ nodes: [{ sha: commit.sha }], hasNext: true });
});

describe('refs', () => {
  const absent = 'ab'.repeat(20);

  test('fast-forward, reset only by force, delete', async () => {
    const main = await head();
    const { gitCommit } = await done(`{ gitCommit(${inCompass}, sha: "${main}") { parents { sha } tree { sha } } }`);
    const before = gitCommit.parents[0].sha;
    const ref = 'ref: "refs/heads/moving"';
    await done(`mutation { createRef(${inCompass}, ${ref}, sha: "${before}") { sha } }`);
    await done(`mutation { updateRef(${inCompass}, ${ref}, sha: "${main}") { sha } }`);
    expect(await head('moving')).toBe(main);
    const back = `updateRef(${inCompass}, ${ref}, sha: "${before}"`;
    expect(await refused(`mutation { ${back}) { sha } }`)).toEqual([422, 'Update is not a fast forward']);
    expect(await refused(`mutation { ${back}, force: true, expected: "${before}") { sha } }`)).toEqual([
      409,
      `is at ${main} but expected ${before}`,
    ]);
    await done(`mutation { ${back}, force: true, expected: "${main}") { sha } }`);
    expect(await refused(`mutation { createRef(${inCompass}, ${ref}, sha: "${main}") { sha } }`)).toEqual([
      422,
      'Reference already exists',
    ]);
    expect(
      await refused(`mutation { updateRef(${inCompass}, ${ref}, sha: "${gitCommit.tree.sha}", force: true) { sha } }`),
    ).toEqual([422, expect.stringContaining('can only point to a commit')]);
    await done(`mutation { deleteRef(${inCompass}, ${ref}) }`);
    expect(await head('moving')).toBeUndefined();
    expect(await refused(`mutation { deleteRef(${inCompass}, ${ref}) }`)).toEqual([422, 'Reference does not exist']);
    expect(await refused(`mutation { updateRef(${inCompass}, ${ref}, sha: "${main}") { sha } }`)).toEqual([
      422,
      'Reference does not exist',
    ]);
  });

  test.each([
    ['heads/x', '422'],
    ['refs/heads', '422'],
    ['refs/heads/..', '422'],
    ['refs/heads/a b', '422'],
    ['refs/heads/-x', '422'],
    [`refs/heads/${absent}`, '422'],
  ])('%s is no name', async ref => {
    const query = `mutation { createRef(${inCompass}, ref: "${ref}", sha: "${await head()}") { sha } }`;
    expect(await refused(query)).toEqual([422, `${ref} is not a valid ref name.`]);
  });

  test('a name below another ref, and a missing object', async () => {
    const main = await head();
    expect(
      await refused(`mutation { createRef(${inCompass}, ref: "refs/heads/main/x", sha: "${main}") { sha } }`),
    ).toEqual([422, '«refs/heads/main/x» cannot be made: «refs/heads/main» exists.']);
    expect(
      await refused(`mutation { createRef(${inCompass}, ref: "refs/heads/x", sha: "${absent}") { sha } }`),
    ).toEqual([422, 'Object does not exist']);
  });
});

describe('createCommitOnBranch', () => {
  const commit = (args: string, of = inCompass): string =>
    `mutation { createCommitOnBranch(${of}, message: "Several at once\\n", ${args}) { sha message parents { sha } tree { sha } } }`;

  test('several files in one commit: created, replaced, deleted', async () => {
    const before = await head();
    const { createCommitOnBranch: made } = await done(
      commit(`expectedHead: "${before}", deletions: ["docs/numbers.md"], additions: [
        { path: "README.md", contents: "${base64('# New\n')}" },
        { path: "tools/bin/go", contents: "${base64('go')}", mode: EXECUTABLE }]`),
    );
    expect(made).toMatchObject({ message: 'Several at once', parents: [{ sha: before }] });
    expect(await head()).toBe(made.sha);
    // The mode is kept when none is given.
    const { createCommitOnBranch: next } = await done(
      commit(`additions: [{ path: "tools/bin/go", contents: "${base64('went')}" }]`),
    );
    expect(next.parents).toEqual([{ sha: made.sha }]);
    expect(await refused(commit(`expectedHead: "${before}", deletions: ["README.md"]`))).toEqual([
      409,
      `is at ${next.sha} but expected ${before}`,
    ]);
  });

  test('writers of one branch lose no commit', async () => {
    const before = await head();
    const shas = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const { createCommitOnBranch: made } = await done(
          commit(`additions: [{ path: "by/${at}", contents: "${base64(`${at}`)}" }]`),
        );
        return made.sha as string;
      }),
    );
    const { commitHistory } = await done(`{ commitHistory(${inCompass}, first: 9) { nodes { sha } } }`);
    const walked = commitHistory.nodes.map((one: { sha: string }) => one.sha);
    expect(walked.slice(0, 8).toSorted()).toEqual(shas.toSorted());
    expect(walked[8]).toBe(before);
  });

  test('the first commit of an empty repository creates its branch', async () => {
    const make = 'mutation { createRepository(input: { name: "fresh", visibility: PUBLIC }) { repository { id } } }';
    await done(make, {}, juniper.classic_token);
    const fresh = 'owner: "juniper", name: "fresh"';
    const { createCommitOnBranch: made } = await done(
      commit(`additions: [{ path: "README.md", contents: "" }]`, fresh),
      {},
      juniper.classic_token,
    );
    expect(made.parents).toEqual([]);
    expect(await head('main', fresh)).toBe(made.sha);
  });

  test.each([
    ['a branch that is not there', 'branch: "nowhere"', [404, 'Branch nowhere not found']],
    ['no Base64', 'additions: [{ path: "a", contents: "abcde" }]', [422, 'content is not valid Base64']],
    ['a slash in front', 'additions: [{ path: "/a", contents: "" }]', [422, 'path cannot start with a slash']],
    [
      'the folder of git',
      'additions: [{ path: "a/.GIT/b", contents: "" }]',
      [422, 'path contains a malformed path component'],
    ],
    ['a file that is not there', 'deletions: ["nothing"]', [422, 'There is no «nothing» to delete.']],
    [
      'a file below a file',
      'additions: [{ path: "LICENSE/x", contents: "" }]',
      [422, expect.stringContaining('LICENSE')],
    ],
  ] as const)('%s', async (_name, args, expected) => {
    expect(await refused(commit(args))).toEqual(expected);
  });
});

describe('permissions', () => {
  const attempts = [
    `createBlob(${inCompass}, content: "x") { sha }`,
    `createTree(${inCompass}, entries: []) { sha }`,
    `createRef(${inCompass}, ref: "refs/heads/x", sha: "${'ab'.repeat(20)}") { sha }`,
    `updateRef(${inCompass}, ref: "refs/heads/main", sha: "${'ab'.repeat(20)}") { sha }`,
    `deleteRef(${inCompass}, ref: "refs/heads/main")`,
    `createTag(${inCompass}, tag: "x", message: "x", target: "${'ab'.repeat(20)}") { sha }`,
    `createCommitOnBranch(${inCompass}, message: "x") { sha }`,
    `createGitCommit(${inCompass}, message: "x", tree: "x") { sha }`,
  ];

  test.each(attempts)('%s', async attempt => {
    const query = `mutation { ${attempt} }`;
    expect((await refused(query, null))[0]).toBe(401);
    expect(await refused(query, tomas.fine_grained_token)).toEqual([
      403,
      'Resource not accessible by personal access token',
    ]);
    expect(await refused(query, linh.classic_token)).toEqual([403, 'Must have push access to Repository.']);
    const hidden = query.replace('"harbor-lab", name: "compass"', '"juniper", name: "notebook"');
    expect((await refused(hidden, linh.classic_token))[0]).toBe(404);
  });

  test('the contents of a private repository need read access', async () => {
    const ledger = 'owner: "harbor-lab", name: "ledger"';
    for (const query of [`{ branches(${ledger}) { nodes { name } } }`, `{ commitHistory(${ledger}) { hasNext } }`]) {
      expect((await refused(query, linh.classic_token))[0]).toBe(404);
      expect((await call(gateway, 'POST', '/graphql', undefined, { query })).json.errors[0].extensions.code).toBe(
        'NOT_FOUND',
      );
      await done(query, {}, juniper.classic_token);
    }
  });
});

test('everything written through the API, and the demo data, passes git fsck --strict', async () => {
  const { createCommitOnBranch: made } = await done(
    `mutation { createCommitOnBranch(${inCompass}, message: "Whole", timeZone: "Asia/Kolkata",
      author: { name: " .Öde <x> ", email: "o@example.org" }, additions: [
        { path: "a.c", contents: "" }, { path: "a/b", contents: "" }, { path: "a0", contents: "" },
        { path: "link", mode: SYMLINK, contents: "${base64('a/b')}" }]) { sha } }`,
  );
  const { rows } = await sql<{ id: number; name: string }>`
    select r.id, o.login || '/' || r.name as name from repository r join account o on o.id = r.owner_id
    where exists (select 1 from git_ref g where g.repository_id = r.id)`.execute(gateway.database.sql);
  expect(rows.length).toBeGreaterThanOrEqual(9);
  for (const { id, name } of rows) {
    const git = new SystemGit(folder());
    await exportRepository(openRepository(gateway.database.read, id), git.path);
    git.run('fsck', '--strict', '--no-dangling');
    if (name !== 'harbor-lab/compass') continue;
    expect(git.run('log', '-1', '--format=%H %an %ad', '--date=format:%z', 'main')).toBe(`${made.sha} Öde x +0530`);
  }
});

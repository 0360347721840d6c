import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper } = (await demoOf(gateway)).users;
const token = wren.classic_token;

/** The data of a request that must succeed. */
async function done(query: string, variables: Record<string, unknown> = {}, as: string | undefined = token) {
  const answer = await graphql(gateway, query, as, variables);
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

const named = ({ owner, name }: World): string => `owner: "${owner}", name: "${name}"`;

/** The number of statements of a query that must succeed. */
async function statementsOf(query: string, variables: Record<string, unknown> = {}): Promise<number> {
  return (await gateway.statements(() => done(query, variables))).length;
}

const compass = 'repository(owner: "harbor-lab", name: "compass")';

describe('repositories', () => {
  test('the default branch with its last commit', async () => {
    const { repository } = await done(`{ ${compass} { isEmpty defaultBranchRef { id name prefix repository { name }
      target { __typename id oid abbreviatedOid commitUrl commitResourcePath ... on Commit {
        message messageHeadline messageBody authoredDate committedDate authoredByCommitter url tarballUrl
        author { name email date user { login } avatarUrl(size: 40) } parents(first: 5) { totalCount nodes { messageHeadline } }
        tree { entries { name type } } } } } } }`);
    const { target, ...ref } = repository.defaultBranchRef;
    expect(repository.isEmpty).toBe(false);
    expect(ref).toEqual({
      id: expect.any(String),
      name: 'main',
      prefix: 'refs/heads/',
      repository: { name: 'compass' },
    });
    expect(target).toMatchObject({
      __typename: 'Commit',
      abbreviatedOid: target.oid.slice(0, 7),
      commitResourcePath: `/harbor-lab/compass/commit/${target.oid}`,
      commitUrl: `${gateway.url}/harbor-lab/compass/commit/${target.oid}`,
      url: `${gateway.url}/harbor-lab/compass/commit/${target.oid}`,
      tarballUrl: `${gateway.url}/repos/harbor-lab/compass/tarball/${target.oid}`,
      messageHeadline: 'Say in the docs where the numbers are from',
      parents: { totalCount: 1, nodes: [{ messageHeadline: 'Declination, from a small table' }] },
    });
    expect(target.tree.entries).toContainEqual({ name: 'README.md', type: 'blob' });
    expect(target.author.name).toBe('Juniper Okafor');
    const { node } = await done(
      'query($ids: [ID!]!) { node: nodes(ids: $ids) { __typename id ... on Ref { name } ... on Commit { oid } } }',
      { ids: [ref.id, target.id] },
    );
    expect(node).toEqual([
      { __typename: 'Ref', id: ref.id, name: 'main' },
      { __typename: 'Commit', id: target.id, oid: target.oid },
    ]);
  });

  test('refs by name, prefix, text and order', async () => {
    const { repository } = await done(`{ ${compass} {
      full: ref(qualifiedName: "refs/heads/main") { name } short: ref(qualifiedName: "v0.1.0") { prefix name }
      none: ref(qualifiedName: "refs/heads/none") { name } nul: ref(qualifiedName: "a\\u0000b") { name }
      refs(refPrefix: "refs/heads/", first: 10) { totalCount nodes { name } pageInfo { hasNextPage endCursor } }
      last: refs(refPrefix: "refs/heads", last: 1) { nodes { name } }
      back: refs(refPrefix: "refs/heads/", direction: DESC) { nodes { name } }
      like: refs(refPrefix: "refs/heads/", query: "RHUMB") { totalCount nodes { name } }
      tags: refs(refPrefix: "refs/tags/", orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) { nodes { prefix name
        target { __typename ... on Tag { name message tagger { name date } target { __typename oid } } } } } } }`);
    expect(repository).toMatchObject({
      full: { name: 'main' },
      short: { prefix: 'refs/tags/', name: 'v0.1.0' },
      none: null,
      nul: null,
      refs: { totalCount: 2, nodes: [{ name: 'main' }, { name: 'rhumb-lines' }], pageInfo: { hasNextPage: false } },
      last: { nodes: [{ name: 'rhumb-lines' }] },
      back: { nodes: [{ name: 'rhumb-lines' }, { name: 'main' }] },
      like: { totalCount: 1, nodes: [{ name: 'rhumb-lines' }] },
      tags: { nodes: [{ prefix: 'refs/tags/', name: 'v0.1.0' }] },
    });
  });

  test('expressions', async () => {
    const { repository } = await done(
      `{ ${compass} { main: object(expression: "main") { oid } tag: object(expression: "v0.1.0") { __typename } } }`,
    );
    const { oid } = repository.main;
    const kinds = {
      HEAD: 'Commit',
      'refs/heads/main': 'Commit',
      'heads/main': 'Commit',
      [oid]: 'Commit',
      [oid.toUpperCase()]: 'Commit',
      [oid.slice(0, 10)]: 'Commit',
      'v0.1.0^{}': 'Commit',
      'v0.1.0^{commit}': 'Commit',
      'main^{tree}': 'Tree',
      'main^{blob}': undefined,
      'main:': 'Tree',
      'main:docs': 'Tree',
      'main:docs/': 'Tree',
      'HEAD:README.md': 'Blob',
      'v0.1.0:README.md': 'Blob',
      [`${oid}:README.md`]: 'Blob',
      'main:none.md': undefined,
      'main:README.md/below': undefined,
      'no-such-branch': undefined,
      'no-such-branch:README.md': undefined,
      [`${'ab'.repeat(20)}`]: undefined,
      ':README.md': undefined,
      '': undefined,
      'main~1000': undefined,
      'a\0b': undefined,
    };
    const query = `query($e: String) { ${compass} { object(expression: $e) { __typename } } }`;
    const found: Record<string, unknown> = {};
    for (const e of Object.keys(kinds)) found[e] = (await done(query, { e })).repository.object?.__typename;
    expect(found).toEqual(kinds);
    const byId = `query($oid: GitObjectID) { ${compass} { object(oid: $oid) { oid } none: object { oid } } }`;
    expect((await done(byId, { oid })).repository).toEqual({ object: { oid }, none: null });
    const wrong = await graphql(gateway, byId, token, { oid: 'main' });
    expect(wrong.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('files', () => {
  test('a folder with its texts; binary and huge files; sizes and modes', async () => {
    const world = await newWorld(gateway, token);
    await world.commit({
      'docs/a.md': 'Ä text\n',
      'docs/binary': Buffer.from([1, 0, 2]),
      'docs/empty': '',
      'docs/huge.txt': 'x'.repeat(512 * 1024 + 1),
      'docs/chunked.txt': 'y'.repeat(3 * 1024 * 1024),
      'docs/run': { mode: '100755', text: 'run' },
      'docs/sub': { mode: '160000', oid: 'ab'.repeat(20) },
      'docs/deep/b.md': 'b',
    });
    const { repository } = await done(`{ repository(${named(world)}) { object(expression: "HEAD:docs") { ... on Tree {
      entries { name nameRaw path pathRaw mode type extension size oid
        object { __typename ... on Blob { byteSize isBinary isTruncated text } ... on Tree { entries { path } } } } } } } }`);
    const entries = Object.fromEntries(
      repository.object.entries.map(({ name, ...rest }: { name: string }) => [name, rest]),
    );
    expect(entries['a.md']).toEqual({
      nameRaw: 'YS5tZA==',
      path: 'docs/a.md',
      pathRaw: Buffer.from('docs/a.md').toString('base64'),
      mode: 0o100644,
      type: 'blob',
      extension: '.md',
      size: 8,
      oid: expect.stringMatching(/^[0-9a-f]{40}$/),
      object: { __typename: 'Blob', byteSize: 8, isBinary: false, isTruncated: false, text: 'Ä text\n' },
    });
    expect(entries.binary.object).toMatchObject({ isBinary: true, isTruncated: false, text: null });
    expect(entries.empty).toMatchObject({ size: 0, object: { byteSize: 0, isBinary: false, text: '' } });
    const large = { isBinary: null, isTruncated: true, text: null };
    expect(entries['huge.txt'].object).toMatchObject({ byteSize: 512 * 1024 + 1, ...large });
    expect(entries['chunked.txt'].object).toMatchObject({ byteSize: 3 * 1024 * 1024, ...large });
    expect(entries.run.mode).toBe(0o100755);
    expect(entries.sub).toMatchObject({ type: 'commit', object: null, size: 0, mode: 0o160000 });
    expect(entries.deep).toMatchObject({
      type: 'tree',
      size: 0,
      object: { __typename: 'Tree', entries: [{ path: 'docs/deep/b.md' }] },
    });
    const { repository: one } = await done(`{ repository(${named(world)}) { defaultBranchRef { target { ... on Commit {
      file(path: "docs/deep/b.md") { path size } none: file(path: "docs/none") { path } empty: file(path: "") { path } } } } } }`);
    expect(one.defaultBranchRef.target).toEqual({
      file: { path: 'docs/deep/b.md', size: 1 },
      none: null,
      empty: null,
    });
  });

  test('the statements do not grow with the entries, and the texts of one answer are bounded', async () => {
    const files = (count: number, bytes: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`docs/${at}`, `${at} ${'z'.repeat(bytes)}`]));
    const query = (world: World): string => `{ repository(${named(world)}) { object(expression: "main:docs") {
      ... on Tree { entries { name size object { ... on Blob { text isBinary byteSize } } } } } } }`;
    const [small, large, heavy] = [
      await newWorld(gateway, token),
      await newWorld(gateway, token),
      await newWorld(gateway, token),
    ];
    await small.commit(files(1, 10));
    await large.commit(files(100, 10));
    await heavy.commit(files(20, 500_000));
    expect(await statementsOf(query(large))).toBe(await statementsOf(query(small)));
    const { errors } = await graphql(gateway, query(heavy), token);
    expect(errors[0].extensions.code).toBe('ANSWER_TOO_LARGE');
  });

  test('more entries than one answer lists are an error', async () => {
    const world = await newWorld(gateway, token);
    await world.commit(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`many/${at}`, ''])));
    const query = `{ repository(${named(world)}) { object(expression: "main:many") { oid ... on Tree { entries { name } } } } }`;
    const { data, errors } = await graphql(gateway, query, token);
    expect(data.repository.object.entries).toBeNull();
    expect(errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  });
});

describe('lists of refs and repositories', () => {
  test('the last commit of each branch: as many statements for 30 branches as for one', async () => {
    const query = (
      world: World,
    ): string => `{ repository(${named(world)}) { refs(refPrefix: "refs/heads/", first: 100) {
      nodes { name target { oid ... on Commit { messageHeadline author { name user { login } } history(first: 1) { nodes { oid } }
        tree { entries { name } } signature { isValid } } } } } } }`;
    const [small, large] = [await newWorld(gateway, token), await newWorld(gateway, token)];
    await small.commit({ a: '1' });
    await large.commit({ a: '1' });
    for (let at = 0; at < 30; at++) {
      await large.commit(
        { a: `${at}` },
        { branch: `b${at}`, message: `On ${at}\n\nBody`, seconds: 1_790_000_001 + at },
      );
    }
    const { repository } = await done(query(large));
    expect(repository.refs.nodes).toHaveLength(31);
    const branch = repository.refs.nodes.find(({ name }: { name: string }) => name === 'b7');
    expect(branch.target).toMatchObject({ messageHeadline: 'On 7', history: { nodes: [{ oid: branch.target.oid }] } });
    const fresh = await newWorld(gateway, token);
    for (let at = 0; at < 30; at++)
      await fresh.commit({ b: `${at}` }, { branch: `c${at}`, seconds: 1_780_000_000 + at });
    expect(await statementsOf(query(fresh))).toBeLessThanOrEqual(await statementsOf(query(small)));
  });

  test('the default branches of all repositories: as many statements for many as for one', async () => {
    const query = `query($first: Int!) { user(login: "wren") { repositories(first: $first) { nodes { name isEmpty
      defaultBranchRef { name target { oid ... on Commit { messageHeadline } } } refs(refPrefix: "refs/heads/", first: 2) { totalCount }
      object(expression: "HEAD:texts") { ... on Tree { entries { name object { ... on Blob { text } } } } } } } } }`;
    for (let at = 0; at < 5; at++) {
      const world = await newWorld(gateway, token, { isPrivate: at % 2 === 0 });
      if (at > 0) await world.commit({ 'texts/a.md': `Text ${at}` }, { message: `Number ${at}` });
    }
    await done(query, { first: 1 });
    const one = await statementsOf(query, { first: 1 });
    expect(await statementsOf(query, { first: 100 })).toBeLessThanOrEqual(one + 2);
  });
});

describe('history', () => {
  test('pages, paths, periods and authors', async () => {
    const world = await newWorld(gateway, token);
    const oids: string[] = [];
    for (let at = 0; at < 12; at++) {
      const file = at % 3 === 0 ? 'docs/a.md' : 'src/b.ts';
      oids.unshift(
        await world.commit({ [file]: `${at}` }, { message: `Number ${at}`, seconds: 1_790_000_000 + at * 60 }),
      );
    }
    const on = (fields: string): string =>
      `{ repository(${named(world)}) { defaultBranchRef { target { ... on Commit { ${fields} } } } } }`;
    const history = async (fields: string) => (await done(on(fields))).repository.defaultBranchRef.target;
    const page = await history(
      'history(first: 5) { totalCount nodes { oid messageHeadline } edges { cursor } pageInfo { hasNextPage endCursor } }',
    );
    expect(page.history).toMatchObject({ totalCount: 12, pageInfo: { hasNextPage: true } });
    expect(page.history.nodes.map(({ oid }: { oid: string }) => oid)).toEqual(oids.slice(0, 5));
    const after = page.history.pageInfo.endCursor;
    const next = await history(
      `history(first: 50, after: "${after}") { nodes { oid } pageInfo { hasNextPage hasPreviousPage } }
       last: history(last: 2) { nodes { oid } }`,
    );
    expect(next.history.nodes.map(({ oid }: { oid: string }) => oid)).toEqual(oids.slice(5));
    expect(next.history.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    expect(next.last.nodes.map(({ oid }: { oid: string }) => oid)).toEqual(oids.slice(10));
    const filtered = await history(
      `docs: history(path: "docs", first: 50) { totalCount nodes { messageHeadline } }
       file: history(path: "docs/a.md", first: 2) { nodes { messageHeadline } pageInfo { hasNextPage } }
       never: history(path: "never") { nodes { oid } totalCount }
       since: history(since: "${new Date((1_790_000_000 + 10 * 60) * 1000).toISOString()}") { totalCount }
       until: history(until: "2026-09-21T14:15:20+00:00") { nodes { messageHeadline } }
       seed: history(author: { emails: ["SEED@example.org"] }) { totalCount }
       nobody: history(author: { emails: ["nobody@example.org"] }) { totalCount }
       wren: history(author: { id: "${encodeGlobalId('User', 1)}" }) { totalCount }`,
    );
    expect(filtered).toMatchObject({
      docs: {
        totalCount: 4,
        nodes: [9, 6, 3, 0].map(at => ({ messageHeadline: `Number ${at}` })),
      },
      file: {
        nodes: [{ messageHeadline: 'Number 9' }, { messageHeadline: 'Number 6' }],
        pageInfo: { hasNextPage: true },
      },
      never: { nodes: [], totalCount: 0 },
      since: { totalCount: 2 },
      seed: { totalCount: 12 },
      nobody: { totalCount: 0 },
      wren: { totalCount: 0 },
    });
    const wrong = await graphql(gateway, on('history(author: { id: "x" }) { totalCount nodes { oid } }'), token);
    expect(wrong.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('dates keep the offset of their author', async () => {
    const world = await newWorld(gateway, token);
    await world.commit({ a: '1' }, { seconds: 1_790_000_000 });
    const { repository } = await done(`{ repository(${named(world)}) { defaultBranchRef { target { ... on Commit {
      authoredDate committer { date } signature { isValid } } } } } }`);
    const time = new Date(1_790_000_000_000).toISOString().replace('Z', '000Z');
    expect(repository.defaultBranchRef.target).toEqual({
      authoredDate: time,
      committer: { date: new Date(1_790_007_200_000).toISOString().replace('.000Z', '+02:00') },
      signature: null,
    });
  });
});

describe('access', () => {
  const fields = `isEmpty defaultBranchRef { name target { oid } } ref(qualifiedName: "refs/heads/main") { name }
    refs(refPrefix: "refs/heads/") { totalCount } object(expression: "HEAD") { oid }`;

  test('git data of a private repository need the permission for contents', async () => {
    const world = await newWorld(gateway, token, { isPrivate: true });
    await world.commit({ a: '1' });
    const full = await done(`{ repository(${named(world)}) { ${fields} defaultBranchRef { id target { id } } } }`);
    expect(full.repository.refs.totalCount).toBe(1);
    const ids = [full.repository.defaultBranchRef.id, full.repository.defaultBranchRef.target.id];
    const byIds = 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expect((await done(byIds, { ids })).nodes).toEqual(ids.map(id => ({ id })));
    for (const other of [juniper.classic_token, undefined]) {
      const answer = await graphql(gateway, `{ repository(${named(world)}) { ${fields} } }`, other);
      expect(answer.data.repository).toBeNull();
      expect((await graphql(gateway, byIds, other, { ids })).data.nodes).toEqual([null, null]);
    }
    const credential = {
      kind: 'fine_grained',
      accountId: 1,
      resourceOwnerId: 1,
      permissions: { metadata: 'read' },
    } as NewCredential;
    const { token: metadataOnly } = await inTransaction(gateway.database, db =>
      insertCredential(db, credential, gateway.clock.now),
    );
    const answer = await graphql(gateway, `{ repository(${named(world)}) { name ${fields} } }`, metadataOnly);
    expect(answer.data.repository).toEqual({
      name: world.name,
      isEmpty: false,
      defaultBranchRef: null,
      ref: null,
      refs: null,
      object: null,
    });
    expect(answer.errors).toHaveLength(4);
    expect(answer.errors[0].extensions.code).toBe('FORBIDDEN');
    const nodes = await graphql(gateway, byIds, metadataOnly, { ids });
    expect(nodes.data.nodes).toEqual([null, null]);
  });

  test('ids of other forms, types and repositories name nothing', async () => {
    const { repository } = await done(`{ ${compass} { defaultBranchRef { target { oid id } } } }`);
    const { oid } = repository.defaultBranchRef.target;
    const ids = [
      encodeGlobalId('Commit', oid),
      encodeGlobalId('Tree', `1:${oid}`),
      encodeGlobalId('Commit', `999999999:${oid}`),
      encodeGlobalId('Commit', `01:${oid}`),
      encodeGlobalId('Commit', '1:main'),
      encodeGlobalId('Ref', '1:main'),
      encodeGlobalId('Ref', '1:refs/heads/\0'),
    ];
    const { nodes } = await done('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(nodes).toEqual(ids.map(() => null));
  });
});

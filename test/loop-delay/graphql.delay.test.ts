import { randomBytes } from 'node:crypto';
import type { AttackedGateway } from './attacked-gateway.ts';
import {
  changedBomb,
  cleanMergeBomb,
  continued,
  deepTree,
  type HostileObjects,
  line,
  octopus,
  oneCommit,
  repositoryOf,
  treeBomb,
  wideTree,
} from './hostile-objects.ts';
import { globalRepositoryId } from './hostile-repository.ts';
import { type Shape, shape, stored, testShapes, times } from './loop-delay.ts';

const list = (count: number, piece: (at: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, at) => piece(at)).join(separator);

/** Requests of one document at the same time, anonymous. */
const documents = (
  name: string,
  document: string,
  { variables = {}, count = 4 }: { variables?: object; count?: number } = {},
): Shape => shape(name, gateway => times(count, () => gateway.graphql(document, variables)));

/** Requests with a raw body at the same time. */
const bodies = (name: string, body: () => string | Buffer, count = 4): Shape => ({
  name,
  prepare(gateway) {
    const bytes = Buffer.from(body());
    return () =>
      times(count, () =>
        gateway.send('POST', '/graphql', { headers: { 'content-type': 'application/json' }, body: bytes }),
      );
  },
});

/** A selection of the object that `main`, or another expression, names. */
const objects = (
  name: string,
  build: () => HostileObjects,
  selection: string,
  { expression = 'main', variables = {}, count = 2 }: { expression?: string; variables?: object; count?: number } = {},
): Shape =>
  stored(name, build, (gateway, { owner, name: repository }) => {
    const declared = Object.keys(variables).map(one => `, $${one}: String!`);
    const document = `query($o: String!, $n: String!, $e: String!${declared.join('')}) {
      repository(owner: $o, name: $n) { object(expression: $e) { ${selection} } } }`;
    return times(count, () => gateway.graphql(document, { o: owner, n: repository, e: expression, ...variables }));
  });

const history = (gateway: AttackedGateway, path: string): Promise<unknown> =>
  gateway.graphql(
    'query($p: String) { repository(owner: "harbor-lab", name: "compass") { object(expression: "main") { ... on Commit { history(first: 1, path: $p) { nodes { oid } } } } } }',
    { p: path },
  );

const introspection = `{ __schema { queryType { name } types { kind name description fields(includeDeprecated: true) { name description
  args { name description type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } defaultValue }
  type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } isDeprecated deprecationReason }
  inputFields { name description type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } defaultValue }
  interfaces { kind name } enumValues(includeDeprecated: true) { name description } possibleTypes { kind name } }
  directives { name description locations args { name description type { kind name ofType { kind name } } } } } }`;

const allEntries =
  '... on Tree { entries { name nameRaw path pathRaw mode type oid extension size object { oid abbreviatedOid } repository { name } } }';

const files = (count: number, at = 0): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${String(n).padStart(4, '0')}`, `${at} ${n}`]));

const stopWords = 'of to in is it he on as be at we me or by so if an up no do';
/** Different for every request, so that no document is known. */
const fresh = (): string => randomBytes(4).toString('hex');

await testShapes(
  'GraphQL',
  // biome-ignore format: a table is read by its lines.
  [
    // Documents.
    documents('a hundred aliases of one field', `{${list(100, at => `a${at}: __typename`)}}`),
    documents('900 aliases', `{${list(660, at => `a${at}: __typename`)}}`),
    documents('fields that conflict pairwise', `{${list(170, at => `a: article(databaseId: ${at}) { id }`)}}`),
    documents('two fields under one name, hundreds of times', `{${list(200, at => `a${at % 2}: ${at % 3 ? 'meta' : 'viewer'} { __typename }`)}}`),
    documents('a cycle of fragments', `{ ...f0 } ${list(100, at => `fragment f${at} on Query { ...f${(at + 1) % 100} }`)}`),
    documents('a chain of fragments', `{ ...f0 } ${list(170, at => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`)} fragment f170 on Query { __typename }`),
    documents('fragments that all spread all others', `{ ...f0 } ${list(40, at => `fragment f${at} on Query { ${list(40 - at - 1, other => `...f${at + other + 1}`)} __typename }`)}`),
    documents('fields nested 600 deep', `{${'viewer{'.repeat(600)}login${'}'.repeat(600)}}`),
    documents('lists nested 900 deep', `{ nodes(ids: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`),
    documents('objects nested 480 deep', `mutation { createRepository(input: ${'{a:'.repeat(480)}1${'}'.repeat(480)}) { clientMutationId } }`),
    documents('a directive repeated', `{ __typename ${'@skip(if: false) '.repeat(270)} }`),
    documents('unknown directives', `{ __typename ${list(600, at => `@a${at}`)} }`),
    documents('many operations', list(300, at => `query q${at} { __typename }`)),
    documents('many operations over many fragments', `${list(90, at => `query q${at} { ...f${at} }`)} ${list(125, at => `fragment f${at} on Query { ...f${(at + 1) % 125} }`)}`),
    documents('many unknown fields', `{${list(990, at => `unknown${at}`)}}`),
    documents('unknown fields that resemble others', `{${list(300, at => `repositoru${at % 10} { nam }`)}}`),
    documents('many unknown types of variables', `query(${list(400, at => `$v${at}: T${at}`)}) { __typename }`),
    documents('a block string of 83,000 lines', `{ articles(search: """${'\n'.repeat(83_000)}""") { totalCount } }`),
    documents('a block string of 200 KB of quotes', `{ articles(search: """${'\\"""'.repeat(30_000)}""") { totalCount } }`),
    documents('a string of 34,000 escapes', `{ articles(search: "${'\\u0041'.repeat(34_000)}") { totalCount } }`),
    documents('a number of 100,000 digits', `{ article(databaseId: ${'9'.repeat(100_000)}) { id } }`),
    documents('a fraction of 100,000 digits', `{ articles(first: 1.${'9'.repeat(100_000)}e1) { totalCount } }`),
    documents('a name of 200,000 letters', `{ ${'a'.repeat(200_000)} }`),
    documents('comments and commas of 250 KB', `{ ${',#x\n'.repeat(50_000)} __typename }`),
    documents('introspection', introspection, { count: 2 }),
    documents('introspection of types in types', `{ __schema { types { fields { type { fields { name } } } } } }`),
    shape('new documents, of twenty searches each', gateway =>
      times(2, () =>
        gateway.graphql(`{${list(20, at => `a${at}${fresh()}: articles(search: "${stopWords}") { nodes { id } }`)}}`),
      ),
    ),
    documents('a page of pages of pages', '{ articles(first: 100) { nodes { headline comments(first: 100) { nodes { text } } related { headline } } } }'),
    documents(
      'a page of 100 in a page of 100 repositories',
      '{ organization(login: "harbor-lab") { repositories(first: 100) { nodes { name owner { login ... on Organization { repositories(first: 100) { nodes { name owner { login } } } } } } } } }',
    ),
    // Variables.
    documents('a variable of 100,000 items', 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      variables: { ids: Array.from({ length: 60_000 }, () => 'a') },
    }),
    bodies('a variable nested 100,000 deep', () => `{"query":"{ __typename }","variables":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    bodies('a body that repeats a key', () => `{${'"query":"{ __typename }",'.repeat(9_000)}"query":"{ __typename }"}`),
    bodies('a body of numbers of 100,000 digits', () => `{"query":"query($a: Int) { article(databaseId: $a) { id } }","variables":{"a":${'9'.repeat(200_000)}}}`),
    bodies('a body of escapes', () => `{"query":"{ __typename }","variables":{"a":"${'\\u0000'.repeat(40_000)}"}}`),
    bodies('a batch of thousands of requests', () => `[${list(9_000, () => '{"query":"{ __typename }"}', ',')}]`),
    bodies('a body that is not UTF-8', () => Buffer.alloc(250_000, 0xff)),
    documents('an id of 200 KB', 'query($id: ID!) { node(id: $id) { id } }', {
      variables: { id: 'A'.repeat(200_000) },
    }),
    documents('a cursor of 200 KB', 'query($a: String) { articles(first: 1, after: $a) { totalCount } }', {
      variables: { a: Buffer.alloc(150_000, 'a').toString('base64') },
    }),
    documents('a search of 200 KB', 'query($s: String) { articles(first: 1, search: $s) { totalCount } }', {
      variables: { s: `"${'a" "b '.repeat(30_000)}` },
    }),
    documents(
      'an email for SSO of 200 KB of blanks',
      'mutation($r: String!) { authorizeTokenForSso(input: { request: $r }) { clientMutationId } }',
      { variables: { r: `a${' '.repeat(200_000)}b` } },
    ),
    // Git objects.
    shape('a history of a path of 128,000 parts', gateway => times(2, () => history(gateway, 'a/'.repeat(120_000)))),
    shape('a history of a path of blanks and dots', gateway => times(2, () => history(gateway, './'.repeat(60_000)))),
    objects('a history of 10^10 files by path', () => changedBomb(), '... on Commit { history(first: 100, path: "n0/n0/n0") { nodes { oid } } }'),
    objects('the file of a path of 100,000 parts', () => treeBomb(), '... on Commit { file(path: $p) { name } }', {
      variables: { p: 'n0/'.repeat(80_000) },
    }),
    objects('a directory of 400,000 files', () => wideTree(400_000), '... on Commit { tree { entries { name } } }', {
      count: 1,
    }),
    objects('every field of 10,000 files', () => wideTree(10_000), allEntries, { expression: 'main:' }),
    objects('every field of 99 files of each of 100 commits', () => line(100, at => files(98, at)), '... on Commit { history(first: 100) { nodes { tree { entries { name nameRaw path pathRaw mode type oid extension size } } } } }'),
    objects('every field of 9,000 files that differ', () => repositoryOf(files(9_000)), allEntries, { expression: 'main:' }),
    objects('paths of 9,000 files below 2,040 directories', () => wideTree(9_000, 2_040), '... on Tree { entries { name } }', { expression: `main:${'d/'.repeat(2_039)}d` }),
    objects('paths of 3,000 files below 2,040 directories that are shown', () => wideTree(3_000, 2_040), '... on Tree { entries { path } }', { expression: `main:${'d/'.repeat(2_039)}d` }),
    objects('a history of a path of 2,048 parts', () => deepTree(2_048), '... on Commit { history(first: 100, path: $p) { nodes { oid } } }', {
      variables: { p: `${'d/'.repeat(2_047)}d` },
    }),
    objects('twenty files at paths of 2,048 parts', () => deepTree(2_048), `... on Commit { ${list(20, at => `f${at}: file(path: $p) { path pathRaw }`)} }`, {
      variables: { p: `${'d/'.repeat(2_047)}d` },
    }),
    objects('5,000 nested directories', () => deepTree(5_000), '... on Commit { file(path: $p) { name } }', {
      variables: { p: `${'d/'.repeat(2_000)}d` },
    }),
    objects('a signature of 100,000 lines', () => oneCommit({ headers: continued('gpgsig', 100_000) }), '... on Commit { message signature { signature payload } }'),
    objects('a message of 10 MB', () => oneCommit({ message: 'word '.repeat(2_000_000) }), '... on Commit { message messageHeadline messageBody }', { count: 1 }),
    objects('a headline of 1 MB without a break', () => oneCommit({ message: 'x'.repeat(1_000_000) }), '... on Commit { messageHeadline messageBody }'),
    objects(
      'parents of an octopus of 20,000',
      () => octopus(20_000),
      '... on Commit { parents(first: 100) { totalCount nodes { oid } } history(first: 100) { nodes { oid } } }',
      { count: 1 },
    ),
    objects('a file of 10 MB as text', () => repositoryOf({ 'a.txt': 'ä\n'.repeat(3_000_000) }), '... on Blob { text isBinary byteSize }', { expression: 'main:a.txt', count: 1 }),
    objects('an expression of thousands of suffixes', () => line(3, () => ({})), '__typename', {
      expression: `main${'~1'.repeat(50_000)}`,
    }),
    objects('an expression of a path of 200 KB', () => treeBomb(), '__typename', {
      expression: `main:${'n0/'.repeat(60_000)}`,
    }),
    stored(
      'a merge of three trees of 2^30 files',
      () => cleanMergeBomb(30),
      async (gateway, { id }) =>
        gateway.graphql(
          'mutation($r: ID!) { mergeBranch(input: { repositoryId: $r, base: "main", head: "side" }) { mergeCommit { oid } } }',
          { r: globalRepositoryId(id) },
          gateway.token,
        ),
    ),
    stored(
      'a commit of 40,000 additions',
      () => repositoryOf({}),
      (gateway, { path }) =>
        gateway.graphql(
          'mutation($i: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $i) { commit { oid } } }',
          {
            i: {
              branch: { repositoryNameWithOwner: path, branchName: 'main' },
              message: { headline: 'many' },
              fileChanges: {
                additions: Array.from({ length: 20_000 }, (_, at) => ({
                  path: `d${at % 300}/${at}`,
                  contents: 'YQ==',
                })),
              },
            },
          },
          gateway.token,
        ),
    ),
  ],
  async gateway => {
    const { status, text } = await gateway.graphql('{ articles(first: 1) { nodes { headline } } }');
    if (status !== 200 || text.includes('"errors"')) throw new Error(text);
  },
);

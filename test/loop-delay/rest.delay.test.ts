import { randomBytes } from 'node:crypto';
import type { GitObject } from '../../src/git/object.ts';
import type { AttackedGateway, HostileAnswer } from './attacked-gateway.ts';
import {
  changedBomb,
  cleanMergeBomb,
  commitOf,
  continued,
  crissCross,
  deepTree,
  filesOf,
  type HostileObjects,
  line,
  mergeBomb,
  nonce,
  octopus,
  oneCommit,
  repositoryOf,
  tagOf,
  treeBomb,
  wideTree,
} from './hostile-objects.ts';
import { forkOf, type HostileRepository, storeRepository } from './hostile-repository.ts';
import { type Shape, shape, stored, testShapes, times } from './loop-delay.ts';

const json = { 'content-type': 'application/json' };
const post = (gateway: AttackedGateway, path: string, body: object, method = 'POST'): Promise<HostileAnswer> =>
  gateway.send(method, path, { headers: json, body: JSON.stringify(body), token: gateway.token });

/** `count` requests of `path` below a repository, anonymous, at the same time. */
const reads = (
  name: string,
  build: () => HostileObjects,
  path: (refs: HostileObjects['refs']) => string,
  count = 2,
): Shape =>
  stored(name, build, (gateway, { path: repository, refs }) =>
    times(count, () => gateway.send('GET', `/repos/${repository}${path(refs)}`)),
  );

/** Requests of one document with one hostile header, at the same time. */
const header = (name: string, headers: Record<string, string>, path = '/repos/harbor-lab/compass', count = 8): Shape =>
  shape(name, gateway => times(count, () => gateway.send('GET', path, { headers })));

/** Characters of a header that Node.js lets in: 16 KB with the rest of the head. */
const headerLength = 15_500;
const fill = (piece: string, length = headerLength): string => piece.repeat(Math.floor(length / piece.length));

const longPath = `${'a/'.repeat(3_800)}a`;
const lines = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, at) => `${(at * seed) % 7_919}\n`).join('');

const manyRefs = (count: number): HostileObjects => {
  const made = repositoryOf({});
  const [oid = ''] = Object.values(made.refs);
  const refs = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`refs/heads/${'x'.repeat(60)}${at}`, oid] as const),
  );
  return { ...made, refs: { ...made.refs, ...refs } };
};

const taggedCommit = (headers: string): HostileObjects => {
  const made = repositoryOf({});
  const tag = tagOf(made.refs['refs/heads/main'] ?? '', { headers });
  return { objects: [...made.objects, tag], refs: { ...made.refs, 'refs/tags/hostile': tag.oid } };
};

const deepPath = `${'d/'.repeat(2_039)}d`;

/** Two commits of one file below so many directories, with another content in each. */
function deepChange(depth: number): HostileObjects {
  const [before, after] = [deepTree(depth), deepTree(depth)];
  const [first, root] = [before.objects.at(-1)?.oid ?? '', after.objects.at(-2)?.oid ?? ''];
  const second = commitOf({ tree: root, parents: [first], at: 1 });
  return {
    objects: [...before.objects, ...after.objects.slice(0, -1), second],
    refs: { 'refs/heads/main': second.oid, 'refs/heads/before': first },
  };
}

const stopWords = 'of to in is it he on as be at we me or by so if an up no do';

await testShapes(
  'REST',
  // biome-ignore format: a table is read by its lines.
  [
    // Trees that expand.
    reads('a commit of 10^10 files in twelve objects', () => treeBomb(), () => '/commits/main'),
    reads('a comparison of two trees of 10^10 files', () => changedBomb(), () => '/compare/before...main'),
    stored(
      'a patch of 10^10 files',
      () => changedBomb(),
      (gateway, { path }) =>
        times(2, () =>
          gateway.send('GET', `/repos/${path}/commits/main`, { headers: { accept: 'application/vnd.host.patch' } }),
        ),
    ),
    stored(
      'the differences of two trees of 10^10 files',
      () => changedBomb(),
      (gateway, { path }) =>
        times(2, () =>
          gateway.send('GET', `/repos/${path}/compare/before...main`, {
            headers: { accept: 'application/vnd.host.diff' },
          }),
        ),
    ),
    reads('a recursive list of 10^10 files', () => treeBomb(), () => '/git/trees/main?recursive=1'),
    reads('the languages of 10^10 files', () => treeBomb(), () => '/languages'),
    reads('the history of a path in 10^10 files', () => changedBomb(), () => '/commits?path=n0/n1/n2/n3&per_page=100'),
    stored('an archive of 10^10 files', () => treeBomb(), (gateway, { path }) => times(2, at => gateway.send('GET', `/codeload/${path}/legacy.${at ? 'zip' : 'tar.gz'}/refs/heads/main`))),
    reads('a directory of 500,000 files', () => wideTree(500_000), () => '/contents/', 1),
    reads('a recursive list of 400,000 files', () => wideTree(400_000), () => '/git/trees/main?recursive=1', 1),
    reads('a recursive list of 5,000 nested directories', () => deepTree(5_000), () => '/git/trees/main?recursive=1'),
    reads('a directory of 1,000 files below 2,040 directories', () => wideTree(1_000, 2_040), () => `/contents/${deepPath}`),
    reads('the file of a path of 2,048 parts', () => deepTree(2_048), () => `/contents/${deepPath}/d/d/d/d/d/d/d/d`),
    stored('a raw file of a path of 2,048 parts', () => deepTree(2_048), (gateway, { path }) => times(2, () => gateway.send('GET', `/raw/${path}/main/${deepPath}/d/d/d/d/d/d/d/d`))),
    stored('an archive of a path of 2,048 parts', () => deepTree(2_048), (gateway, { path }) => times(2, at => gateway.send('GET', `/codeload/${path}/legacy.${at ? 'zip' : 'tar.gz'}/refs/heads/main`))),
    stored('an archive of a directory of 100,000 files', () => wideTree(100_000), (gateway, { path }) => times(2, at => gateway.send('GET', `/codeload/${path}/legacy.${at ? 'zip' : 'tar.gz'}/refs/heads/main`))),
    reads('a comparison of a path of 2,048 parts', () => deepChange(2_048), () => '/compare/before...main'),
    stored('1 MB of angle brackets as HTML', () => repositoryOf({ 'a.txt': fill('<"', 1_000_000) }), (gateway, { path }) => times(2, () => gateway.send('GET', `/repos/${path}/contents/a.txt`, { headers: { accept: 'application/vnd.host.html' } }))),
    stored('1 MB of Base64 with a blank after each character', () => repositoryOf({}), (gateway, { path }) => post(gateway, `/repos/${path}/contents/b.txt`, { message: 'm', content: fill('A ', 1_000_000) }, 'PUT')),
    reads('a commit of 5,000 nested directories', () => deepTree(5_000, 'directory'), () => '/commits/main'),
    // Merges.
    stored('a merge of three trees of 2^30 files', () => mergeBomb(30), (gateway, { path }) => post(gateway, `/repos/${path}/merges`, { base: 'main', head: 'side' })),
    stored(
      'a merge of three trees of 2^30 files that both sides extend',
      () => cleanMergeBomb(30),
      (gateway, { path }) => post(gateway, `/repos/${path}/merges`, { base: 'main', head: 'side' }),
    ),
    {
      name: 'an upstream whose tree of 2^30 files is merged into a fork',
      async prepare(gateway) {
        const fork = await forkOf(gateway, cleanMergeBomb(30));
        return () => post(gateway, `/repos/${fork.path}/merge-upstream`, { branch: 'main' });
      },
    },
    // Histories.
    reads('a comparison of two merges of 3,200 roots', () => octopus(3_200), () => '/compare/main...side'),
    reads('a comparison of 2,000 merges back and forth', () => crissCross(2_000), () => '/compare/main...side'),
    reads('the branches of a commit among 9,000', () => manyRefs(9_000), ({ 'refs/heads/main': oid }) => `/commits/${oid}/branches-where-head`),
    reads('references that match a prefix of 9,000', () => manyRefs(9_000), () => '/git/matching-refs/heads/x'),
    // Commits and tags.
    reads('a signature of 100,000 lines', () => oneCommit({ headers: continued('gpgsig', 100_000) }), () => '/commits/main'),
    reads('a merged tag of 100,000 lines', () => oneCommit({ headers: continued('mergetag', 100_000) }), ({ 'refs/heads/main': oid }) => `/git/commits/${oid}`),
    reads('100,000 headers of a commit', () => oneCommit({ headers: 'x y\n'.repeat(100_000) }), () => '/commits/main'),
    reads('a tag with 100,000 header lines', () => taggedCommit(continued('gpgsig', 100_000)), ({ 'refs/tags/hostile': oid }) => `/git/tags/${oid}`),
    reads('thirty messages of 1 MB', () => messages(30), () => '/commits?per_page=30'),
    // Files.
    reads('.gitmodules with blanks', () => repositoryOf({ '.gitmodules': `[submodule "a"]\n${fill(' ', 60_000)}x\n` }), () => '/contents/'),
    reads('two files of 1 MB without a common line', () => rewritten(), () => '/commits/main', 1),
    stored('attributes of 1,400 patterns of stars', () => starredAttributes(), (gateway, { path }) => gateway.send('GET', `/codeload/${path}/legacy.tar.gz/refs/heads/main`)),
    // Bodies and rules.
    stored(
      'a new tree of 24,000 entries',
      () => repositoryOf({}),
      (gateway, { path }) =>
        post(gateway, `/repos/${path}/git/trees`, {
          tree: Array.from({ length: 24_000 }, (_, at) => ({
            path: `d${at % 500}/${at}`,
            mode: '100644',
            content: `${at}`,
          })),
        }),
    ),
    {
      name: 'a message of 1 MB for six regular expressions of rules',
      async prepare(gateway) {
        const { path } = await ruledRepository(gateway);
        const message = Array.from(randomBytes(1_000_000), byte => (byte % 2 === 0 ? 'a' : 'b')).join('');
        return () => post(gateway, `/repos/${path}/contents/${nonce()}.txt`, { message, content: 'YQ==' }, 'PUT');
      },
    },
    // Headers.
    header('Authorization with blanks', { authorization: `x a${fill(' ')}b` }),
    header('Authorization of many schemes', { authorization: fill('Bearer x, ') }),
    header('Authorization: Basic with colons', {
      authorization: `Basic ${Buffer.from(fill(':', 11_000)).toString('base64')}`,
    }),
    header('Accept with thousands of ranges', { accept: fill('a/b;q=0.1,') }),
    header('Accept with blanks and parameters', { accept: `application/vnd${fill(' ;')}x` }),
    header('Accept-Encoding with thousands of codings', { 'accept-encoding': fill('x;q=0.9,') }),
    header('Accept-Language with blanks', { 'accept-language': `a${fill(' ')};q` }, '/'),
    header('Cookie with thousands of pairs', { cookie: fill('a=b; ') }, '/login/health'),
    header('Cookie with blanks', { cookie: `a${fill(' ')}` }, '/health'),
    header('Range with thousands of ranges', { range: `bytes=${fill('0-0,')}` }, '/raw/harbor-lab/compass/main/README.md'),
    header('If-None-Match with thousands of tags', { 'if-none-match': fill('"x", ') }),
    header('If-None-Match with weak marks and blanks', { 'if-none-match': `W/${fill(' W/')}"` }),
    header('X-Forwarded-For with thousands of addresses', { 'x-forwarded-for': fill('1.1.1.1, ') }),
    header('Forwarded and traceparent of many parts', { forwarded: fill('for=a;'), tracestate: 'a=b,'.repeat(10) }),
    header('Content-Type with parameters', { 'content-type': `application/json${fill(';a=b')}` }),
    shape('five hundred headers', gateway =>
      times(8, () =>
        gateway.send('GET', '/repos/harbor-lab/compass', {
          headers: Array.from({ length: 1_000 }, (_, at): [string, string] => [`x-${at}`, 'y']),
        }),
      ),
    ),
    // Paths and queries.
    shape('a query of thousands of equal parameters', gateway =>
      times(8, () => gateway.send('GET', `/api/v1/articles/?${fill('page=1&')}`)),
    ),
    shape('a query of thousands of parameters', gateway =>
      times(8, () =>
        gateway.send('GET', `/api/v1/articles/?${Array.from({ length: 2_000 }, (_, at) => `p${at}=1`).join('&')}`),
      ),
    ),
    shape('a path of thousands of parts', gateway =>
      times(8, () => gateway.send('GET', `/repos/harbor-lab/compass/contents/${longPath}`)),
    ),
    shape('a path of encoded slashes', gateway =>
      times(8, () => gateway.send('GET', `/repos/harbor-lab/compass/contents/${fill('%2F', 15_000)}`)),
    ),
    shape('a path of invalid encodings', gateway =>
      times(8, () => gateway.send('GET', `/repos/harbor-lab/${fill('%ff%', 15_000)}`)),
    ),
    shape('the history of a path of thousands of parts', gateway =>
      times(4, () => gateway.send('GET', `/repos/harbor-lab/compass/commits?path=${longPath}`)),
    ),
    shape('a revision of thousands of suffixes', gateway =>
      times(4, () => gateway.send('GET', `/repos/harbor-lab/compass/commits/main${fill('^0', 7_000)}`)),
    ),
    shape('a search for stop words', gateway =>
      times(4, () => gateway.send('GET', `/api/v1/articles/?search=${encodeURIComponent(stopWords)}`)),
    ),
    shape('a search of thousands of quotes', gateway =>
      times(4, () => gateway.send('GET', `/api/v1/articles/?search=${fill('%22a', 8_000)}`)),
    ),
    shape('a search of repositories of thousands of qualifiers', gateway =>
      times(4, () => gateway.send('GET', `/search/repositories?q=${fill('user:a+', 8_000)}`)),
    ),
    shape('an order by thousands of fields', gateway =>
      times(4, () => gateway.send('GET', `/api/v1/articles/?ordering=${fill('-id,', 8_000)}`)),
    ),
  ],
  async gateway => {
    const { status, text } = await gateway.send('GET', '/repos/harbor-lab/compass');
    if (status !== 200) throw new Error(text);
  },
);

/** A line of commits whose messages have 1 MB each. */
function messages(count: number): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce() });
  const commits: GitObject[] = [];
  for (let at = 0; at < count; at++) {
    const parents = commits.slice(-1).map(({ oid }) => oid);
    commits.push(commitOf({ tree: tree.oid, parents, message: `${fill('word ', 1_000_000)}${at}\n`, at }));
  }
  return { objects: [...objects, ...commits], refs: { 'refs/heads/main': commits.at(-1)?.oid ?? '' } };
}

/** A repository with six rules, whose regular expressions reach a new state with nearly every letter. */
async function ruledRepository(gateway: AttackedGateway): Promise<HostileRepository> {
  const repository = await storeRepository(gateway, repositoryOf({}));
  for (const letter of 'cdefgh') {
    await post(gateway, `/repos/${repository.path}/rulesets`, {
      name: `pattern ${letter}`,
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
      rules: [
        {
          type: 'commit_message_pattern',
          parameters: { operator: 'regex', pattern: `(?i)[ab]*a[ab]{200}${letter}`, negate: true },
        },
      ],
    });
  }
  return repository;
}

/** A commit that replaces a file of 1 MB, in which every line is another. */
function rewritten(): HostileObjects {
  return line(2, at => ({ 'a.txt': lines(180_000, at === 0 ? 7 : 11) }));
}

function starredAttributes(): HostileObjects {
  const stars = '*a'.repeat(20);
  const rules = Array.from({ length: 1_400 }, (_, at) => `${stars}${at % 10} export-subst`).join('\n');
  const names = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${'a'.repeat(245)}${at}`, 'x'] as const));
  return repositoryOf({ '.gitattributes': rules, ...names });
}

import type { AttackedGateway, HostileAnswer } from './attacked-gateway.ts';
import {
  changedBomb,
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
import { type Shape, shape, stored, testShapes, times } from './loop-delay.ts';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (gateway: AttackedGateway, path: string, headers: Record<string, string> = {}): Promise<HostileAnswer> =>
  gateway.send('GET', path, { headers: { ...browser, ...headers } });

/** Pages below a repository, for an anonymous browser, at the same time. */
const pages = (
  name: string,
  build: () => HostileObjects,
  path: (refs: HostileObjects['refs']) => string,
  count = 2,
): Shape =>
  stored(name, build, (gateway, { path: repository, refs }) =>
    times(count, () => open(gateway, `/${repository}${path(refs)}`)),
  );

/** The page of a repository, which renders its README. */
const readme = (name: string, text: () => string): Shape =>
  pages(
    `README: ${name}`,
    () => repositoryOf({ 'README.md': text() }),
    () => '',
  );

/** The page of a file, which highlights it. */
const file = (name: string, path: string, text: () => string | Buffer): Shape =>
  pages(
    `a file: ${name}`,
    () => repositoryOf({ [path]: text() }),
    () => `/blob/main/${path}`,
  );

/** A form that no page has sent. */
const form = (name: string, path: string, body: () => string): Shape => ({
  name: `a form: ${name}`,
  prepare(gateway) {
    const text = body();
    return () =>
      times(4, () =>
        gateway.send('POST', path, {
          headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
          body: text,
        }),
      );
  },
});

const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));
const size = 400_000;
const diff = (change: (at: number) => string, name = 'a.txt'): HostileObjects =>
  line(2, at => ({ [name]: change(at) }));
const rotated = (at: number, count: number): string =>
  Array.from({ length: count }, (_, n) => `${(n * (at === 0 ? 7 : 11)) % 997}\n`).join('');

await testShapes(
  'pages',
  // biome-ignore format: a table is read by its lines.
  [
    readme('brackets', () => fill('[', size)),
    readme('links in links', () => fill('[a](', size)),
    readme('images and brackets', () => fill('![[]()', size)),
    readme('stars and underscores', () => fill('*a_', size)),
    readme('strong emphasis without an end', () => fill('**a **a', size)),
    readme('backquotes of many lengths', () => Array.from({ length: 800 }, (_, at) => '`'.repeat(at + 1)).join('a')),
    readme('quotes nested thousands deep', () => `${fill('>', 20_000)}a\n`.repeat(5)),
    readme('lists nested thousands deep', () =>
      Array.from({ length: 600 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n'),
    ),
    readme('a table of thousands of columns', () => `${fill('|a', 40_000)}\n${fill('|-', 40_000)}\n${`${fill('|a', 4_000)}\n`.repeat(40)}`),
    readme('reference definitions', () =>
      Array.from({ length: 15_000 }, (_, at) => `[a${at}]: b\n\n[a${at}]`).join('\n'),
    ),
    readme('HTML tags', () => fill('<a b="c"', size)),
    readme('HTML tags nested', () => fill('<div><b>', size)),
    readme('comments without an end', () => fill('<!-- ', size)),
    readme('entities', () => fill('&amp;&#0;&x', size)),
    readme('addresses to be linked', () => fill('www.a.example/( http://x_y.example ', size)),
    readme('mail addresses to be linked', () => fill('a@b.', size)),
    readme('a line of blanks and tabs', () => `a${fill(' \t', size)}b`),
    readme('thousands of fenced blocks in languages', () =>
      Array.from({ length: 8_000 }, (_, at) => `\`\`\`${['js', 'cpp', 'html', 'perl'][at % 4]}\na = /\n\`\`\``).join(
        '\n',
      ),
    ),
    readme('one fenced block of hostile JavaScript', () => `\`\`\`js\n${fill('/*', size)}\n\`\`\``),
    file('JavaScript of slashes', 'a.js', () => fill('/a', size)),
    file('JSX of tags', 'a.jsx', () => fill('<a ', size)),
    file('C++ of angle brackets', 'a.cpp', () => fill('a<', size)),
    file('Perl of quotes', 'a.pl', () => fill('q{', size)),
    file('XML of entities', 'a.xml', () => fill("<a b='", size)),
    file('Markdown of brackets', 'a.txt.md', () => fill('[', size)),
    file('JSON nested', 'a.json', () => fill('[', size)),
    file('YAML of blanks', 'a.yml', () => fill('  - a:', size)),
    file('CSS of braces', 'a.css', () => fill('a{b:c(', size)),
    file('a line of 1 MB', 'a.py', () => fill('"""', 1_000_000)),
    file('100,000 lines', 'a.txt', () => fill('a\n', 500_000)),
    file('a name without an ending', 'a', () => `#!/usr/bin/env${fill(' ', 100_000)}node\n`),
    file('angle brackets of 1 MB', 'a.txt', () => fill('<"', 1_000_000)),
    file('bytes that are not UTF-8', 'a.sh', () => Buffer.alloc(size, 0xc3)),
    pages('the page of a repository of 10^10 files', () => treeBomb(), () => ''),
    pages('the page of a commit of 10^10 files', () => changedBomb(), ({ 'refs/heads/main': oid }) => `/commit/${oid}`),
    pages('the page of a comparison of 10^10 files', () => changedBomb(), () => '/compare/before...main'),
    pages('the page of a difference of 10^10 files', () => changedBomb(), () => '/diff/before...main'),
    pages('the commits of a path in 10^10 files', () => changedBomb(), () => '/commits/main/n0/n1/n2'),
    pages('the page of a directory of 300,000 files', () => wideTree(300_000), () => '', 1),
    pages('the page of a directory of 5,000 files below 2,040 directories', () => wideTree(5_000, 2_040), () => `/tree/main/${'d/'.repeat(2_039)}d`),
    pages('the commits of a path of 2,048 parts', () => deepTree(2_048), () => `/commits/main/${'d/'.repeat(2_047)}d`),
    pages('the page of 2,000 nested directories', () => deepTree(3_000), () => `/tree/main/${fill('d/', 6_000)}d`),
    pages('the page of a commit with 100,000 lines of a signature', () => oneCommit({ headers: continued('gpgsig', 100_000) }), ({ 'refs/heads/main': oid }) => `/commit/${oid}`),
    pages('the page of a commit with a message of 10 MB', () => oneCommit({ message: fill('a\n', 10_000_000) }), ({ 'refs/heads/main': oid }) => `/commit/${oid}`, 1),
    pages('the commits of an octopus of 20,000 roots', () => octopus(20_000), () => '/commits/main', 1),
    pages('a commit that rewrites 180,000 lines', () => diff(at => rotated(at, 180_000)), ({ 'refs/heads/main': oid }) => `/commit/${oid}`),
    pages('a commit that changes lines of 400 KB', () => diff(at => `${fill(`a${at}`, size)}\n${fill(`b${at}`, size)}`), ({ 'refs/heads/main': oid }) => `/commit/${oid}`),
    pages(
      'a commit of 3,000 changed files',
      () => line(2, at => Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n}.js`, `${at}`]))),
      ({ 'refs/heads/main': oid }) => `/commit/${oid}`,
    ),
    pages('the page of 9,000 branches', () => branches(9_000), () => '/branches'),
    form('100,000 fields', '/login/health', () => fill('a=b&', size)),
    form('a field 100,000 times', '/login/health', () => fill('email=x&', size)),
    form('nested brackets', '/login', () => `a${fill('[a]', 60_000)}=b`),
    form('encodings', '/login', () => `token=${fill('%20', 60_000)}`),
    form('invalid encodings', '/login/oauth/access_token', () => `code=${fill('%f', 60_000)}`),
    form('a token of blanks', '/login', () => `action=sign-in&token=x${fill('+', 60_000)}x`),
    form('a device code of hyphens', '/login/device', () => `user_code=${fill('-A', 60_000)}`),
    shape('an address to return to of slashes', gateway =>
      times(4, () => open(gateway, `/login/health?return_to=${fill('/%5C', 15_000)}`)),
    ),
    shape('scopes of an authorization', gateway =>
      times(4, () => open(gateway, `/login/oauth/authorize?client_id=x&scope=${fill('repo+user,', 14_000)}`)),
    ),
    shape('cookies of a browser', gateway =>
      times(4, () => open(gateway, '/login', { cookie: fill('portico_session=a.b; ', 15_000) })),
    ),
    shape('times of a dashboard', gateway =>
      times(4, () =>
        gateway.send('GET', `/orgs/harbor-lab/dashboards/api-usage?min_timestamp=${fill('2026-', 14_000)}`, {
          headers: browser,
          token: gateway.token,
        }),
      ),
    ),
    shape('a table of a dashboard as CSV', gateway =>
      times(4, () =>
        gateway.send('GET', '/orgs/harbor-lab/dashboards/api-usage?format=csv&table=routes', {
          headers: browser,
          token: gateway.token,
        }),
      ),
    ),
    shape('the contract documents', gateway =>
      times(2, at => gateway.send('GET', at === 0 ? '/openapi/hosting.json' : '/openapi/health.json')),
    ),
    shape('the explorer and the schema', gateway =>
      times(2, at => open(gateway, at === 0 ? '/graphiql' : '/schema.graphql')),
    ),
  ],
  async gateway => {
    const { status, text } = await open(gateway, '/harbor-lab/compass');
    if (status !== 200 || !text.includes('git clone')) throw new Error(text);
  },
);

function branches(count: number): HostileObjects {
  const made = repositoryOf({});
  const [oid = ''] = Object.values(made.refs);
  const refs = Object.fromEntries(Array.from({ length: count }, (_, at) => [`refs/heads/branch-${at}`, oid]));
  return { ...made, refs: { ...made.refs, ...refs } };
}

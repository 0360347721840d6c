import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RouteTable } from 'operation-rest';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `type Query { get(route: String!, a: String, b: String, n: Int): String! } type Mutation { put(route: String!, a: String): String! }`,
  { Query: { get: echo }, Mutation: { put: echo } },
);
let count = 0;
const get = (path: string, names: string[] = [], type = 'String') => {
  const variables = names.length > 0 ? `(${names.map(name => `$${name}: ${type}!`).join(', ')})` : '';
  const args = names.map(name => `, ${name}: $${name}`).join('');
  return `query Q${count++}${variables} @rest(method: GET, path: "${path}") { get(route: "${path}"${args}) @body }`;
};
const put = (path: string, names: string[] = []) =>
  get(path, names).replace('query', 'mutation').replace('GET', 'PUT').replace('{ get(', '{ put(');

describe('equivalent routes stop the boot', () => {
  const both = (first: string, second: string): string =>
    bootError({ graph, operations: { 'a/1.graphql': first, 'a/2.graphql': second } });

  test.each([
    ['the same path', get('/x'), get('/x'), 'GET /x is already served by test/a/1.graphql.'],
    [
      'names that differ',
      get('/x/{a}', ['a']),
      get('/x/{b}', ['b']),
      '/x/{b} and /x/{a} differ only in parameter names; use the same names.',
    ],
    [
      'names that differ, with other methods',
      get('/x/{a}/y', ['a']),
      put('/x/{b}/y', ['b']).replace('b: $b', 'a: $b'),
      '/x/{b}/y and /x/{a}/y differ only in parameter names; use the same names.',
    ],
    [
      'a segment and a rest of one name',
      get('/x/{a}', ['a']),
      get('/x/{+a}', ['a']),
      'GET /x/{+a} is already served by test/a/1.graphql.',
    ],
    [
      'rests whose names differ',
      get('/x/{+a}', ['a']),
      get('/x/{+b}', ['b']),
      '/x/{+b} and /x/{+a} differ only in parameter names; use the same names.',
    ],
  ])('%s', (_, first, second, reason) => {
    expect(both(first, second)).toBe(`test/a/2.graphql:1: ${reason}`);
  });
});

const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: Object.fromEntries(
    [
      get('/u/{a}', ['a']),
      get('/u/me'),
      get('/u/{a}/x', ['a']),
      get('/u/me/{b}', ['b']),
      get('/u/{a}/{b}', ['a', 'b']),
      get('/f/{+a}', ['a']),
      get('/f/fixed'),
      get('/f/fixed/x'),
      get('/f/{b}/one', ['b']),
      put('/u/{a}', ['a']),
      get('/'),
      get("/odd/~a.b-c_d!$&'()*+,;=:@"),
    ].map((text, index) => [`a/${index}.graphql`, text]),
  ),
});

describe('the most specific matching route is served', () => {
  const routed = async (path: string): Promise<unknown> => {
    const { status, json } = await facade.request(path);
    return status === 200 ? JSON.parse(json).route : status;
  };

  test.each([
    ['/u/me', '/u/me'],
    ['/u/you', '/u/{a}'],
    ['/u/me/x', '/u/me/{b}'],
    ['/u/you/x', '/u/{a}/x'],
    ['/u/you/y', '/u/{a}/{b}'],
    ['/u/me/y', '/u/me/{b}'],
    ['/f/fixed', '/f/fixed'],
    ['/f/fixed/x', '/f/fixed/x'],
    ['/f/fixed/y', '/f/{+a}'],
    ['/f/fixed/one', '/f/{b}/one'],
    ['/f/a/one', '/f/{b}/one'],
    ['/f/a/one/two', '/f/{+a}'],
    ['/f/', '/f/{+a}'],
    ['/f', 404],
    ['/u', 404],
    ['/u/', 404],
    ['/u/a/b/c', 404],
    ['/', '/'],
    ['', '/'],
    ['/U/me', 404],
    ['/u/Me', '/u/{a}'],
    ["/odd/~a.b-c_d!$&'()*+,;=:@", "/odd/~a.b-c_d!$&'()*+,;=:@"],
    ["/odd/%7Ea.b-c_d!$&'()*+,;=:@", "/odd/~a.b-c_d!$&'()*+,;=:@"],
  ])('%s is served by %s', async (path, route) => {
    expect(await routed(path)).toBe(route);
  });

  test('and a method that it lacks is looked up in the others', async () => {
    const { json } = await facade.request('/u/me', { method: 'PUT' });
    expect(JSON.parse(json)).toEqual({ route: '/u/{a}', a: 'me' });
  });
});

describe('matching', () => {
  test('finds the same routes as regular expressions, the most specific first', () => {
    const segment = fc.constantFrom('a', 'b', '{x}', '{y}', '{z}');
    const template = fc
      .tuple(fc.uniqueArray(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([segments, rest]) => `/${segments.join('/')}${rest ? '/{+rest}' : ''}`);
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 6 })
      .map(segments => `/${segments.join('/')}`);
    fc.assert(
      fc.property(fc.array(template, { maxLength: 8 }), path, (templates, sent) => {
        const table = new RouteTable<string>();
        const taken: string[] = [];
        for (const one of templates) {
          try {
            table.add('a.graphql', 'GET', one, one);
            taken.push(one);
          } catch {
            // Ambiguous with a previous route.
          }
        }
        const fits = taken.filter(one => {
          const source = one.replace(/\{\+\w+\}$/, '.*').replace(/\{\w+\}/g, '[^/]+');
          return new RegExp(`^${source}$`).test(sent);
        });
        const found = table.match(sent).map(one => one.route.path);
        expect(found.toSorted()).toEqual(fits.toSorted());
        // The first differing segment decides: fixed, then named, then rest.
        const rank = (one: string): string =>
          one
            .split('/')
            .map(part => (part.startsWith('{+') ? '3' : part.startsWith('{') ? '2' : '1'))
            .join('');
        expect(found.map(rank)).toEqual(found.map(rank).toSorted());
      }),
    );
  });

  test('visits a long path a bounded number of times', () => {
    const table = new RouteTable<string>();
    for (let depth = 1; depth < 12; depth++) {
      for (let pattern = 0; pattern < 2 ** Math.min(depth, 6); pattern++) {
        const names = Array.from({ length: depth }, (_, at) => ((pattern >> at) & 1 ? 'a' : `{n${at}}`));
        table.add('a.graphql', 'GET', `/${names.join('/')}/end${pattern}`, '');
      }
    }
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round++) expect(table.match(`/${'a/'.repeat(8_000)}`)).toEqual([]);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

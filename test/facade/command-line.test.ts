import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runCommand } from 'operation-rest';
import { createTestProduct } from './test-facade.ts';

const folder = mkdtempSync(join(tmpdir(), 'operation-rest-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const schema = write(
  'schema.graphql',
  `type Book { id: Int! title: String! subtitle: String }
  type Query { book(id: Int!): Book books(from: Int, to: Int): [Book!]! }
  input Wish { title: String! pages: Int }
  type Mutation { wish(title: String!, pages: Int): Book! }`,
);

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommand(
    args,
    text => out.push(text),
    text => err.push(text),
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const source = (operations: Record<string, string>): string[] => [
  ...['--schema', schema],
  ...['--operations', createTestProduct({ operations }).folder],
];
const operations = {
  'books/get.graphql':
    'query GetBook($id: Int!) @rest(method: GET, path: "/books/{id}") { book(id: $id) @body { id title } }',
  'books/list.graphql':
    'query ListBooks($from: Int) @rest(method: GET, path: "/books") { books(from: $from) @body { id } }',
  'books/wish.graphql': `mutation Wish($title: String!, $pages: Int) @rest(method: POST, path: "/wishes") {
    wish(title: $title, pages: $pages) @body { id } }`,
};
const first = source(operations);
const lockOf = async (name: string, sources: string[]): Promise<string> =>
  write(name, (await run('print', ...sources, '--contract')).out);

test('routes prints method, path and file', async () => {
  expect(await run('routes', ...first)).toEqual({
    code: 0,
    out: [
      `GET /books/{id} ${first.at(-1)}/books/get.graphql`,
      `GET /books ${first.at(-1)}/books/list.graphql`,
      `POST /wishes ${first.at(-1)}/books/wish.graphql`,
    ].join('\n'),
    err: '',
  });
});

test('print prints the OpenAPI document', async () => {
  const { code, out } = await run('print', ...first);
  expect([code, JSON.parse(out)]).toMatchObject([0, { openapi: '3.1.1', paths: { '/books/{id}': { get: {} } } }]);
});

describe('check', () => {
  test('accepts operations that fit, and a current lock', async () => {
    const lock = await lockOf('current.json', first);
    expect(await run('check', ...first, '--lock', lock)).toEqual({ code: 0, out: '3 operations fit.', err: '' });
  });

  test('names file and line of all that do not fit, without a stack trace', async () => {
    const broken = source({
      'a/b.graphql': 'query B @rest(method: GET, path: "/b") { nothing @body }',
      'a/c.graphql': '\nquery C @rest(method: GET, path: "c") { __typename @body }',
    });
    const { code, err } = await run('check', ...broken);
    expect([code, err.split('\n')]).toEqual([
      1,
      [
        `${broken.at(-1)}/a/b.graphql:1: Cannot query field "nothing" on type "Query".`,
        `${broken.at(-1)}/a/c.graphql:2: The path c must start with a slash.`,
      ],
    ]);
  });

  test('names a lock that is not current', async () => {
    const { code, err } = await run('check', ...first, '--lock', write('empty.json', '{}'));
    expect([code, err]).toEqual([1, expect.stringContaining('empty.json is outdated')]);
  });
});

describe('diff', () => {
  const change = async (changed: Record<string, string>) => {
    const [before, after] = [
      await lockOf('before.json', first),
      await lockOf('after.json', source({ ...operations, ...changed })),
    ];
    return run('diff', before, after);
  };

  test('finds nothing between equal contracts', async () => {
    expect(await change({})).toEqual({ code: 0, out: '', err: '' });
  });

  test('lists what clients may not notice', async () => {
    const { code, out } = await change({
      'books/list.graphql': `query ListBooks($from: Int, $to: Int) @rest(method: GET, path: "/books") {
        books(from: $from, to: $to) @body { id title } }`,
      'books/other.graphql': 'query Other @rest(method: GET, path: "/other") { books @body { id } }',
    });
    expect([code, out.split('\n').sort()]).toEqual([
      0,
      [
        'compatible  GET /books: the body of 200[].title is added',
        'compatible  GET /books: the query parameter to is added',
        'compatible  GET /other: is added',
      ],
    ]);
  });

  test('lists what breaks them', async () => {
    const { code, out } = await change({
      'books/get.graphql': `query GetBook($id: Int!) @rest(method: GET, path: "/books/{id}") {
        book(id: $id) @body { id: title title @omitNull } }`,
      'books/list.graphql':
        'query ListBooks($from: Int!) @rest(method: GET, path: "/books") { books(from: $from) @body { title } }',
      'books/wish.graphql': `mutation Wish($title: String!, $pages: Int!) @rest(method: POST, path: "/wishes", status: 201) {
        wish(title: $title, pages: $pages) @body { id } }`,
    });
    expect([code, out.split('\n').sort()]).toEqual([
      1,
      [
        'breaking    GET /books/{id}: the body of 200.id has another type',
        'breaking    GET /books/{id}: the body of 200.title may be absent',
        'breaking    GET /books: the body of 200[].id is removed',
        'breaking    GET /books: the query parameter from is required',
        'breaking    POST /wishes: the body.pages has another type',
        'breaking    POST /wishes: the body.pages is required',
        'breaking    POST /wishes: the status 200 is removed',
        'compatible  GET /books: the body of 200[].title is added',
      ],
    ]);
  });
});

test.each(['--help', '-h', 'help'])('%s prints the usage', async asked => {
  expect(await run(asked)).toEqual({ code: 0, out: expect.stringMatching(/^operation-rest check <source>/), err: '' });
});

const empty = mkdtempSync(join(folder, 'empty-'));
const product = (text: string): string[] => [
  'check',
  '--schema',
  schema,
  '--product',
  write(`${text.length}.mjs`, text),
];

test.each([
  [[], 'A command is missing.'],
  [['guess'], 'The command is not understood.'],
  [['check'], '--operations or --product is missing.'],
  [['check', '--operations', folder], '--schema is missing.'],
  [['check', '--nothing'], "Unknown option '--nothing'"],
  [['diff', 'one.json'], 'The command is not understood.'],
  [['diff', 'no.json', 'no.json'], 'no.json does not exist.'],
  [['diff', schema, schema], 'schema.graphql is not JSON: '],
  [['check', '--schema', 'no.graphql', '--operations', empty], 'no.graphql does not exist.'],
  [['check', '--schema', empty, '--operations', empty], ' is a folder and not a file.'],
  [['check', '--schema', write('a.graphql', '\ntype Q {'), '--operations', empty], 'a.graphql:2: Syntax Error: '],
  [
    ['check', '--schema', write('b.graphql', 'type Q { a: Int }'), '--operations', empty],
    'b.graphql: Query root type must be provided.',
  ],
  [['check', '--schema', schema, '--operations', 'nowhere'], 'nowhere does not exist.'],
  [['check', '--schema', schema, '--operations', schema], ' is a file and not a folder.'],
  [['check', '--schema', schema, '--operations', empty], ' has no operation files (*.graphql).'],
  [['check', '--schema', schema, '--product', 'no.mjs'], 'no.mjs does not exist.'],
  [product('export const a = 1'), ' exports no `product`.'],
  [product('export const product = {}'), ' is not the result of `defineProduct`.'],
  [product('throw new Error("Broken.")'), ' cannot be imported: Broken.'],
  [['check', ...first.slice(0, 4), '--lock', 'no.json'], 'no.json does not exist.'],
])('%j is refused with what is wrong, without a stack trace', async (args, message) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).not.toMatch(/\n\s+at /);
});

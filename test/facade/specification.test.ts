import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSchema, parse, specifiedDirectives, validate } from 'graphql';
import { createFacade, defineProduct, vocabularyFile } from 'operation-rest';

const workspace = join(import.meta.dirname, '..', '..', 'packages', 'operation-rest');
const specification = readFileSync(join(workspace, 'SPECIFICATION.md'), 'utf8');
const vocabulary = readFileSync(vocabularyFile, 'utf8');
const specified = new Set(specifiedDirectives.map(one => one.name));
const directives = buildSchema(`${vocabulary}\ntype Query { nothing: Int }`)
  .getDirectives()
  .filter(one => !specified.has(one.name));

test.each(directives.map(one => [one.name, one] as const))('@%s is specified with its arguments', (name, { args }) => {
  // The part about it ends at the next heading, or is a row of a table.
  const [, part] =
    new RegExp(`^### \`@${name}\\b(.*?)^##`, 'ms').exec(specification) ??
    new RegExp(`^\\| \`@${name}\\b(.*)$`, 'm').exec(specification) ??
    [];
  expect(part).toBeDefined();
  for (const argument of args) expect(part).toMatch(new RegExp(`\\b${argument.name}\\b`));
});

const sdl = `
  enum Genre { NOVEL SHORT_STORIES }
  type Book { id: Int! title: String! genre: Genre! }
  type Query { books(genre: Genre): [Book!]! book(id: Int!): Book }`;

test('a schema with the vocabulary beside it validates operation files, as editors do', () => {
  const folder = join(workspace, 'examples', 'pothos-yoga', 'operations');
  const schema = buildSchema(`${sdl}\n${vocabulary}`);
  const files = readdirSync(folder);
  expect(files).toHaveLength(2);
  for (const file of files) expect(validate(schema, parse(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
  const [error] = validate(schema, parse('query Q @rest(method: GET, paht: "/") { books @body { id } }'));
  expect(error?.message).toContain('Unknown argument "paht" on directive "@rest". Did you mean "path"?');
});

test('the operations of the examples are endpoints of their schema', () => {
  const { endpoints } = createFacade({
    product: defineProduct({
      name: 'library',
      title: 'Library',
      version: '1',
      folder: join(workspace, 'examples', 'pothos-yoga', 'operations'),
    }),
    graph: buildSchema(sdl),
    context: () => ({}),
    origin: () => '',
    onDefect: () => {},
  });
  expect(endpoints.map(({ operation }) => `${operation.method} ${operation.path}`)).toEqual([
    'GET /books/{id}',
    'GET /books',
  ]);
});

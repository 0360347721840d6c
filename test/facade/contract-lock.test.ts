import { describe, expect, test } from '@jest/globals';
import { buildOpenApi, extractContract, type Product } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { bootTestFacade } from './test-facade.ts';

const sdl = `
  "A thing."
  type Thing { "Its number." id: Int!, "What it is." description: String, tags: [String!], info: String, summary: String, properties: Inner, default: String }
  type Inner { description: String, example: String }
  input Keep { "Words." description: String, tags: [String!] = ["a"] }
  type Query { thing(id: Int, description: String = "x"): Thing }
  type Mutation { keep(keep: Keep): Thing }`;
const operations = {
  'things/shape.graphql':
    'fragment Shape on Thing { id description tags info summary properties { description example } default }',
  'things/get.graphql':
    '"""\nGet it\n\nAll of it.\n"""\nquery Get("Which." $id: Int!, "How." $description: String = "d") @rest(method: GET, path: "/things/{id}/") { thing(id: $id, description: $description) @body { ...Shape } }',
  'things/keep.graphql':
    'mutation Keep($keep: Keep) @rest(method: POST, path: "/things/", status: 201) { keep(keep: $keep) @body { ...Shape } }',
};
type Operations = Partial<typeof operations>;

function lock(change: { sdl?: string; operations?: Operations; overrides?: Partial<Product> } = {}): string {
  const { product, facade } = bootTestFacade({
    graph: buildTestSchema(change.sdl ?? sdl),
    operations: { ...operations, ...change.operations } as Record<string, string>,
    ...(change.overrides ? { overrides: change.overrides } : {}),
  });
  return JSON.stringify(extractContract(buildOpenApi(product, facade.endpoints)), null, 1);
}
const changed = (file: keyof typeof operations, from: string, to: string): { operations: Operations } => {
  expect(operations[file]).toContain(from);
  return { operations: { [file]: operations[file].replace(from, to) } };
};
const before = lock();

describe('the lock', () => {
  test('includes names that are spelled like prose keys', () => {
    for (const name of ['description', 'tags', 'info', 'summary', 'example', 'default']) {
      expect(before).toMatch(new RegExp(`"${name}": \\{`));
    }
    expect(before).toContain('"x-points": 5');
    expect(before).toContain('"default": "d"');
  });

  test('has no prose', () => {
    for (const words of [
      'A thing.',
      'Its number.',
      'What it is.',
      'Get it',
      'All of it.',
      'Which.',
      'How.',
      'Words.',
      'Health companion',
    ]) {
      expect(before).not.toContain(words);
    }
  });

  test('does not change with descriptions', () => {
    expect(lock({ sdl: sdl.replace('Its number.', 'The number it has.').replace('"A thing."', '') })).toBe(before);
    expect(lock(changed('things/get.graphql', 'Get it\n\nAll of it.', 'Read it'))).toBe(before);
    expect(lock(changed('things/get.graphql', '"Which." ', ''))).toBe(before);
    expect(
      lock({ overrides: { title: 'Other', description: 'Other words.', version: 'v2', basePaths: ['/elsewhere'] } }),
    ).toBe(before);
  });

  test.each<[string, Parameters<typeof lock>[0]]>([
    ['a key', changed('things/shape.graphql', 'info', 'information: info')],
    ['a key that is left out', changed('things/shape.graphql', ' info', '')],
    ['whether a key may be missing', changed('things/shape.graphql', 'info', 'info @omitNull')],
    ['a type', { sdl: sdl.replace('info: String', 'info: Int') }],
    ['whether a value may be null', { sdl: sdl.replace('id: Int!', 'id: Int') }],
    ['a path', changed('things/get.graphql', '/things/{id}/', '/thing/{id}/')],
    ['a method', changed('things/keep.graphql', 'POST', 'PUT')],
    ['a status', changed('things/keep.graphql', '201', '200')],
    ['points', changed('things/keep.graphql', 'status', 'points: 1, pointsReason: "It is small.", status')],
    ['a parameter', changed('things/get.graphql', '$description: String = "d"', '$description: String!')],
    ['the default of a parameter', changed('things/get.graphql', '"d"', '"e"')],
    ['an input', { sdl: sdl.replace('tags: [String!] = ["a"]', 'tags: [String!]!') }],
    [
      'a field of an input that is named like prose',
      { sdl: sdl.replace('"Words." description: String', '"Words." description: Int') },
    ],
    ['a header', changed('things/shape.graphql', 'info', 'info @header(name: "X-Info")')],
    [
      'a shape of errors',
      { overrides: { errorSchemas: { Detail: { type: 'string' }, FieldErrors: { type: 'object' } } } },
    ],
  ])('changes with %s', (_, change) => {
    expect(lock(change)).not.toBe(before);
  });
});

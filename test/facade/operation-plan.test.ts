import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type DocumentNode,
  execute as executeByGraphqlJs,
  type GraphQLError,
  type GraphQLResolveInfo,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  responsePathAsArray,
  validate,
} from 'graphql';
import { execute, OperationPlan } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';

/** The same operations by plans and by graphql-js, whose results must be equal. */

let world: Record<string, unknown> = {};
/** Resolvers in the order of their calls, with what `info` and the arguments say. */
let calls: string[] = [];
const later = (value: unknown): Promise<unknown> => new Promise(resolve => setImmediate(resolve, value));

function seen(_: unknown, args: object, __: unknown, info: GraphQLResolveInfo): void {
  const { fieldName, fieldNodes, parentType, returnType, variableValues, operation, fragments, path } = info;
  const nodes = fieldNodes.map(one => one.alias?.value ?? one.name.value);
  const place = responsePathAsArray(path).join('.');
  const rest = [returnType, operation.name?.value, Object.keys(fragments), path.typename];
  calls.push(`${parentType}.${fieldName} ${nodes} ${place} ${JSON.stringify([args, variableValues])} ${rest}`);
}

const noting =
  (resolve: (source: never, args: never) => unknown) =>
  (...given: Parameters<typeof seen>): unknown => {
    seen(...given);
    return resolve(given[0] as never, given[1] as never);
  };

const kindOf = (value: { kind?: unknown }): unknown => {
  if (value.kind === 'Error') throw new Error('No kind.');
  return value.kind;
};

const graph = buildTestSchema(
  `
  enum Mood { GOOD BAD }
  scalar Json
  input Where { name: String = "n", mood: Mood, deep: Where, tags: [String!] }
  interface Named { name: String! }
  union Pets = Cat | Dog
  union Checked = Whale | Bird
  type Cat implements Named { name: String!, friend: Named, lives: Int, mood: Mood, owner: Owner! }
  type Dog implements Named { name: String!, friend: Named, tricks: [String!], owner: Owner }
  type Whale { size: Int }
  type Bird { size: String }
  type Owner {
    id: ID!, age: Int, ratio: Float, isOld: Boolean, name(upper: Boolean = false, prefix: String): String
    pets: [Named!], anyPets: [Pets], matrix: [[Int!]], strict: [[Int!]!]!, mood: Mood, nested: Owner, must: Owner!, slow: Owner!
    checked: [Checked], json: Json, method(n: Int = 2): String
  }
  type Query { owner: Owner, must: Owner!, owners: [Owner], echo(where: Where, list: [Where!], n: Int = 3, flag: Boolean! = true): String
    needed(n: Int!): String }
  type Mutation { add(n: Int!): Owner, strict(n: Int!): Owner! }`,
  {
    Mood: { GOOD: 1, BAD: 2 },
    Named: { resolveType: kindOf },
    Pets: { resolveType: async (value: { kind?: unknown }) => later(kindOf(value)) },
    Whale: { isTypeOf: (value: { size?: unknown }) => typeof value.size === 'number' },
    Bird: { isTypeOf: async (value: { size?: unknown }) => typeof value.size === 'string' },
    Owner: {
      name: noting(({ name }: { name: unknown }, { upper }: { upper: boolean }) =>
        upper ? String(name).toUpperCase() : name,
      ),
      slow: noting((owner: { must: unknown }) => later(owner.must)),
      nested: noting((owner: { nested: unknown }) => owner.nested),
    },
    Query: {
      owner: noting(() => world.owner),
      must: noting(() => later(world.owner)),
      owners: noting(() => later(world.owners)),
      echo: noting((_: never, args: object) => JSON.stringify(args)),
      needed: noting((_: never, args: object) => JSON.stringify(args)),
    },
    Mutation: {
      add: noting((_: never, { n }: { n: number }) => later(n < 0 ? new Error('Below zero.') : { id: n, must: null })),
      strict: noting((_: never, { n }: { n: number }) => (n < 0 ? null : { id: n })),
    },
  } as never,
);

const plans = new Map<string, { document: DocumentNode; operation: OperationDefinitionNode; plan: OperationPlan }>();

function planned(text: string, operationName?: string) {
  const known = plans.get(`${operationName} ${text}`);
  if (known) return known;
  const document = parse(text);
  expect(validate(graph, document)).toEqual([]);
  const operations = document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(one => operationName === undefined || one.name?.value === operationName);
  if (!operation) throw new TypeError('The test names no operation.');
  const made = { document, operation, plan: new OperationPlan(graph, document, operation) };
  plans.set(`${operationName} ${text}`, made);
  return made;
}

/** Until the fields have ended that go on after an error has made the response null: at most five promises of `later` in a row. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise(resolve => setImmediate(resolve));
}

const formatted = (data: unknown, errors: readonly GraphQLError[] | undefined) => ({
  data,
  errors: errors?.map(error => ({ ...error.toJSON(), cause: String(error.originalError) })),
});

/** Executes by graphql-js and twice by the plan, and expects the same bytes and the same calls of resolvers. */
async function expectSame(text: string, sent: Record<string, unknown> = {}, operationName?: string) {
  const { document, operation, plan } = planned(text, operationName);
  const { coerced } = getVariableValues(graph, operation.variableDefinitions ?? [], sent);
  if (!coerced) throw new TypeError('The test sends invalid variables.');
  calls = [];
  const reference = await executeByGraphqlJs({
    schema: graph,
    document,
    operationName: operationName ?? null,
    variableValues: sent,
    contextValue: {},
  });
  const expected = JSON.stringify(formatted(reference.data, reference.errors));
  await idle();
  const expectedCalls = calls;
  let characters = 0;
  for (const _ of ['first', 'later']) {
    calls = [];
    const { data, errors, maxCharacters } = await execute(plan, { context: {}, variables: coerced });
    expect(JSON.stringify(formatted(data, errors))).toBe(expected);
    await idle();
    expect(calls).toEqual(expectedCalls);
    expect(maxCharacters).toBeGreaterThanOrEqual(JSON.stringify(data).replace(/\\u....|\\./g, '.').length);
    characters = maxCharacters;
  }
  return { ...reference, characters };
}

const ada = { id: 1, age: 36, ratio: 0.5, isOld: false, name: 'Ada', mood: 1, strict: [] as unknown[] };
const cat = { kind: 'Cat', name: 'Mia', lives: 9, mood: 2, owner: { id: 2, name: 'Bob', strict: [] } };
const dog = { kind: 'Dog', name: 'Rex', tricks: ['sit', 'roll'], friend: cat, owner: null };

const animals = `fragment Animal on Named { __typename name ... on Cat { lives mood keeper: owner { ...Person } friend { name } } ...Doggy }
  fragment Doggy on Dog { tricks owner { id } friend { __typename ... on Cat { lives name } } }
  fragment Person on Owner { id name }`;

describe('an operation has the result of graphql-js', () => {
  test('with fragments, interfaces, unions, lists and selections merged from several places', async () => {
    world = {
      owner: {
        ...ada,
        pets: [cat, dog],
        anyPets: [dog, null, cat],
        matrix: [[1, 2], null, []],
        checked: [{ size: 1 }, { size: 'x' }],
      },
    };
    const { errors } = await expectSame(`query {
      owner { id age ratio isOld mood pets { ...Animal } anyPets { ... on Named { name } ... on Dog { tricks } ...Animal } }
      owner { matrix strict checked { __typename ... on Whale { big: size } ... on Bird { size } } nested { id } }
      again: owner { pets { name } ...Person } } ${animals}`);
    expect(errors).toBeUndefined();
  });

  test('with deep aliases, also of names that objects have', async () => {
    world = { owner: { ...ada, nested: { ...ada, nested: { ...ada, id: 3 } } } };
    await expectSame(
      '{ a: owner { b: nested { c: nested { d: id e: name f: name(upper: true) constructor: id } } } toString: __typename }',
    );
    await expectSame('{ __proto__: owner { id __proto__: nested { __proto__: id } } }');
    const { document, operation, plan } = planned('{ owner { __proto__: id } }');
    expect(document.kind).toBe('Document');
    const { data } = await execute(plan, { context: {}, variables: {} });
    expect(operation.kind).toBe('OperationDefinition');
    expect(JSON.stringify(data)).toBe('{"owner":{"__proto__":"1"}}');
  });

  test('for introspection', async () => {
    await expectSame(
      '{ __schema { queryType { name fields { name args { name defaultValue type { name ofType { name } } } } } } __type(name: "Owner") { kind fields { name } } __typename }',
    );
  });

  const conditional = `query Q($a: Boolean!, $b: Boolean = true) {
    owner { id ...Person @include(if: $a) name(prefix: "x") @skip(if: $b) nested { ...Person id @skip(if: $a) } ... @include(if: $b) { age } } must @skip(if: $a) { id } }
    fragment Person on Owner { id mood @include(if: $a) }`;
  test.each([{ a: true }, { a: false }, { a: true, b: false }, { a: false, b: false }])(
    'with conditions by variables: %j',
    async variables => {
      world = { owner: { ...ada, nested: ada } };
      await expectSame(conditional, variables);
    },
  );

  test('with a condition that is null or absent, which is an error of its field', async () => {
    world = { owner: ada };
    const nullable = 'query Q($c: Boolean = true) { owner { id } must { id @include(if: $c) } }';
    expect((await expectSame(nullable, { c: null })).errors).toHaveLength(1);
    expect((await expectSame(nullable)).errors).toBeUndefined();
    const two = 'query A { owner { id } } query B($c: Boolean!) { owner { id @skip(if: $c) } }';
    expect((await expectSame(two, {}, 'A')).data).toEqual({ owner: { id: '1' } });
    expect((await expectSame(two, { c: true }, 'B')).data).toEqual({ owner: {} });
  });

  test('with constant conditions', async () => {
    world = { owner: ada };
    await expectSame(
      '{ owner @include(if: true) { id @skip(if: true) name @include(if: false) age } must @skip(if: false) @include(if: true) { id } }',
    );
  });

  test('beyond the combinations of conditions that are kept', async () => {
    world = { owner: ada };
    const text =
      'query Q($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!) { owner { id @skip(if: $a) age @skip(if: $b) name @skip(if: $c) ratio @skip(if: $d) } }';
    for (let bits = 0; bits < 32; bits++) {
      await expectSame(text, { a: (bits & 1) > 0, b: (bits & 2) > 0, c: (bits & 4) > 0, d: (bits & 8) > 0 });
    }
    // Eight combinations of an owner and at most four fields.
    expect(planned(text).plan.size).toBeLessThanOrEqual(40);
  });

  const echoing =
    'query Q($where: Where, $name: String, $mood: Mood, $list: [Where!], $n: Int, $flag: Boolean = false) { a: echo(where: $where, list: $list, n: $n, flag: $flag) b: echo(where: { name: $name, mood: $mood, deep: { name: $name, tags: ["x"] } }, n: $n) c: echo(where: { mood: BAD }, list: { tags: "t" }) }';
  test.each([
    {},
    { where: null, name: null, mood: null, list: null, n: null, flag: true },
    { where: {}, name: '', mood: 'GOOD', list: [], n: 0 },
    { where: { deep: { deep: { name: null } }, tags: 'one' }, list: [{ mood: 'BAD' }, {}] },
  ])('with absent and null variables: %j', async variables => {
    await expectSame(echoing, variables);
  });

  test('with arguments that are null where they must not be', async () => {
    expect((await expectSame('query Q($n: Int = 1) { needed(n: $n) echo }', { n: null })).errors).toHaveLength(1);
    expect((await expectSame('query Q($f: Boolean = true) { echo(flag: $f) }', { f: null })).errors).toHaveLength(1);
  });

  test('gives each resolver arguments of its own', async () => {
    world = { owner: { ...ada, nested: ada } };
    const given: Record<string, unknown>[] = [];
    const field = graph.getType('Owner');
    if (!field || !('getFields' in field)) throw new TypeError('There is no Owner.');
    const { nested } = field.getFields() as Record<string, { resolve?: unknown }>;
    const before = nested?.resolve;
    const { plan } = planned('{ owner { nested { id } name(upper: true) } }');
    if (nested)
      nested.resolve = (_: unknown, args: Record<string, unknown>) =>
        void given.push(Object.assign(args, { changed: given.length }));
    try {
      const anew = new OperationPlan(
        graph,
        planned('{ owner { nested { id } } }').document,
        planned('{ owner { nested { id } } }').operation,
      );
      for (let at = 0; at < 2; at++) await execute(anew, { context: {}, variables: {} });
    } finally {
      if (nested) nested.resolve = before;
    }
    expect(given).toEqual([{ changed: 0 }, { changed: 1 }]);
    expect((await execute(plan, { context: {}, variables: {} })).errors).toBeUndefined();
  });
});

describe('an error is that of graphql-js', () => {
  /** A document may not read the promise. */
  const failure = (reason: unknown = new Error('Later.')): Promise<never> => {
    const rejected = Promise.reject(reason);
    rejected.catch(() => {});
    return rejected;
  };
  const shapes: [string, () => unknown][] = [
    ['a non-null leaf', () => ({ ...ada, id: null })],
    ['two non-null fields of an object', () => ({ ...ada, id: null, must: null, strict: null })],
    [
      'a thrown property',
      () => ({
        ...ada,
        get age() {
          throw new Error('A getter.');
        },
      }),
    ],
    ['a returned error', () => ({ ...ada, age: new Error('Returned.'), name: new Error('Name.') })],
    ['a rejected leaf', () => ({ ...ada, age: failure(), ratio: later(2) })],
    ['a rejected non-null leaf beside others', () => ({ ...ada, id: failure(), age: later(1), nested: failure() })],
    ['values that cannot be serialized', () => ({ ...ada, age: 'x', mood: 77, ratio: {}, isOld: 'no', id: {} })],
    ['lists that are none', () => ({ ...ada, pets: 'abc', matrix: 7, strict: {} })],
    [
      'items that fail',
      () => ({ ...ada, matrix: [[1, null], [2, 'x'], failure(), new Error('Row.')], strict: [[1], [null]] }),
    ],
    [
      'types that cannot be resolved',
      () => ({
        ...ada,
        pets: [{ kind: 'Error', name: 'x' }],
        anyPets: [{ kind: 'Fish' }, { kind: 'Named' }, { kind: 'Owner' }, { kind: 7 }, {}],
      }),
    ],
    ['objects of another type', () => ({ ...ada, checked: [{ size: true }, 'text', { size: 2 }] })],
    [
      'errors below objects that become null',
      () => ({ ...ada, pets: [{ ...cat, owner: { id: null, name: failure() }, friend: {} }, dog] }),
    ],
    [
      'an iterator that throws',
      () => ({
        ...ada,
        matrix: (function* () {
          yield [1];
          throw new Error('Iterator.');
        })(),
      }),
    ],
    [
      'methods',
      () => ({
        ...ada,
        method({ n }: { n: number }) {
          return n > 1 ? `${(this as typeof ada).name} ${n}` : failure();
        },
      }),
    ],
    ['nothing', () => null],
    ['a text for an object', () => 'text'],
    ['an error for an object', () => new Error('Owner.')],
    ['a text that is thrown', () => failure('text')],
  ];
  const all = `id age ratio isOld mood name pets { ...Animal } anyPets { ... on Named { name } } matrix strict checked { __typename } method one: method(n: 1)`;
  const documents = [
    `{ owner { ${all} nested { id } } echo } ${animals}`,
    `{ must { ${all} } owner { id } } ${animals}`,
    `{ owners { ${all} } first: owner { slow { id } } } ${animals}`,
    `{ owner { must { ${all} } slow { ${all} } } echo } ${animals}`,
  ];

  test.each(shapes)('%s', async (_, make) => {
    for (const text of documents) {
      // A rejected promise and an iterator serve one execution.
      const made = { get: () => make() };
      Object.defineProperties(world, {
        owner: { configurable: true, get: made.get },
        owners: { configurable: true, get: () => [make(), ada, make()] },
      });
      await expectSame(text);
      Object.defineProperty(world, 'owner', {
        configurable: true,
        get: () => ({ ...ada, must: make(), nested: make() }),
      });
      await expectSame(text);
    }
    world = {};
  });

  test('of a mutation, whose fields run one after the other', async () => {
    await expectSame('mutation { a: add(n: 1) { id } b: add(n: -1) { id } c: strict(n: 2) { id } }');
    await expectSame('mutation { a: add(n: 1) { id must { id } } b: strict(n: -1) { id } c: add(n: 3) { id } }');
  });
});

test('a scalar of JSON values makes the size of the data unknown', async () => {
  world = { owner: { ...ada, json: { a: [1, 2] } } };
  expect((await expectSame('{ owner { json } }')).characters).toBe(Number.POSITIVE_INFINITY);
  expect((await expectSame('{ owner { name } }')).characters).toBeLessThan(200);
});

describe('long work gives way', () => {
  /** Keeps the thread for a fifth of a millisecond. */
  const busy = (): string => {
    const end = performance.now() + 0.2;
    while (performance.now() < end);
    return 'Ada';
  };
  const owners = (count: number, more: object = {}): object[] =>
    Array.from({ length: count }, (_, id) => ({ ...ada, id, method: busy, ...more }));

  /** Turns of the event loop while an operation runs, and its data. */
  async function turnsOf(text: string): Promise<{ turns: number; data: unknown }> {
    const { plan } = planned(text);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { data, errors } = await execute(plan, { context: {}, variables: {} });
    isOver = true;
    expect(errors).toBeUndefined();
    return { turns, data };
  }

  // Work of half a second: some hundred objects, and then slices of 3 ms, of which a busy machine makes more.
  test('in a list of short lists', async () => {
    world = { owners: Array.from({ length: 10 }, () => ({ ...ada, pets: owners(250, { kind: 'Cat' }) })) };
    for (const pet of (world.owners as { pets: { owner: object }[] }[]).flatMap(one => one.pets)) {
      pet.owner = { id: 1, name: 'Ada', method: busy };
    }
    const { turns, data } = await turnsOf('{ owners { pets { ... on Cat { owner { id method } } } } }');
    expect(turns).toBeGreaterThan(5);
    const found = (data as { owners: { pets: unknown[] }[] }).owners.map(({ pets }) => pets.length);
    expect(found).toEqual(Array.from({ length: 10 }, () => 250));
  });

  test('where many objects are loaded at once', async () => {
    const all = new Promise(resolve => setImmediate(resolve, null));
    world = { owners: owners(5_000).map(owner => ({ ...owner, nested: all.then(() => owner) })) };
    const { turns, data } = await turnsOf('{ owners { nested { id method } } }');
    expect(turns).toBeGreaterThan(10);
    const ids = (data as { owners: { nested: { id: string } }[] }).owners.map(({ nested }) => nested.id);
    expect(ids).toEqual(Array.from({ length: 5_000 }, (_, id) => String(id)));
  });

  test('and a page of a hundred objects is completed in one turn, so that what it loads is one statement', async () => {
    world = { owners: owners(100) };
    expect((await turnsOf('{ owners { id method } }')).turns).toBeLessThan(4);
  });

  test('with the errors of graphql-js where one object fails', async () => {
    const failing = (id: number): Promise<unknown> => Promise.reject(new Error(`No ${id}.`));
    world = { owners: owners(900).map((owner, id) => ({ ...owner, nested: id % 300 === 150 ? failing(id) : owner })) };
    const { errors } = await expectSame('{ owners { id method nested { id } } }');
    expect(errors).toHaveLength(3);
  });

  // graphql-js leaves the rejection of the first item unhandled, which ends the process.
  test('and no rejection is left unhandled where an item throws after another one has rejected', async () => {
    const rejected = later(null).then(() => {
      throw new Error('Later.');
    });
    rejected.catch(() => {});
    const pets = [
      { ...cat, name: rejected },
      { ...dog, name: null },
    ];
    world = { owner: { ...ada, pets } };
    const { plan } = planned('{ owner { id pets { name } } }');
    const { data, errors } = await execute(plan, { context: {}, variables: {} });
    await idle();
    expect(data).toEqual({ owner: { id: '1', pets: null } });
    expect(errors?.map(({ message }) => message)).toEqual(['Cannot return null for non-nullable field Dog.name.']);
  });
});

test('generated data', async () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, Number.NaN, 1.5, {}, '1'),
  );
  const list = fc.array(leaf, { maxLength: 2 });
  const person = fc.record({
    id: leaf,
    age: leaf,
    ratio: leaf,
    isOld: leaf,
    name: leaf,
    mood: fc.constantFrom(1, 2, 3, null),
  });
  const pet = fc.record({
    kind: fc.constantFrom('Cat', 'Dog', 'Cat', 'Dog', 'Error'),
    name: leaf,
    lives: leaf,
    tricks: fc.option(list),
    friend: fc.option(fc.record({ kind: fc.constantFrom('Cat', 'Dog'), name: leaf })),
    owner: fc.option(person),
  });
  const lists = fc.record({
    strict: fc.option(fc.array(fc.option(list), { maxLength: 2 })),
    matrix: fc.option(fc.array(fc.option(list), { maxLength: 2 })),
    pets: fc.option(fc.array(pet, { maxLength: 2 })),
    anyPets: fc.option(fc.array(pet, { maxLength: 2 })),
    nested: fc.option(person),
    must: fc.option(person),
  });
  const owner = fc.tuple(person, lists).map(([one, more]) => ({ ...one, ...more }));
  const fields = 'id age ratio isOld name mood strict matrix pets { ...Animal } anyPets { ...Animal }';
  const text = `{ owner { ${fields} nested { ${fields} } must { id name } slow { age ...Person } } owners { ${fields} } must { id } } ${animals}`;
  await fc.assert(
    fc.asyncProperty(fc.option(owner), fc.array(fc.option(owner), { maxLength: 3 }), async (one, many) => {
      world = { owner: one, owners: many };
      await expectSame(text);
    }),
    { numRuns: 60 },
  );
}, 120_000);

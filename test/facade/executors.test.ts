import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { GraphQLDateTime, GraphQLURL } from 'graphql-scalars';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

/**
 * Every request of a test facade is executed twice, by the plan and by graphql-js, and the bytes must be equal. These are operations
 * that compilers of documents are known to execute otherwise, and a property over generated data.
 */

interface Pet {
  kind: 'Cat' | 'Dog' | 'Fish';
  name: unknown;
}

/** The data of the property; the resolvers below return parts of it, synchronously or later. */
let world: Record<string, unknown> = {};
const later = (value: unknown): Promise<unknown> => new Promise(resolve => setImmediate(resolve, value));
const petType = ({ kind }: Pet): string => {
  if (kind === 'Fish') throw new Error('A fish is no pet here.');
  return kind;
};

/** A resolver that depends on its selection, as resolvers that select columns do. */
const selecting = (_: unknown, __: unknown, ___: unknown, { fieldName, fieldNodes }: GraphQLResolveInfo) => ({
  by: `${fieldName} ${fieldNodes.map(one => one.selectionSet?.selections.length).join()}`,
  id: 1,
});

/** Rows that throw when read: a getter or an iterator throws outside every resolver. */
const bad = {
  flags: [],
  get id(): number {
    throw new RangeError('a getter');
  },
};
const rows: Record<string, unknown> = {
  getter: [bad, bad],
  promised: [later(bad), later({ id: 1, flags: [] }), Promise.reject(new RangeError('a row'))],
  iterator: (function* () {
    yield { id: 1, flags: [] };
    throw new RangeError('an iterator');
  })(),
};
// Rejected before it is awaited.
(rows.promised as Promise<unknown>[])[2]?.catch(() => {});

/** Values that scalars convert, and what they become. */
const convertible = {
  id: 7,
  count: '12',
  ratio: true,
  on: 1,
  text: 'x',
  mood: 2,
  moods: [[1, 2], null, []],
  ids: [8, '9'],
};
const converted = {
  ...{ id: '7', count: 12, ratio: 1, on: true, text: 'x', mood: 'bad' },
  ...{ moods: [['good', 'bad'], null, []], ids: ['8', '9'] },
};

/** Values that scalars refuse. */
const wrong: Record<string, object> = {
  id: { id: {} },
  int: { count: 2 ** 31 },
  fraction: { count: 1.5 },
  nan: { ratio: Number.NaN },
  enum: { mood: 3 },
  inside: { more: { moods: [[1], [3]] } },
};

const graph = buildTestSchema(
  `
  scalar DateTime
  scalar URL
  enum Mood { GOOD BAD }
  input Where { name: String, mood: Mood, deep: Where, tags: [String!], since: DateTime }
  input Defaulted { size: Int! = 3, mood: Mood = GOOD, note: String }
  input Paint { name: String, mood: Mood, size: Size, sizes: [[Size]], tags: [String!] = ["t"] }
  input Size { height: Int!, width: Float }
  input Dated { since: DateTime = "2026-01-01T00:00:00.000Z" }
  interface Pet { name: String!, friend: Pet }
  type Cat implements Pet { name: String!, friend: Pet, lives: Int, mood: Mood }
  type Dog implements Pet { name: String!, friend: Pet, tricks: [String!] }
  union Pets = Cat | Dog
  union AsyncPets = Cat | Dog
  type Owner { id: Int!, name: String, pets: [Pet!], first: Pets, slow: Pets, matrix: [[Float]], at: DateTime, nested: Owner, flags: [Boolean!]! }
  type Query {
    where(where: Where, name: String, mood: Mood, list: [Where!]): String!
    defaulted(input: Defaulted, inputs: [Defaulted!]): String!
    dated(input: Dated): String!
    link(to: URL = "https://example.org/", since: DateTime): String!
    owner: Owner
    owners: [Owner]
    pet(kind: String!): Pet
    slowPet(kind: String!): Pets
    asyncPet(kind: String!): AsyncPets
    fail(how: String!): Owner!
    rows(how: String!): [Owner]
    slowRows(how: String!): [Owner]
    user: User
    a: Us
    b: UsE
    failing: [Owner]
    leaves: Leaves
    wrong(what: String!): [Leaves!]
  }
  type Leaves { id: ID, count: Int, ratio: Float, on: Boolean, text: String, mood: Mood, moods: [[Mood!]], ids: [ID!], more: Leaves }
  type Seen { by: String!, id: Int }
  type User { last: Seen!, lastComment: Seen! }
  type Us { Er: String }
  type UsE { r: String }
  type Mutation {
    echo(where: Where, list: [Where!]): String!
    echoDefaulted(input: Defaulted, inputs: [Defaulted!]): String!
    echoPaint(paint: Paint, list: [Paint!]): String!
    first(value: Int!): Owner
    second(value: Int!): Owner!
    bad(slow: Boolean!): Owner
  }`,
  {
    DateTime: GraphQLDateTime.toConfig(),
    URL: GraphQLURL.toConfig(),
    Mood: { GOOD: 1, BAD: 2 },
    Pet: { resolveType: petType },
    Pets: { resolveType: petType },
    AsyncPets: { resolveType: async (pet: Pet) => later(petType(pet)) },
    Owner: {
      slow: (owner: { first: unknown }) => later(owner.first),
      nested: (owner: { nested: unknown }) => later(owner.nested),
    },
    Query: {
      where: echo,
      defaulted: echo,
      dated: (_: unknown, { input }: { input?: { since: unknown } }) => String(input?.since instanceof Date),
      link: (_: unknown, { to, since }: { to: unknown; since: unknown }) =>
        `${to instanceof URL} ${since instanceof Date}`,
      user: () => ({}),
      a: () => ({}),
      b: () => ({}),
      owner: () => world.owner,
      owners: () => later(world.owners),
      pet: (_: unknown, { kind }: { kind: string }) => ({ kind, name: 'Mia' }),
      slowPet: (_: unknown, { kind }: { kind: string }) => later({ kind, name: 'Mia' }),
      asyncPet: (_: unknown, { kind }: { kind: string }) => ({ kind, name: 'Mia' }),
      fail: (_: unknown, { how }: { how: string }) => {
        if (how === 'code')
          throw new GraphQLError('Taken.', {
            extensions: { code: 'CONFLICT', http: { status: 409 }, reason: 'taken' },
          });
        if (how === 'later') return later(null).then(() => Promise.reject(new TypeError('later')));
        if (how === 'returned') return new TypeError('returned');
        if (how === 'undefined') return Promise.reject();
        if (how === 'null') return null;
        throw new TypeError('at once');
      },
      rows: (_: unknown, { how }: { how: string }) => rows[how],
      slowRows: (_: unknown, { how }: { how: string }) => later(rows[how]),
      leaves: () => later({ ...convertible, more: convertible }),
      wrong: (_: unknown, { what }: { what: string }) => [convertible, wrong[what]],
      failing: () => [
        { id: 1, flags: [] },
        Promise.reject(new TypeError('item')),
        later({ id: 2, flags: [] }),
        { id: null, flags: [] },
      ],
    },
    User: { last: selecting, lastComment: selecting },
    Us: { Er: () => 'Us.Er' },
    UsE: { r: () => 'UsE.r' },
    Mutation: {
      echo,
      echoDefaulted: echo,
      echoPaint: echo,
      first: (_: unknown, { value }: { value: number }) => (value < 0 ? later(null) : later({ id: value, flags: [] })),
      bad: (_: unknown, { slow }: { slow: boolean }) => (slow ? later(bad) : bad),
      second: (_: unknown, { value }: { value: number }) => {
        if (value > 100)
          throw new GraphQLError('Too much.', { extensions: { code: 'TOO_MUCH', http: { status: 422 } } });
        return { id: value, flags: [] };
      },
    },
  },
);

const operations = {
  'a/fragments.graphql': `
    fragment Animal on Pet { __typename name friend { name ... on Cat { lives } } ...CatOnly ... on Dog { tricks } }
    fragment CatOnly on Cat { lives mood }
    fragment Shared on Owner { id name }`,
  'a/inside.graphql': `query Inside($name: String, $mood: Mood, $tag: String!, $since: DateTime) @rest(method: GET, path: "/inside/") {
    where(where: { name: $name, mood: $mood, deep: { name: $name, mood: BAD, since: $since }, tags: [$tag, "x"] }) @body }`,
  'a/flat.graphql': `query Flat($name: String, $mood: Mood = BAD) @rest(method: GET, path: "/flat/") { where(name: $name, mood: $mood) @body }`,
  'a/sent.graphql': `mutation Sent($where: Where, $list: [Where!]) @rest(method: POST, path: "/sent/") {
    echo(where: $where, list: $list) @body }`,
  'a/sent-flat.graphql': `mutation SentFlat($paint: Paint, $list: [Paint!]) @rest(method: POST, path: "/sent-flat/") {
    echoPaint(paint: $paint, list: $list) @body }`,
  'a/default-absent.graphql': `query DefaultAbsent($int: Int! = 4) @rest(method: GET, path: "/default-absent/") { defaulted(input: { size: $int }) @body }`,
  'a/default-inside.graphql': `query DefaultInside($note: String!) @rest(method: GET, path: "/default-inside/") { defaulted(input: { note: $note }) @body }`,
  'a/default-sent.graphql': `mutation DefaultSent($input: Defaulted, $inputs: [Defaulted!]) @rest(method: POST, path: "/default-sent/") {
    echoDefaulted(input: $input, inputs: $inputs) @body }`,
  'a/dated.graphql': `query Dated2 @rest(method: GET, path: "/dated/") { dated(input: {}) @body }`,
  'a/link.graphql': `query Link @rest(method: GET, path: "/link/") { link(since: "2026-01-01T00:00:00Z") @body }`,
  'a/owner.graphql': `query TheOwner($deep: Boolean! = false) @rest(method: GET, path: "/owner/") {
    owner @body(nullable: true) { ...Shared pets { ...Animal } first { ...Animal } slow { ...Animal } matrix at flags
      nested @include(if: $deep) { ...Shared flags } } }`,
  'a/plain-owner.graphql': `query PlainOwner @rest(method: GET, path: "/plain-owner/") {
    owner @body(nullable: true) { ...Shared name pets { ...Animal name } first { ...Animal } slow { ...Animal } matrix at flags nested { ...Shared flags nested { id pets { name } } } } }`,
  'a/owners.graphql': `query Owners @rest(method: GET, path: "/owners/") {
    owners @body(nullable: true) { ...Shared pets { ...Animal } first { ... on Pet { name } } slow { ...Animal } nested { ...Shared } } }`,
  'a/conditional.graphql': `query Conditional($with: Boolean!) @rest(method: GET, path: "/conditional/") {
    owner @body { id ...Shared @include(if: $with) nested { ...Shared id } } }`,
  'a/pet.graphql': `query OnePet($kind: String!) @rest(method: GET, path: "/pets/{kind}/") { pet(kind: $kind) @body { name } }`,
  'a/slow-pet.graphql': `query SlowPet($kind: String!) @rest(method: GET, path: "/slow-pets/{kind}/") { slowPet(kind: $kind) @body { ... on Cat { name } ... on Dog { name } } }`,
  'a/async-pet.graphql': `query AsyncPet($kind: String!) @rest(method: GET, path: "/async-pets/{kind}/") { asyncPet(kind: $kind) @body { ... on Cat { name } ... on Dog { name } } }`,
  'a/fail.graphql': `query Fail($how: String!) @rest(method: GET, path: "/fail/{how}/") { fail(how: $how) @body { id } }`,
  'a/failing.graphql': `query Failing @rest(method: GET, path: "/failing/") { failing @body { id flags } }`,
  'a/rows.graphql': `query Rows($how: String!) @rest(method: GET, path: "/rows/{how}/") { rows(how: $how) @body { id flags } }`,
  'a/slow-rows.graphql': `query SlowRows($how: String!) @rest(method: GET, path: "/slow-rows/{how}/") { slowRows(how: $how) @body { id flags } }`,
  'a/bad.graphql': `mutation Bad($slow: Boolean!) @rest(method: PUT, path: "/bad/") {
    a: second(value: 1) { id } bad(slow: $slow) @body { id } b: first(value: 2) { id } c: bad(slow: $slow) { id } }`,
  'a/info.graphql': `query Info @rest(method: GET, path: "/info/") {
    comment_user: user { last { by } } user @body { last_comment: lastComment { by id } } }`,
  'a/plain-info.graphql': `query PlainInfo @rest(method: GET, path: "/plain-info/") {
    user @body { a: last { by } last { ...SeenShape id } last_comment: lastComment { by id } } }`,
  'a/seen.graphql': `fragment SeenShape on Seen { by }`,
  'a/names-a.graphql': `query NamesA @rest(method: GET, path: "/names/a/") { a @body { Er } b { r } }`,
  'a/names-b.graphql': `query NamesB @rest(method: GET, path: "/names/b/") { a { Er } b @body { r } }`,
  'a/leaves.graphql': `
    fragment Some on Leaves { id mood moods more { mood moods } }
    query Leaves @rest(method: GET, path: "/leaves/") {
      leaves @body { ...Some id count ratio on text mood moods ids more { id count ratio on text mood ids } } }`,
  'a/wrong.graphql': `query Wrong($what: String!) @rest(method: GET, path: "/wrong/{what}/") {
    wrong(what: $what) @body { id count ratio mood more { moods } } }`,
  'a/two.graphql': `mutation Two($value: Int!) @rest(method: POST, path: "/two/") { first(value: $value) { id flags } second(value: $value) @body { id name flags } }`,
};

const facade = await startTestFacade({ graph, operations });
const get = (path: string) => facade.request(`/api/v1${path}`);

describe('an operation is executed as the specification says', () => {
  test('an absent variable inside an object stays absent', async () => {
    expect((await get('/inside/?tag=t')).json).toBe('{"where":{"deep":{"mood":2},"tags":["t","x"]}}');
    expect((await get('/inside/?tag=t&name=&mood=good')).json).toBe(
      '{"where":{"deep":{"mood":2,"name":""},"mood":1,"name":"","tags":["t","x"]}}',
    );
  });

  test('a non-null input field gets its default', async () => {
    const { json } = await facade.send('POST', '/api/v1/default-sent/', {
      input: {},
      inputs: [{ size: 0, mood: null }],
    });
    expect(JSON.parse(json)).toEqual({ input: { size: 3, mood: 1 }, inputs: [{ size: 0, mood: null }] });
    expect((await get('/default-inside/?note=n')).json).toBe('{"input":{"mood":1,"note":"n","size":3}}');
    expect((await get('/default-absent/')).json).toBe('{"input":{"mood":1,"size":4}}');
  });

  test('dates and URLs in defaults and literals keep their parsed values', async () => {
    expect((await get('/dated/')).json).toBe('true');
    expect((await get('/link/')).json).toBe('true true');
  });

  test('a condition on one spread of a fragment does not apply to another, nor in another operation', async () => {
    world = { owner: { id: 1, name: 'Ada', flags: [], nested: { id: 2, name: 'Bob', flags: [] } } };
    expect((await get('/conditional/?with=false')).json).toEqual({ id: 1, nested: { id: 2, name: 'Bob' } });
    expect((await get('/conditional/?with=true')).json).toEqual({ id: 1, name: 'Ada', nested: { id: 2, name: 'Bob' } });
    expect((await get('/owner/?deep=0')).json).not.toHaveProperty('nested');
    expect((await get('/plain-owner/')).json).toMatchObject({ id: 1, name: 'Ada', nested: { id: 2, name: 'Bob' } });
  });

  test('an async type resolver is awaited', async () => {
    expect((await get('/async-pets/Dog/')).json).toEqual({ name: 'Mia' });
  });

  test('fields with the same joined name keep their own resolvers and info', async () => {
    expect((await get('/info/')).json).toEqual({ last_comment: { by: 'lastComment 2', id: 1 } });
    expect((await get('/names/a/')).json).toEqual({ Er: 'Us.Er' });
    expect((await get('/names/b/')).json).toEqual({ r: 'UsE.r' });
    expect((await get('/plain-info/')).json).toEqual({
      a: { by: 'last 1' },
      last: { by: 'last 2', id: 1 },
      last_comment: { by: 'lastComment 2', id: 1 },
    });
  });
});

describe('defects', () => {
  test.each(['/pets/Fish/', '/slow-pets/Fish/', '/async-pets/Fish/', '/pets/Bird/', '/slow-pets/Bird/'])(
    'a type that cannot be resolved fails the request and not the process: %s',
    async path => {
      const { status, json } = await get(path);
      expect([status, json]).toEqual([500, { detail: 'A server error occurred.', code: 'error' }]);
      expect(facade.takeDefects()).toHaveLength(1);
    },
  );

  test.each(['throw', 'later', 'returned', 'undefined', 'null'])(
    'a resolver that fails by %s is a defect, told once',
    async how => {
      expect((await get(`/fail/${how}/`)).status).toBe(500);
      expect(facade.takeDefects()).toHaveLength(1);
    },
  );

  test.each(['/rows/getter/', '/slow-rows/getter/', '/rows/promised/', '/slow-rows/promised/'])(
    'a row that cannot be read fails the request and not the process: %s',
    async path => {
      expect((await get(path)).status).toBe(500);
      expect(facade.takeDefects()).toEqual([expect.any(RangeError)]);
    },
  );

  test('an iterator that throws fails too', async () => {
    for (const path of ['/rows/iterator/', '/slow-rows/iterator/']) {
      const broken = await fetch(`${facade.url}/api/v1${path}`);
      expect(broken.status).toBe(500);
      rows.iterator = (function* () {
        yield Promise.reject(new RangeError('an iterator'));
      })();
      expect(facade.takeDefects()).toEqual([expect.any(RangeError)]);
    }
  });

  test.each([true, false])('and so does a mutation in the middle, slow: %s', async slow => {
    expect((await facade.send('PUT', '/api/v1/bad/', { slow })).status).toBe(500);
    expect(facade.takeDefects()).toEqual([expect.any(RangeError)]);
  });

  test('several errors in one list are reported once', async () => {
    expect((await get('/failing/')).status).toBe(500);
    expect(facade.takeDefects()).toHaveLength(1);
  });

  test.each(Object.keys(wrong))('a value that its scalar or enum refuses fails the request: %s', async what => {
    expect((await get(`/wrong/${what}/`)).status).toBe(500);
    expect(facade.takeDefects()).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/cannot represent/) }),
    ]);
  });

  test('a coded error is not a defect', async () => {
    const { status, json } = await get('/fail/code/');
    expect([status, json]).toEqual([409, { detail: 'Taken.', code: 'taken' }]);
  });
});

test('values are converted by their scalars and enums, once for several selections of one field', async () => {
  expect((await get('/leaves/')).json).toEqual({ ...converted, more: converted });
});

describe('mutations', () => {
  test('get objects as sent, with absence and null distinct, recursive ones too', async () => {
    const where = { name: null, deep: { mood: 'bad', deep: { tags: [] } } };
    expect(JSON.parse((await facade.send('POST', '/api/v1/sent/', { where, list: [{}, where] })).json)).toEqual({
      where: { name: null, deep: { mood: 2, deep: { tags: [] } } },
      list: [{}, { name: null, deep: { mood: 2, deep: { tags: [] } } }],
    });
    const paint = {
      name: null,
      size: { height: 0 },
      sizes: [[{ height: 1, width: null }, null], null, []],
      tags: null,
    };
    expect(JSON.parse((await facade.send('POST', '/api/v1/sent-flat/', { paint, list: [{}, paint] })).json)).toEqual({
      paint,
      list: [{ tags: ['t'] }, paint],
    });
    expect((await facade.send('POST', '/api/v1/sent/', {})).json).toBe('{}');
    expect((await facade.send('POST', '/api/v1/sent/', { where: null })).json).toBe('{"where":null}');
  });

  test('execute their fields in order, and the first error is answered', async () => {
    expect((await facade.send('POST', '/api/v1/two/', { value: 3 })).json).toEqual({ id: 3, name: null, flags: [] });
    expect((await facade.send('POST', '/api/v1/two/', { value: -1 })).json).toEqual({ id: -1, name: null, flags: [] });
    expect((await facade.send('POST', '/api/v1/two/', { value: 101 })).status).toBe(422);
  });
});

describe('generated data', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('__proto__'));
  const pet: fc.Arbitrary<unknown> = fc.letrec(tie => ({
    pet: fc.oneof(
      { maxDepth: 2 },
      fc.record({
        kind: fc.constant('Cat'),
        name: text,
        lives: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
        mood: fc.option(fc.constantFrom(1, 2)),
        friend: fc.option(tie('pet')),
      }),
      fc.record({
        kind: fc.constant('Dog'),
        name: fc.oneof(text, fc.integer(), fc.boolean()),
        tricks: fc.option(fc.array(text)),
        friend: fc.option(tie('pet')),
      }),
      // Data that do not fit the graph must fail in the same way: a missing field, a value of a wrong type, an unknown type.
      fc.record({ kind: fc.constantFrom('Cat', 'Dog', 'Fish'), name: fc.constantFrom(null, undefined, {}, 'x') }),
    ),
  })).pet;
  const owner = fc.letrec(tie => ({
    owner: fc.record(
      {
        id: fc.oneof(
          { weight: 20, arbitrary: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) },
          { weight: 1, arbitrary: fc.constantFrom(null, 'x', 1.5, 2 ** 40, '7') },
        ),
        name: fc.option(text),
        pets: fc.option(fc.array(pet, { maxLength: 4 })),
        first: fc.option(pet),
        matrix: fc.option(
          fc.array(
            fc.option(
              fc.array(
                fc.option(
                  fc.oneof(
                    fc.double({ noNaN: true, noDefaultInfinity: true }),
                    fc.constantFrom(0, -0, '1.5', Number.NaN),
                  ),
                ),
              ),
            ),
          ),
        ),
        at: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
        flags: fc.array(fc.oneof(fc.boolean(), fc.constantFrom(0, 1))),
        nested: fc.option(tie('owner'), { depthSize: 'small' }),
      },
      { requiredKeys: ['id', 'flags'] },
    ),
  })).owner;

  test('plans and graphql-js send the same bytes, or fail in the same way', async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.option(owner), fc.option(fc.array(fc.option(owner), { maxLength: 4 })), async (one, many) => {
        world = { owner: one, owners: many };
        for (const path of ['/plain-owner/', '/owners/', '/owner/?deep=1']) {
          const { status } = await get(path);
          if (status === 200) answered++;
          else expect(status).toBe(500);
          facade.takeDefects();
        }
      }),
      { numRuns: 100 },
    );
    // The property would also hold if no data ever fitted.
    expect(answered).toBeGreaterThan(50);
  }, 120_000);
});

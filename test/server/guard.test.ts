import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  graphql,
  isInterfaceType,
  isObjectType,
  parse,
  subscribe,
} from 'graphql';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { accessRules, ownerRules, publicScopes } from '../../src/auth/access-rules.ts';
import { allow, rule } from '../../src/auth/graphql-shield.ts';
import { readConfig } from '../../src/config/config.ts';
import { forbidden, unauthenticated } from '../../src/errors/errors.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { fieldRules, GuardError, type GuardOptions, guard, guardedFields } from '../../src/server/guard.ts';
import { shieldFields } from '../../src/server/shield.ts';
import { createTestFacade, serve } from '../contract/contracts.ts';

interface Caller {
  name?: string;
}

const isKnown = rule('isKnown')((_row, _args, { name }: Caller) => (name === undefined ? unauthenticated() : true));
const isOwn = rule('isOwn')((_row, { of }: { of: string }, { name }: Caller) => (of === name ? true : forbidden()));
const options: GuardOptions = {
  rules: {
    public: { about: 'Anybody.', rule: allow },
    known: { about: 'Callers with a name.', rule: isKnown },
    own: { about: 'Only what is yours.', rule: isOwn },
  },
  publicScopes: new Set(['public']),
};

const words: Record<string, string> = {
  'Query.free': 'public',
  'Query.secret': 'known',
  'Query.diary': 'own',
  'Query.box': 'public',
  'Box.lock': 'known',
};

/** A graph whose fields have the access scopes in `words`. */
function graphOf(scopes: Record<string, string>, more = ''): GraphQLSchema {
  const schema = buildSchema(`
    type Query { free: String  secret: String  diary(of: String!): String  box: Box }
    type Box { lock: String  label: String }
    ${more}
  `);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(isObjectType(type) || isInterfaceType(type)) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const word = scopes[`${type.name}.${field.name}`];
      if (word !== undefined) field.extensions = { access: word };
      if (isObjectType(type)) field.resolve = () => (field.name === 'box' ? {} : `${field.name} of ${type.name}`);
    }
  }
  return schema;
}

function resolverOf(
  schema: GraphQLSchema,
  type: string,
  field: string,
): GraphQLFieldResolver<unknown, unknown> | undefined {
  const found = schema.getType(type);
  return isObjectType(found) ? found.getFields()[field]?.resolve : undefined;
}

const withoutWord = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(words).filter(([field]) => field !== name));

describe('a subscription', () => {
  test('is started only by callers its rule allows, with or without a resolver', async () => {
    for (const resolved of [true, false]) {
      const schema = graphOf({ ...words, 'Subscription.news': 'known' }, 'type Subscription { news: String }');
      const { news } = schema.getSubscriptionType()?.getFields() ?? {};
      if (!news) throw new Error('The graph of the test has no such field.');
      if (!resolved) delete news.resolve;
      news.subscribe = async function* () {
        yield { news: 'old' };
      };
      const start = (contextValue: Caller) =>
        subscribe({ schema: guard(schema, options), document: parse('subscription { news }'), contextValue });
      expect(await start({})).toMatchObject({ errors: [{ message: unauthenticated().message }] });
      const events = (await start({ name: 'Ada' })) as AsyncGenerator<unknown>;
      expect(await events.next()).toEqual({
        done: false,
        value: { data: { news: resolved ? 'news of Subscription' : 'old' } },
      });
    }
  });
});

describe('startup fails', () => {
  test('for a root field without an access scope, and names it', () => {
    expect(() => guard(graphOf(withoutWord('Query.diary')), options)).toThrow(
      new GuardError('Query.diary has no @Access word. Give it one beside its declaration.'),
    );
  });

  test('for a mutation field without one', () => {
    expect(() => guard(graphOf(words, 'type Mutation { write: String }'), options)).toThrow(
      /^Mutation\.write has no @Access/,
    );
  });

  test.each(['unheard-of', 'constructor', '__proto__', ''])('for the scope «%s», which has no rule', word => {
    expect(() => guard(graphOf({ ...words, 'Query.secret': word }), options)).toThrow(
      `Query.secret has the access word «${word}», which src/auth/access-rules.ts has no rule for.`,
    );
  });

  test('for a subscription without `subscribe`, which cannot be wrapped', () => {
    const schema = graphOf({ ...words, 'Subscription.news': 'known' }, 'type Subscription { news: String }');
    expect(() => guard(schema, options)).toThrow(
      new GuardError('Subscription.news has a rule but was not wrapped by it.'),
    );
  });

  test('for a scope of an interface that one of its types lacks', () => {
    const more = `
      interface Kept { lock: String }
      type Safe implements Kept { lock: String }
      type Tin implements Kept { lock: String }
      extend type Query { kept: Kept }`;
    const kept = { ...words, 'Query.kept': 'public', 'Kept.lock': 'known', 'Safe.lock': 'known' };
    expect(() => guard(graphOf(kept, more), options)).toThrow(
      'Kept.lock has the access word «known», but Tin.lock has not.',
    );
    expect(() => guard(graphOf({ ...kept, 'Tin.lock': 'known' }, more), options)).not.toThrow();
  });

  test('for a type that no field leads to', () => {
    expect(() => guard(graphOf(words, 'type Lost { secret: String }'), options)).toThrow(
      'The fields of Lost have no rule: no field of another type leads to it.',
    );
  });

  test('for no field of the product’s schema: each root field has a rule', () => {
    const graph = buildGraph(readConfig({}));
    const fields = guardedFields(graph);
    expect(fields.map(field => `${field.type}.${field.field}`)).toEqual(
      expect.arrayContaining(['Query.articles', 'Query.article']),
    );
    expect(fields.filter(({ scope }) => !Object.hasOwn(accessRules, scope))).toEqual([]);
  });
});

describe('a guarded field', () => {
  const guarded = guard(graphOf(words), options);
  const ask = (source: string, contextValue: Caller) => graphql({ schema: guarded, source, contextValue });

  test('is null with the error of its rule, and the other fields are resolved', async () => {
    const { data, errors } = await ask('{ free secret }', {});
    expect(data).toEqual({ free: 'free of Query', secret: null });
    expect(errors?.map(error => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
  });

  test('is resolved when its rule allows it', async () => {
    const { data, errors } = await ask('{ secret }', { name: 'ada' });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ secret: 'secret of Query' });
  });

  test('is decided for each use by its own arguments', async () => {
    const { data, errors } = await ask('{ hers: diary(of: "ada") his: diary(of: "bob") again: diary(of: "ada") }', {
      name: 'ada',
    });
    expect(data).toEqual({ hers: 'diary of Query', his: null, again: 'diary of Query' });
    expect(errors?.map(error => [error.path, error.extensions.code])).toEqual([[['his'], 'FORBIDDEN']]);
  });

  test('can belong to any type', async () => {
    const { data, errors } = await ask('{ box { lock label } }', {});
    expect(data).toEqual({ box: { lock: null, label: 'label of Box' } });
    expect(errors?.map(error => error.path)).toEqual([['box', 'lock']]);
  });

  test('denies under an alias, in a fragment and behind a variable alike', async () => {
    const { data } = await graphql({
      schema: guarded,
      source:
        'query ($of: String!) { a: secret ...F ... on Query { b: diary(of: $of) } } fragment F on Query { c: secret }',
      variableValues: { of: 'bob' },
      contextValue: {},
    });
    expect(data).toEqual({ a: null, b: null, c: null });
  });
});

const folder = mkdtempSync(join(tmpdir(), 'portico-guard-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'secrets'));
for (const [name, text] of Object.entries({
  secret: 'query GetSecret @rest(method: GET, path: "/secret/") { secret @body }',
  diary: 'query GetDiary($of: String!) @rest(method: GET, path: "/diaries/{of}/") { diary(of: $of) @body }',
  lock: 'query GetLock @rest(method: GET, path: "/lock/") { box { lock @body } }',
})) {
  writeFileSync(join(folder, 'secrets', `get-${name}.graphql`), text);
}

const origin = await serve(
  createTestFacade(
    { ...healthProduct({ corsOrigins: '*' }), folder },
    {
      graph: guard(graphOf(words), options),
      context: ({ headers }): Caller => (typeof headers['x-name'] === 'string' ? { name: headers['x-name'] } : {}),
    },
  ),
);

test('a REST operation denies as a GraphQL query does', async () => {
  const status = async (path: string, name?: string): Promise<number> =>
    (await fetch(`${origin}/api/v1${path}`, name === undefined ? {} : { headers: { 'X-Name': name } })).status;
  expect(await status('/secret/')).toBe(401);
  expect(await status('/secret/', 'ada')).toBe(200);
  expect(await status('/diaries/ada/', 'ada')).toBe(200);
  expect(await status('/diaries/bob/', 'ada')).toBe(403);
  expect(await status('/lock/')).toBe(401);
  expect(await status('/lock/', 'ada')).toBe(200);
});

test('a field without a rule is denied', async () => {
  const schema = graphOf(words);
  shieldFields(schema, { Query: { free: allow, box: allow }, Box: { lock: allow } });
  const { data, errors } = await graphql({ schema, source: '{ free secret box { lock label } }' });
  expect(data).toEqual({ free: 'free of Query', secret: null, box: { lock: 'lock of Box', label: null } });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

test('an error in a rule is an error of its field, and no refusal', async () => {
  const broken = rule('broken')(() => {
    throw new TypeError('broken rule');
  });
  const schema = guard(graphOf(words), { ...options, rules: { ...options.rules, known: { about: '', rule: broken } } });
  const { data, errors } = await graphql({ schema, source: '{ secret }', contextValue: {} });
  expect(data).toEqual({ secret: null });
  expect(errors?.map(({ message }) => message)).toEqual(['broken rule']);
});

describe('a field without a guard', () => {
  test('keeps its resolver unwrapped', () => {
    const before = graphOf(words);
    const kept = [
      ['Query', 'free'],
      ['Query', 'box'],
      ['Box', 'label'],
    ].map(([type = '', field = '']) => ({ type, field, resolve: resolverOf(before, type, field) }));
    const secret = resolverOf(before, 'Query', 'secret');
    const after = guard(before, options);
    for (const { type, field, resolve } of kept) {
      expect(resolve).toBeDefined();
      expect(resolverOf(after, type, field)).toBe(resolve);
    }
    expect(resolverOf(after, 'Query', 'secret')).not.toBe(secret);
  });

  test('leaves a schema without guarded fields unchanged', () => {
    const schema = graphOf({ ...words, 'Query.secret': 'public', 'Query.diary': 'public', 'Box.lock': 'public' });
    expect(guard(schema, options)).toBe(schema);
  });
});

describe('the product’s schema', () => {
  const graph = buildGraph(readConfig({}));
  const rules = fieldRules(graph, { rules: accessRules, publicScopes, ownerRules });
  const roots = [graph.getQueryType(), graph.getMutationType(), graph.getSubscriptionType()];
  const fields = Object.values(graph.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(type => Object.values(type.getFields()).map(field => ({ type, field })));
  const ruleOf = ({ type, field }: (typeof fields)[number]) => rules[type.name]?.[field.name];
  const decided = fields.filter(one => ruleOf(one) !== allow);

  test('has a rule for every field, and one other than `allow` for every root field and every field with a scope', () => {
    expect(Object.values(rules).flatMap(ofType => Object.keys(ofType))).toHaveLength(fields.length);
    expect(fields.filter(one => ruleOf(one) === undefined)).toEqual([]);
    const names = decided.map(({ type, field }) => `${type}.${field.name}`);
    const scoped = guardedFields(graph).filter(
      ({ type, scope }) => !publicScopes.has(scope as never) || roots.includes(graph.getType(type) as never),
    );
    expect(names.toSorted()).toEqual(scoped.map(({ type, field }) => `${type}.${field}`).toSorted());
    expect(names.length).toBeGreaterThan(roots.flatMap(root => Object.keys(root?.getFields() ?? {})).length);
  });

  test('runs that rule whenever such a field is used, and no other part of the field if the rule refuses', async () => {
    const asked: unknown[] = [];
    // The files of a worker share the rules.
    const originals = new Map(Object.values(accessRules).map(one => [one.rule, one.rule.resolve]));
    try {
      for (const one of originals.keys())
        one.resolve = async (_row, _args, _context, info) => {
          asked.push(info);
          return new Error('refused by the test');
        };
      for (const { type, field } of decided) {
        const step = type === graph.getSubscriptionType() ? field.subscribe : field.resolve;
        const info = { parentType: type, fieldName: field.name } as never;
        await expect(
          Promise.resolve(step?.({}, {}, { actor: { kind: 'anonymous' } }, info)).then(refused => String(refused)),
        ).resolves.toBe('Error: refused by the test');
      }
    } finally {
      for (const [one, resolve] of originals) one.resolve = resolve;
    }
    expect(asked).toHaveLength(decided.length);
  });
});

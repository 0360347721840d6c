import { beforeAll, expect, test } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { testGateway } from '../harness/gateway.ts';
import { growLists } from '../harness/growing-lists.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { publicSchema } from './public-schema.ts';

const gateway = await testGateway({ data: 'demo', settings: { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '1000000' } });
const demo = await demoOf(gateway);
const wren = `Bearer ${demo.users.wren.classic_token}`;
let reader = '';
beforeAll(async () => {
  reader = `Bearer ${(await growLists(gateway, 100)).access}`;
}, 120_000);

type Field = GraphQLField<unknown, unknown>;

interface Start {
  /** § is the place of the selection. */
  text: string;
  type: string;
  credential: () => string;
}

const starts: Start[] = [
  { text: '{ viewer { § } }', type: 'User', credential: () => wren },
  { text: '{ § }', type: 'Query', credential: () => wren },
  { text: '{ § }', type: 'Query', credential: () => reader },
  { text: '{ organization(login: "harbor-lab") { § } }', type: 'Organization', credential: () => wren },
  { text: '{ repository(owner: "harbor-lab", name: "compass") { § } }', type: 'Repository', credential: () => wren },
  { text: '{ healthViewer { § } }', type: 'Person', credential: () => reader },
  { text: '{ article(databaseId: 1) { § } }', type: 'Article', credential: () => reader },
];

/** Values of arguments that a field requires, by name. */
const values: Readonly<Record<string, string>> = {
  userId: JSON.stringify(encodeGlobalId('User', 2)),
  starrableId: JSON.stringify(encodeGlobalId('Repository', 1)),
  subscribableId: JSON.stringify(encodeGlobalId('Repository', 1)),
  organizationId: JSON.stringify(encodeGlobalId('Organization', 5)),
  oid: JSON.stringify('ab'.repeat(20)),
  login: '"linh"',
  name: '"main"',
  qualifiedName: '"refs/heads/main"',
  refPrefix: '"refs/heads/"',
  branch: '"main"',
  range: '"main...main"',
  revision: '"main"',
  start: '"heads"',
  path: '"README.md"',
  databaseId: '1',
};

/** Fields that take statements for each row. */
const perRow: ReadonlySet<string> = new Set([
  // They read git objects of each repository, which their costs declare.
  ...['branchesWithHead', 'commit', 'commitContent', 'commits', 'comparison', 'content', 'contributors'].map(
    repositoryField,
  ),
  ...['gitRefs', 'readme'].map(repositoryField),
  // One branch of each, with its rules.
  repositoryField('branchProtectionRule'),
  // An id is of one parent, so that a list of parents has one row at most.
  ...['hook', 'sshKey'].map(repositoryField),
  'Organization.hook',
]);

function repositoryField(name: string): string {
  return `Repository.${name}`;
}

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());

function argumentsOf(field: Field, given: Record<string, string> = {}): string | undefined {
  const all = { ...given };
  for (const { name, type, defaultValue } of field.args) {
    if (!isNonNullType(type) || defaultValue !== undefined || name in all) continue;
    const value = name === 'id' ? JSON.stringify(encodeGlobalId(getNamedType(field.type).name, 1)) : values[name];
    if (value === undefined) return undefined;
    all[name] = value;
  }
  const texts = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return texts.length === 0 ? field.name : `${field.name}(${texts.join(', ')})`;
}

/** The field with what is directly below it. An id is one that names nothing of its type. Undefined where an argument has no value. */
function selectionOf(field: Field): string | undefined {
  const called = argumentsOf(field);
  const type = getNamedType(field.type);
  if (called === undefined || isLeafType(type)) return called;
  if (!isObjectType(type)) return `${called} { __typename }`;
  if (type.getFields().edges) return `${argumentsOf(field, { first: '2' })} { totalCount nodes { __typename } }`;
  const leaves = fieldsOf(type).filter(one => isLeafType(getNamedType(one.type)) && one.args.length === 0);
  return `${called} { __typename ${leaves.map(({ name }) => name).join(' ')} }`;
}

/** Connections of the schema, one for each type of their nodes and start. */
function* lists(): Generator<{
  node: GraphQLObjectType;
  start: Start;
  text: (first: number, inner: string) => string;
}> {
  for (const start of starts) {
    for (const field of fieldsOf(publicSchema.getType(start.type) as GraphQLObjectType)) {
      const connection = getNamedType(field.type);
      if (!isObjectType(connection) || !connection.getFields().edges) continue;
      const node = getNamedType(connection.getFields().nodes?.type);
      if (!isObjectType(node) || argumentsOf(field) === undefined) continue;
      const text = (first: number, inner: string): string =>
        start.text.replace(
          '§',
          `list: ${argumentsOf(field, { first: String(first) })} { nodes { __typename ${inner} } }`,
        );
      yield { node, start, text };
    }
  }
}

async function ask(query: string, credential: string) {
  return (await call(gateway, 'POST', '/graphql', credential, { query })).json;
}

function rowsOf(data: unknown): number {
  const found = Object.values((data ?? {}) as Record<string, Rows | null>)[0];
  return (found?.nodes ?? found?.list?.nodes ?? []).length;
}

interface Rows {
  nodes?: unknown[];
  list?: { nodes?: unknown[] };
}

test('a field of a list takes as many statements for twelve rows as for four', async () => {
  const judged = new Set<string>();
  const wrong: string[] = [];
  const growing = new Set<string>();
  for (const { node, start, text } of lists()) {
    const credential = start.credential();
    if (judged.has(node.name) || rowsOf((await ask(text(12, ''), credential)).data) < 12) continue;
    judged.add(node.name);
    for (const field of fieldsOf(node)) {
      const name = `${node.name}.${field.name}`;
      const inner = selectionOf(field);
      if (inner === undefined) wrong.push(`${name} needs a value of an argument`);
      else {
        // The first request fills caches.
        const { errors = [] } = await ask(text(12, inner), credential);
        if (errors.some((one: { extensions: { code: string } }) => one.extensions.code === 'GRAPHQL_VALIDATION_FAILED'))
          wrong.push(`${name}: ${errors[0].message}`);
        const [few = 0, many = 0] = [
          await statementsOf(text(4, inner), credential),
          await statementsOf(text(12, inner), credential),
        ];
        if (many > few) growing.add(name);
        if (many > few && !perRow.has(name)) wrong.push(`${name}: ${few} → ${many}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect([...judged].toSorted()).toEqual(
    expect.arrayContaining([
      'App',
      'Article',
      'Contact',
      'Event',
      'HealthGoal',
      'Organization',
      'Ref',
      'Repository',
      'Token',
      'User',
    ]),
  );
  expect([...perRow].filter(name => !growing.has(name))).toEqual([]);
}, 300_000);

async function statementsOf(query: string, credential: string): Promise<number> {
  return (await gateway.statements(() => ask(query, credential))).length;
}

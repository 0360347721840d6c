import { expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isCompositeType, isObjectType } from 'graphql';
import { testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { makePrivateWorld, markerPrefix } from './private-world.ts';
import { publicSchema } from './public-schema.ts';
import { documentOf, pathsFrom, type SchemaPath, type Start, type ValueOf } from './schema-paths.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-10-01T08:10:00Z', settings: { SOURCE_IMPORTS: 'on' } });
const world = await makePrivateWorld(gateway);

const quoted = JSON.stringify;
const fixed: Record<string, string> = {
  'Query.article(databaseId)': String(world.numbers.article),
  'Organization.ruleset(databaseId)': String(world.numbers.organizationRuleset),
  'Repository.ruleset(databaseId)': String(world.numbers.ruleset),
  'User.repository(name)': '"shore"',
  'Repository.gitRef(name)': '"heads/main"',
  'Repository.branch(name)': '"main"',
  'Repository.branchOrRenamed(name)': '"main"',
  'User.organizationEvents(login)': '"heron-nest"',
  'Person.chatGroups(discover)': 'false',
};
const byName: Record<string, string> = {
  first: '3',
  period: 'MONTH',
  databaseId: String(world.numbers.ruleSuite),
  name: '"vault"',
  login: '"heron"',
  qualifiedName: '"refs/heads/main"',
  refPrefix: '"refs/"',
  expression: '"HEAD"',
  branch: '"main"',
  revision: '"main"',
  range: '"main...main"',
  start: '"heads"',
  from: '"2026-09-30T00:00:00Z"',
  step: '"1d"',
};

/** The object ids of the world, by the fields that require one. */
const oidFor: Record<string, string> = Object.fromEntries(
  [
    ['gitCommit', 'Commit'],
    ['branchesWithHead', 'Commit'],
    ['gitTag', 'Tag'],
    ['gitBlob', 'Blob'],
  ].map(([field = '', type = '']) => [
    field,
    quoted(
      Buffer.from(world.ids.get(type) ?? '', 'base64')
        .toString()
        .split(':')
        .at(-1),
    ),
  ]),
);

const valueFor: ValueOf = (argument, field, parent) => {
  const one = fixed[`${parent}.${field.name}(${argument.name})`];
  if (one) return one;
  if (argument.name === 'oid') return oidFor[field.name];
  if (argument.name === 'userId') return quoted(world.ids.get('User') ?? 'none');
  if (argument.name === 'organizationId') return quoted(world.ids.get('Organization') ?? 'none');
  if (/^(starr|subscrib)ableId$/.test(argument.name)) return quoted(world.ids.get('Repository') ?? 'none');
  if (argument.name === 'id') return quoted(world.ids.get(getNamedType(field.type).name) ?? 'none');
  if (argument.name === 'from' && !String(argument.type).endsWith('!')) return undefined;
  if (argument.name === 'path' && field.name === 'history') return undefined;
  if (argument.name === 'path') return quoted(`${markerPrefix}-file.md`);
  if (argument.name === 'login' && field.name === 'collaborators') return undefined;
  return byName[argument.name];
};

const typeNamed = (name: string): GraphQLObjectType => publicSchema.getType(name) as GraphQLObjectType;
const starts: Start[] = [
  ...['viewer', 'healthViewer', 'viewerApp', 'rateLimit'].map(name => root(name)),
  root('user', '(login: "heron")'),
  root('organization', '(login: "heron-nest")'),
  ...['User', 'Organization'].map(type =>
    on(type, 'repositoryOwner', `(login: "${type === 'User' ? 'heron' : 'heron-nest'}")`),
  ),
  root('repository', '(owner: "heron-nest", name: "vault")'),
  root('repository', '(owner: "heron", name: "shore")'),
  root('article', `(databaseId: ${world.numbers.article})`),
  root('articleCategories'),
  root('communityGroup', `(id: ${quoted(world.ids.get('CommunityGroup'))})`),
  ...['articles', 'communityGroups', 'publicEvents'].map(name => list(name)),
  ...['User', 'Organization', 'Repository'].map(type =>
    list(
      'search',
      `(type: ${type.toUpperCase().replace('ORGANIZATION', 'USER')}, query: "${type === 'Repository' ? 'user:heron' : 'heron'}", first: 3)`,
      type,
    ),
  ),
];
const kinds = publicSchema.getPossibleTypes(publicSchema.getType('Node') as never);
const nodeStarts = kinds.flatMap(({ name }): Start[] => {
  const id = world.ids.get(name);
  if (!id) return [];
  return [on(name, 'node', `(id: ${quoted(id)})`), on(name, 'nodes', `(ids: [${quoted(id)}])`)];
});

function root(field: string, args = ''): Start {
  const type = getNamedType(publicSchema.getQueryType()?.getFields()[field]?.type);
  if (!isObjectType(type)) throw new Error(`${field} has no object type.`);
  return { name: field + args, text: `${field}${args} { § }`, type };
}

function on(type: string, field: string, args: string): Start {
  return {
    name: `${field}${args} on ${type}`,
    text: `${field}${args} { ... on ${type} { § } }`,
    type: typeNamed(type),
  };
}

function list(field: string, args = '(first: 3)', of?: string): Start {
  const connection = getNamedType(publicSchema.getQueryType()?.getFields()[field]?.type) as GraphQLObjectType;
  const node = of ? typeNamed(of) : (getNamedType(connection.getFields().nodes?.type) as GraphQLObjectType);
  return { name: field, text: `${field}${args} { totalCount nodes { ... on ${node.name} { § } } }`, type: node };
}

const paths = [
  ...starts.flatMap(start => pathsFrom(publicSchema, start, valueFor)),
  // What lies below is reached from the roots as well.
  ...nodeStarts.flatMap(start =>
    pathsFrom(publicSchema, start, valueFor).filter(({ name }) => name.split(' > ').length <= 3),
  ),
];

/** Paths in groups that fit the limits of one document. */
let groups: SchemaPath[][] = Array.from({ length: Math.ceil(paths.length / 18) }, (_, n) =>
  paths.slice(n * 18, n * 18 + 18),
);
const tooLarge = /^(QUERY_|GRAPHQL_PARSE_FAILED)/;
const markers = new RegExp(`${markerPrefix}-[a-z-]+`, 'g');

interface Seen {
  /** A path on which each marker was found. */
  found: Map<string, string>;
  /** Answers that are a defect of the server. */
  defects: string[];
  invalid: string[];
}

async function run(authorization: string | undefined): Promise<Seen> {
  const seen: Seen = { found: new Map(), defects: [], invalid: [] };
  const fitting: SchemaPath[][] = [];
  const pending = [...groups];
  const worker = async (): Promise<void> => {
    for (let group = pending.pop(); group; group = pending.pop()) {
      const { status, json, text } = await call(gateway, 'POST', '/graphql', authorization, {
        query: documentOf(group),
      });
      const codes: string[] = (json?.errors ?? []).map(
        (one: { extensions?: { code?: string } }) => one.extensions?.code,
      );
      if (codes.some(code => tooLarge.test(code)) && group.length > 1) {
        pending.push(group.slice(0, group.length >> 1), group.slice(group.length >> 1));
        continue;
      }
      fitting.push(group);
      if (status >= 500 || codes.includes('INTERNAL_SERVER_ERROR'))
        seen.defects.push(`${text}\n${documentOf(group)}`.slice(0, 3000));
      if (codes.some(code => tooLarge.test(code) || code === 'GRAPHQL_VALIDATION_FAILED'))
        seen.invalid.push(`${text.slice(0, 300)} ${documentOf(group)}`);
      group.forEach((path, index) => {
        for (const [marker] of JSON.stringify(json?.data?.[`a${index}`] ?? null).matchAll(markers))
          if (!seen.found.has(marker)) seen.found.set(marker, path.name);
      });
      for (const [marker] of JSON.stringify(json?.errors ?? []).matchAll(markers))
        if (!seen.found.has(marker)) seen.found.set(marker, `an error: ${text.slice(0, 300)}`);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  groups = fitting;
  return seen;
}

/** Markers on paths that a caller may read: those of its own relations, and what `metadata: read` opens in a repository. */
const ofRepository = ['about-vault', 'branch', 'commit', 'nest-rules', 'pattern', 'rules', 'tag'];
const readable: Record<string, readonly string[]> = {
  friend: ['first-name', 'match'],
  'installation without permissions': ofRepository,
  'metadata only': ofRepository,
};

const namesOf = (found: ReadonlyMap<string, string>): string[] =>
  [...found.keys()].map(marker => marker.slice(markerPrefix.length + 1)).toSorted();

// Without these the tests of the other callers would pass for an empty database.
const owned = {
  person: [
    ...['about', 'allergies', 'assessed', 'assessment', 'companion', 'condition', 'first-name', 'goal', 'group-chat'],
    ...['log', 'log-text', 'match', 'person', 'phone', 'reading', 'reason', 'symptom'],
  ],
  user: [
    ...['about-vault', 'author', 'branch', 'cellar', 'commit', 'content', 'delivery', 'email', 'file', 'hook'],
    ...['import-author', 'large', 'member', 'nest-rules', 'pattern', 'remote', 'request-header', 'response'],
    ...['response-header', 'route', 'rules', 'source', 'tag', 'tag-message', 'token-note'],
  ],
  app: ['delivery', 'hook', 'request-header', 'response', 'response-header'],
};

test('every field with an access scope is on a path', () => {
  const covered = new Set(paths.map(({ covers }) => covers));
  const guarded = Object.values(publicSchema.getTypeMap())
    .filter(type => isObjectType(type) && !['Query', 'Mutation', 'Subscription'].includes(type.name))
    .flatMap(type => Object.values((type as GraphQLObjectType).getFields()).map(field => ({ type, field })))
    .filter(({ field }) => field.extensions.access !== undefined && isCompositeType(getNamedType(field.type)));
  expect(guarded.length).toBeGreaterThan(0);
  expect(guarded.map(({ type, field }) => `${type.name}.${field.name}`).filter(name => !covered.has(name))).toEqual([]);
});

test.each(Object.keys(owned) as (keyof typeof owned)[])('the owner finds every marker: %s', async who => {
  const { found, defects, invalid } = await run(world.owners[who]);
  expect({ defects, invalid }).toEqual({ defects: [], invalid: [] });
  expect(namesOf(found)).toEqual(expect.arrayContaining(owned[who]));
});

test.each(Object.keys(world.others))('no marker for %s', async who => {
  const { found, defects, invalid } = await run(world.others[who]);
  expect({ defects, invalid }).toEqual({ defects: [], invalid: [] });
  const allowed = readable[who] ?? [];
  const leaked = [...found].filter(([marker]) => !allowed.includes(marker.slice(markerPrefix.length + 1)));
  expect(Object.fromEntries(leaked)).toEqual({});
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { sql } from 'kysely';
import { readConfig } from '../../src/config/config.ts';
import { declaredCost } from '../../src/limits/field-units.ts';
import { measureQuery } from '../../src/limits/query-measure.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { type BulkWorld, growWorld } from '../harness/bulk-world.ts';
import { databaseWork } from '../harness/database-work.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, demoOf } from '../harness/hosting.ts';
import { articleFieldCases } from './article-field-costs.ts';
import { chatFieldCases } from './chat-field-costs.ts';
import { type Caller, type FieldCase, fieldCases } from './field-cost-table.ts';
import { gitFieldCases } from './git-field-costs.ts';
import { healthRecordCases } from './health-record-costs.ts';
import { hookFieldCases } from './hook-field-costs.ts';
import { moderationFieldCases } from './moderation-field-costs.ts';
import { nestedFieldCases } from './nested-field-costs.ts';
import { personFieldCases } from './person-field-costs.ts';
import { ruleFieldCases } from './rule-field-costs.ts';
import { serviceFieldCases } from './service-field-costs.ts';

const settings = { STATEMENT_TIMEOUT_MS: '60000', SOURCE_IMPORTS: 'on' };
const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings });
const fresh = [
  await testGateway({ beside: gateway, settings }),
  await testGateway({ beside: gateway, settings }),
  await testGateway({ beside: gateway, settings }),
];
const demo = await demoOf(gateway);
const graph = buildGraph(readConfig({}));
let world: BulkWorld;
let cases: FieldCase[];
beforeAll(async () => {
  world = await growWorld(gateway);
  await sql`insert into article_revision (article_id, headline, summary, body, content_hash, published_at, replaced_at)
    select id, headline, summary, body, '', published_at, published_at
    from (select * from article order by published_at desc limit 100) a cross join generate_series(1, 20)`.execute(
    gateway.database.sql,
  );
  cases = [
    ...fieldCases(world),
    ...chatFieldCases(world),
    ...nestedFieldCases(demo),
    ...healthRecordCases(),
    ...personFieldCases(),
    ...gitFieldCases(),
    ...ruleFieldCases(),
    ...hookFieldCases(),
    ...articleFieldCases(world),
    ...moderationFieldCases(),
    ...serviceFieldCases(),
  ];
}, 180_000);

/** Buffers per unit. The measured work may be a tenth of the units, or ten times as much. */
const buffersPerUnit = 100;
const factor = 10;

const tokens: Record<Caller, () => Promise<string | undefined>> = {
  anonymous: async () => undefined,
  reader: async () => world.reader.access,
  newcomer: async () => world.newcomer.access,
  wren: async () => demo.users.wren.classic_token,
  app: () => appJwt(gateway, demo),
  service: async () => demo.tokens.service,
};

/** All fields without a page and without required arguments. */
function selectAll(type: GraphQLNamedType, depth: number): string {
  if (!isObjectType(type) && !isInterfaceType(type)) return '{ __typename }';
  const fields = Object.values(type.getFields()).filter(
    ({ args }) => !args.some(argument => isRequiredArgument(argument) || argument.name === 'first'),
  );
  return `{ __typename ${fields.map(field => selectField(field, depth)).join(' ')} }`;
}

function selectField(field: GraphQLField<unknown, unknown>, depth: number): string {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return field.name;
  return depth === 0 ? '' : `${field.name} ${selectAll(type, depth - 1)}`;
}

function documentOf({ field, args, document }: FieldCase): string {
  if (document !== undefined) return document;
  const name = field.slice('Query.'.length);
  const root = graph.getQueryType()?.getFields()[name];
  if (!root) throw new Error(`There is no ${field}.`);
  const type = getNamedType(root.type);
  const isPage = root.args.some(({ name: argument }) => argument === 'first');
  const below = isCompositeType(type) ? selectAll(type, isPage ? 2 : 1) : '';
  return `{ ${name}${args === undefined ? '' : `(${args})`} ${below} }`;
}

describe('The cost of a field', () => {
  test('is in the table of worst cases, for each query field and each field with a declared cost or a page', () => {
    const required: string[] = [];
    for (const type of Object.values(graph.getTypeMap())) {
      if (!isObjectType(type) || type.name.startsWith('__') || type === graph.getMutationType()) continue;
      for (const field of Object.values(type.getFields())) {
        const isPage = field.args.some(({ name }) => name === 'first');
        const name = `${type.name}.${field.name}`;
        if (type === graph.getQueryType() || isPage || declaredCost(field)) required.push(name);
      }
    }
    const shared = new Set([
      // Counts of rows as Repository.networkForkCount.
      'Repository.stargazerCount',
      'Repository.forkCount',
      'Repository.watcherCount',
      // Reachable through a mutation alone, which costs 10 and creates a token. Measured as User.repositories.
      'InstallationToken.repositories',
      ...['User', 'Organization'].flatMap(type => [`${type}.followerCount`, `${type}.followingCount`]),
      // Measured for users.
      ...['followers', 'following', 'repositories', 'ownedDiskUsage', 'privateCollaboratorCount', 'publicKeys'].map(
        name => `Organization.${name}`,
      ),
      // For REST, measured as what the graph has in their place: showAd, Query.article, Person.companionMessages, Chat.messages.
      ...['ad', 'openedArticle', 'companionHistory'].map(name => `Query.${name}`),
      ...['privateMessages', 'groupMessages', 'directMessages'].map(name => `Query.${name}`),
      // Measured as ChatGroup.members.
      'ChatGroup.participants',
      // They cost what their bounds do, which no repository of the demo reaches: 16 MB of changed files, blobs of 100 MB, 100,000 entries
      // of a tree, 10,000 refs, 10,000 files, 5,000 commits, 1,000 entries of a directory, the history of a path.
      ...['commitContent', 'comparison', 'content', 'gitBlob', 'gitRefs', 'readme'].map(name => `Repository.${name}`),
      ...['languages', 'contributors'].map(name => `Repository.${name}`),
      ...['additions', 'deletions', 'changedLines', 'files'].map(name => `Commit.${name}`),
      ...['content', 'entryCommits', 'highlightedLines', 'history', 'readme'].map(name => `RepositoryLocation.${name}`),
      'Tree.listing',
      // Measured as User.repositories, with the token of an installation.
      'InstallationReach.repositories',
      // Without a statement.
      'Query.installationReach',
      'Repository.repositoryTopics',
    ]);
    const covered = new Set(cases.map(({ field }) => field));
    expect(required.filter(name => !covered.has(name) && !shared.has(name))).toEqual([]);
  });

  test('predicts its database work within a factor of ten', async () => {
    const wrong: unknown[] = [];
    const cold = [...fresh];
    for (const fieldCase of cases) {
      const query = documentOf(fieldCase);
      const token = await tokens[fieldCase.as]();
      const on = (fieldCase.cold && cold.pop()) || gateway;
      const headers = {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      let failed: unknown;
      const sent = await on.sent(async () => {
        const { json } = await on.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
        failed = json.data ? undefined : json.errors;
      });
      const { databaseUnits: units } = measureQuery(graph, parse(query), undefined, {});
      const work = await databaseWork(gateway.databaseUrl, sent);
      const isRight =
        units === 0 ? work === 0 : work >= (units * buffersPerUnit) / factor && work <= units * buffersPerUnit * factor;
      // With limits off, the fields about limits are null.
      if ((failed && units > 0) || units !== fieldCase.units || !isRight)
        wrong.push({ field: fieldCase.field, query, units, stated: fieldCase.units, work, failed });
    }
    expect(wrong).toEqual([]);
  }, 180_000);
});

import { expect, test } from '@jest/globals';
import { getNamedType, isNonNullType, isObjectType } from 'graphql';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { makePrivateWorld } from './private-world.ts';
import { publicSchema } from './public-schema.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-10-01T08:10:00Z' });
const world = await makePrivateWorld(gateway);

const parents = { Query: '§', User: 'viewer { § }', Person: 'healthViewer { § }', App: 'viewerApp { § }' };
/** Lists of the root that only a person of the health product may read. */
const ofPerson = new Set(['communityGroups', 'recommendedArticles', 'reports', 'moderationEvents']);
await sql`update users set is_moderator = true`.execute(gateway.database.sql);
const owners = {
  Query: world.owners.user,
  User: world.owners.user,
  Person: world.owners.person,
  App: world.owners.app,
};

const { json: articles } = await call(gateway, 'POST', '/graphql', undefined, {
  query: '{ articles(first: 1) { pageInfo { endCursor } } }',
});
/** An empty page, and a cursor of another list, which a list of the same order accepts. */
const mayWork = ['first: 0', `first: 1, after: ${JSON.stringify(articles.data.articles.pageInfo.endCursor)}`];

const lists = (Object.keys(parents) as (keyof typeof parents)[]).flatMap(parent => {
  const type = publicSchema.getType(parent);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return fields
    .filter(
      ({ type: of, args }) =>
        getNamedType(of).name.endsWith('Connection') &&
        args.some(one => one.name === 'first') &&
        !args.some(one => isNonNullType(one.type) && one.defaultValue === undefined),
    )
    .map(({ name, args }) => ({
      parent,
      name,
      hasLast: args.some(one => one.name === 'last'),
      max: Number(/1 to (\d+)/.exec(args.find(one => one.name === 'first')?.description ?? '')?.[1] ?? 100),
    }));
});

test.each(lists)('sizes and cursors of $parent $name', async ({ parent, name, hasLast, max }) => {
  const wrong = [
    `first: ${max + 1}`,
    'first: -1',
    'first: 1, after: "!!"',
    'first: 1, after: "eA"',
    ...(hasLast ? ['first: 1, last: 1'] : []),
  ];
  for (const page of [...wrong, ...mayWork]) {
    const query = `{ ${parents[parent].replace('§', `${name}(${page}) { __typename }`)} }`;
    const { status, json } = await call(
      gateway,
      'POST',
      '/graphql',
      ofPerson.has(name) ? owners.Person : owners[parent],
      { query },
    );
    const codes = (json.errors ?? []).map((one: { extensions: { code: string } }) => one.extensions.code);
    expect({ query, isClientError: status < 500 }).toEqual({ query, isClientError: true });
    if (!mayWork.includes(page) || codes.length > 0)
      expect({ query, codes }).toEqual({ query, codes: ['BAD_USER_INPUT'] });
  }
});

import { expect, test } from '@jest/globals';
import { Octokit } from '@octokit/core';
import { paginateGraphQL } from '@octokit/plugin-paginate-graphql';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await clientGateway();
gateway.usedBy('@octokit/plugin-paginate-graphql', packageVersion('@octokit/plugin-paginate-graphql'));
const { users } = await demoOf(gateway);

interface Repositories {
  organization: {
    repositories: { nodes: { name: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  };
}

const query = `query ($size: Int!, $cursor: String) {
  organization(login: "harbor-lab") {
    repositories(first: $size, after: $cursor) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;
const namesOf = ({ organization }: Repositories): string[] => organization.repositories.nodes.map(({ name }) => name);

const PagingOctokit = Octokit.plugin(paginateGraphQL);
const octokit = new PagingOctokit({ auth: users.juniper.classic_token, baseUrl: `${gateway.url}/api/v3` });
const whole = namesOf(await octokit.graphql<Repositories>(query, { size: 100 }));

test('octokit.graphql.paginate gets every page of a connection', async () => {
  expect(whole.length).toBeGreaterThan(2);
  const paged = await octokit.graphql.paginate<Repositories>(query, { size: 2 });
  expect(namesOf(paged)).toEqual(whole);
  expect(paged.organization.repositories.pageInfo.hasNextPage).toBe(false);
});

test('octokit.graphql.paginate.iterator gets one page at a time', async () => {
  const pages: string[][] = [];
  for await (const page of octokit.graphql.paginate.iterator<Repositories>(query, { size: 2 }))
    pages.push(namesOf(page));
  expect(pages.flat()).toEqual(whole);
  expect(pages).toHaveLength(Math.ceil(whole.length / 2));
});

import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { contracts, publicReads } from './contracts.ts';
import { findSamples, sampleCalls } from './samples.ts';

/** Maximum number of SQL statements of one request, for all parameters and any number of rows. */
const budgets: Record<string, number> = {
  // The page with the categories of its articles and the count; the count comes before a deep page.
  ListArticles: 2,
  // The article, and its related articles.
  GetArticle: 2,
  ListVersions: 0,
  GetUser: 1,
  GetOrg: 1,
  GetRoot: 0,
  GetFeeds: 0,
  // The app, and its owner.
  GetAppBySlug: 2,
  GetRateLimit: 0,
  GetMeta: 0,
  GetZen: 0,
  // The user, the page, the count, and the id of the user for the links.
  ListFollowersForUser: 4,
  ListFollowingForUser: 4,
  ListOrgsForUser: 4,
  // The user, the page, the count, and the id of the user for the links.
  ListPublicKeysForUser: 4,
  ListReposWatchedByUser: 4,
  CheckFollowingForUser: 1,
  // The page, and the owners of the repositories.
  ListPublic: 2,
  ListUsers: 1,
  ListOrganizations: 1,
  // The organization, the page, the count, and the id of the organization for the links.
  ListMembers: 4,
  ListPublicMembers: 4,
  // The organization, the user, and the membership.
  CheckMembershipForUser: 3,
  CheckPublicMembershipForUser: 3,
  // The entity tag, the rows, and the count; for a page of members also accounts, for one of forks repositories and owners.
  ListPublicEvents: 6,
};

const gateway = await testGateway();
const samples = await findSamples(gateway);
// Excludes what only a first request needs, such as types and settings.
await gateway.request('/api/v1/articles/');

for (const { product, endpoints } of contracts) {
  for (const endpoint of publicReads(endpoints)) {
    const { name, method, file } = endpoint.operation;
    // A constant needs the object that it is below.
    const budget = endpoint.plan.bodyConstant ? 1 : budgets[name];
    const base = product.basePaths[0] ?? '';
    test(`${name} stays within its statement budget for every sample`, async () => {
      if (budget === undefined)
        throw new Error(`${file}: give ${name} a budget in test/contract/statement-budgets.test.ts.`);
      for (const call of sampleCalls(endpoint, samples)) {
        const statements = await gateway.statements(() => gateway.request(`${base}${call.path}`, { method }));
        const over = statements.length > budget ? statements : [];
        expect({ call: call.name, over }).toEqual({ call: call.name, over: [] });
      }
    });
  }
}

test('every budget belongs to an operation', () => {
  const names = contracts.flatMap(({ endpoints }) => endpoints.map(endpoint => endpoint.operation.name));
  expect(Object.keys(budgets).filter(name => !names.includes(name))).toEqual([]);
});

test('a list needs as many statements for a hundred rows as for two', async () => {
  const sizes = ['2', '20', '100'];
  const counts: number[] = [];
  for (const size of sizes) {
    const statements = await gateway.statements(() => gateway.request(`/api/v1/articles/?page_size=${size}`));
    counts.push(statements.length);
  }
  expect(counts).toEqual([1, 1, 1]);
});

test('page=last executes the list twice', async () => {
  const statements = await gateway.statements(() => gateway.request('/api/v1/articles/?page=last&page_size=7'));
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBeLessThanOrEqual(2 * 2);
});

import { expect, jest, test } from '@jest/globals';

/**
 * Who executes: calls of the functions of graphql-js that execute are counted, and plans that are taken for an execution. The other
 * modules are imported when the counters are in place.
 */

const graphqlJs = await import('graphql');
const counts = { graphqlJs: 0, plans: 0 };

const { execute, executeSync, subscribe, createSourceEventStream, graphql, graphqlSync } = graphqlJs;
const executing = { execute, executeSync, subscribe, createSourceEventStream, graphql, graphqlSync };
const counted = Object.entries(executing).map(([name, run]) => {
  const count = (...args: unknown[]): unknown => {
    counts.graphqlJs++;
    return (run as (...given: unknown[]) => unknown)(...args);
  };
  return [name, count];
});
jest.unstable_mockModule('graphql', () => ({ ...graphqlJs, ...Object.fromEntries(counted) }));

const { OperationPlan } = await import('operation-rest');
const { planFor } = OperationPlan.prototype;
OperationPlan.prototype.planFor = function (variables) {
  counts.plans++;
  return planFor.call(this, variables);
};
const { testGateway } = await import('../harness/gateway.ts');
const { call, demoOf, graphql: send } = await import('../harness/hosting.ts');
const { refusalOf, subscribe: subscribeTo } = await import('../harness/subscription.ts');

const gateway = await testGateway();
const {
  users: { wren },
  repositories: [repository],
} = await demoOf(gateway);
const admin = wren.classic_token;

/** The executions of one request, by who executes. */
async function executionsOf(request: () => Promise<unknown>): Promise<typeof counts> {
  Object.assign(counts, { graphqlJs: 0, plans: 0 });
  await request();
  return { ...counts };
}

const status = async (answer: Promise<{ status: number }>): Promise<void> => expect((await answer).status).toBe(200);

test.each<[string, () => Promise<unknown>]>([
  ['a REST list that PostgreSQL prints', () => status(gateway.request('/api/v1/articles/'))],
  ['a REST object', () => status(gateway.request('/api/v1/articles/1/'))],
  ['a REST list of the hosting contract', () => status(call(gateway, 'GET', '/user/repos', `Bearer ${admin}`))],
  ['a page', () => status(gateway.request(`/${repository}`, { headers: { accept: 'text/html' } }))],
  ['a query', () => status(gateway.graphql('{ articles(first: 2) { nodes { id } totalCount } }'))],
  ['introspection', () => status(gateway.graphql('{ __schema { queryType { name } } }'))],
  [
    'a query whose condition is null',
    () => status(gateway.graphql('query ($c: Boolean = true) { __typename @skip(if: $c) }', { c: null })),
  ],
  ['a mutation', () => send(gateway, 'mutation { updateViewer(input: { bio: "B" }) { clientMutationId } }', admin)],
  [
    'a subscription',
    () => refusalOf(subscribeTo(gateway, admin, 'subscription { ruleSuiteAdded(repositoryId: "x") { id } }', {})),
  ],
])('%s is executed once, by a plan', async (_, request) => {
  expect(await executionsOf(request)).toEqual({ graphqlJs: 0, plans: 1 });
});

import { describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/core';
import { graphql } from '@octokit/graphql';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await clientGateway();
gateway.usedBy('@octokit/graphql', packageVersion('@octokit/graphql'));
const { users } = await demoOf(gateway);
const authorization = `token ${users.juniper.classic_token}`;

describe('@octokit/graphql with the base URL of the REST API', () => {
  const client = graphql.defaults({ baseUrl: `${gateway.url}/api/v3`, headers: { authorization } });

  test('posts to /api/graphql and gets data', async () => {
    const { viewer } = await client<{ viewer: { login: string } }>('{ viewer { login } }');
    expect(viewer.login).toBe('juniper');
  });

  test('sends variables', async () => {
    const { repository } = await client<{ repository: { name: string } }>(
      'query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { name } }',
      { owner: 'harbor-lab', repo: 'compass' },
    );
    expect(repository.name).toBe('compass');
  });

  test('reports the error of a field with the data of the others', async () => {
    const error = await client('{ viewer { login } healthViewer { id } }').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'GraphqlResponseError',
      data: { viewer: { login: 'juniper' }, healthViewer: null },
      errors: [{ path: ['healthViewer'], extensions: { code: 'UNAUTHENTICATED', reason: 'wrong_product' } }],
    });
  });

  test('reports the errors of an invalid document', async () => {
    await expect(client('{ nothing }')).rejects.toMatchObject({
      name: 'GraphqlResponseError',
      errors: [{ message: 'Cannot query field "nothing" on type "Query".' }],
    });
  });

  test('reports an object that does not exist', async () => {
    await expect(client('{ repository(owner: "wren", name: "nothing") { id } }')).rejects.toMatchObject({
      name: 'GraphqlResponseError',
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', message: "Could not resolve to a Repository with the name 'wren/nothing'." }],
    });
  });

  test('reports an invalid credential as 401', async () => {
    const stranger = client.defaults({ headers: { authorization: 'token hostp_nobodys' } });
    await expect(stranger('{ viewer { login } }')).rejects.toMatchObject({ status: 401 });
  });
});

test('octokit.graphql of @octokit/core', async () => {
  const octokit = new Octokit({ auth: users.juniper.classic_token, baseUrl: `${gateway.url}/api/v3` });
  const { rateLimit, viewer } = await octokit.graphql<{ viewer: object; rateLimit: object }>(
    '{ viewer { databaseId login } rateLimit { cost limit remaining used resetAt nodeCount } }',
  );
  expect(viewer).toEqual({ databaseId: expect.any(Number), login: 'juniper' });
  expect(rateLimit).toMatchObject({ cost: 1, limit: 5000, nodeCount: 2 });
});

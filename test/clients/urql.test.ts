import { describe, expect, test } from '@jest/globals';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await clientGateway();
gateway.usedBy('@urql/core', packageVersion('@urql/core'));
const { users } = await demoOf(gateway);
const authorization = `Bearer ${users.juniper.classic_token}`;

/** A client with the defaults of urql, which records the requests it sends. */
function recording(headers: Record<string, string>) {
  const sent: { method: string; accept: string | null; status: number }[] = [];
  const client = new Client({
    url: `${gateway.url}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: 'within-url-limit',
    fetchOptions: { headers },
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { method = 'GET', headers } = init ?? {};
      sent.push({ method, accept: new Headers(headers).get('accept'), status: response.status });
      return response;
    },
  });
  return { client, sent };
}

describe('@urql/core', () => {
  test('sends a short query by GET', async () => {
    const { client, sent } = recording({ authorization });
    const { data, error } = await client.query('query Viewer { viewer { login } }', {}).toPromise();
    expect([data, error]).toEqual([{ viewer: { __typename: expect.any(String), login: 'juniper' } }, undefined]);
    expect(sent).toEqual([
      {
        method: 'GET',
        accept: expect.stringMatching(/^application\/graphql-response\+json, .*multipart\/mixed$/),
        status: 200,
      },
    ]);
  });

  test('sends a long query by POST', async () => {
    const { client, sent } = recording({});
    const names = Array.from({ length: 100 }, (_, at) => `alias_of_the_headline_${at}: headline`).join(' ');
    const { data } = await client.query(`{ articles(first: 1) { nodes { ${names} } } }`, {}).toPromise();
    expect(data.articles.nodes).toHaveLength(1);
    expect(sent.map(({ method }) => method)).toEqual(['POST']);
  });

  test('sends a mutation by POST', async () => {
    const { client, sent } = recording({ authorization });
    const text =
      'mutation ($login: String!) { createOrganization(input: { login: $login }) { organization { login } } }';
    const { data } = await client.mutation(text, { login: 'urql-lab' }).toPromise();
    expect(data.createOrganization.organization.login).toBe('urql-lab');
    expect(sent.map(({ method }) => method)).toEqual(['POST']);
  });

  test('reports the errors of a document', async () => {
    const { client } = recording({});
    const { error } = await client.query('{ nothing }', {}).toPromise();
    expect(error?.graphQLErrors[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

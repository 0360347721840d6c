import { expect, test } from '@jest/globals';
import { print } from 'graphql';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { createAccounts } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { readOperationDocuments } from './operation-documents.ts';

/** Operation files of the health contract as a caller pastes them: the text of the file and of the fragments that it spreads. */
const { folder } = healthProduct({ corsOrigins: '*' });
const operations = readOperationDocuments(folder).map(({ file, document }) => ({ file, text: print(document) }));

const gateway = await testGateway();
// One for each: some end the session or the account that they are run with.
const callers = await createAccounts(gateway, operations.length + 1);

async function paste(query: string, caller: number, variables: object = {}) {
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${callers[caller]?.access}` },
    body: JSON.stringify({ query, variables }),
  });
  return json;
}

const refusals = new Set([
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'INTERNAL_SERVER_ERROR',
  'BAD_CREDENTIAL',
]);

test.each(operations.map((one, index) => ({ ...one, index })))(
  '$file is a document of /graphql',
  async ({ text, index }) => {
    // Without its variables an operation is valid and may not run: that is an error of another code.
    const { errors = [] } = await paste(text, index);
    const refused = errors.filter((one: { extensions: { code: string } }) => refusals.has(one.extensions.code));
    expect(refused).toEqual([]);
  },
);

test('a pasted list has the rows that REST answers', async () => {
  const { results } = (await gateway.request('/api/v1/articles/?page_size=5&ordering=-like_count')).json;
  const text = operations.find(({ file }) => file.endsWith('list-articles.graphql'))?.text ?? '';
  const { data, errors } = await paste(text, operations.length, { page_size: 5, ordering: ['LIKE_COUNT_DESC'] });
  expect(errors).toBeUndefined();
  expect(data.articles.nodes.map(({ id }: { id: number }) => id)).toEqual(results.map(({ id }: { id: number }) => id));
});

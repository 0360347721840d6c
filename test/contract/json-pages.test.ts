import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();

test('the database prints the items of an article list and counts the list in one statement', async () => {
  const statements = await gateway.statements(() => gateway.request('/api/v1/articles/?page=2'));
  expect(statements).toEqual([expect.stringMatching(/row_to_json/)]);
});

test.each(['?page=2', '?page_size=1', '?source=other&page_size=3', '?search=sleep'])(
  'a page that the database prints has the bytes of JSON.stringify: %s',
  async query => {
    const { text } = await gateway.request(`/api/v1/articles/${query}`);
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  },
);

test('a query string is not mistaken for another one', async () => {
  const count = async (query: string): Promise<number> =>
    (await gateway.request(`/api/v1/articles/${query}`)).json.results.length;
  const queries = ['?page_size=3', '?page_size=4', '?page_size=3&page_size=5', '?page_size=3'];
  expect(await Promise.all(queries.map(count))).toEqual([3, 4, 5, 3]);
});

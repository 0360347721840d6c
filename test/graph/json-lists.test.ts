import { describe, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';

/** Nodes that the database prints as JSON, beside the same nodes in a selection with edges, which are read as rows. */

const gateway = await testGateway();
const [reader] = (await createAccounts(gateway, 1)) as [TestAccount];

async function ask(query: string) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${reader.access}` };
  const body = JSON.stringify({ query });
  return (await gateway.request('/graphql', { method: 'POST', headers, body })).json;
}

const selections = [
  'headline',
  'id databaseId headline summary imageUrl author source sourceUrl readTimeMinutes publishedAt updatedAt likeCount tags',
  '__typename id title: headline kind: __typename source',
  'isLiked isBookmarked viewCount categories { __typename id databaseId name slug description }',
  '...on Node { id } ...on Article { __proto__: headline }',
  `${'a'.repeat(64)}: headline`,
];
const lists = [
  'articles(first: 3)',
  'articles(first: 2, source: OTHER, orderBy: [LIKE_COUNT_DESC])',
  'articles(first: 4, category: "sleep", search: "sleep")',
  'articles(last: 2)',
  'articles(first: 2, after: "nothing")',
];

async function dataOf(list: string, selection: string, rest = ''): Promise<{ list?: Record<string, unknown> | null }> {
  const query = `{ list: ${list} { nodes { ${selection} } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } ${rest} } }`;
  return (await ask(query)).data as { list?: Record<string, unknown> };
}

describe.each(lists)('%s', list => {
  test.each(selections)('{ %s } is the same as JSON and as rows', async selection => {
    const { edges: _, ...asRows } = (await dataOf(list, selection, 'edges { cursor }')).list ?? {};
    const asJson = (await dataOf(list, selection)).list ?? {};
    expect(asJson).toEqual(asRows);
  });
});

test('the nodes of a page, their number and its cursors are one statement', async () => {
  const statements = await gateway.statements(() => dataOf('articles(first: 3)', 'id headline categories { name }'));
  expect(statements.filter(text => text.includes('article'))).toEqual([expect.stringMatching(/row_to_json/)]);
});

test('a document may have several lists, and fields that are executed', async () => {
  const { data } = await ask(
    `{ a: articles(first: 1) { nodes { headline } } b: articles(first: 2) { nodes { headline } }
       c: articles(first: 1) { nodes { headline related { headline } } } }`,
  );
  const { a, b, c } = data as Record<string, { nodes: { headline: string; related?: object[] }[] }>;
  expect(b?.nodes[0]).toEqual(a?.nodes[0]);
  expect(c?.nodes[0]).toMatchObject(a?.nodes[0] ?? {});
  expect(b?.nodes).toHaveLength(2);
});

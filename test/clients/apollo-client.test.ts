import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { expect, test } from '@jest/globals';
import { filter, firstValueFrom } from 'rxjs';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';

const gateway = await clientGateway();
gateway.usedBy('@apollo/client', packageVersion('@apollo/client'));

interface Articles {
  articles: {
    edges: { cursor: string; node: { id: string; headline: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
}

const document: TypedDocumentNode<Articles, { first: number; after?: string }> = gql`
  query Articles($first: Int!, $after: String) {
    articles(first: $first, after: $after) {
      edges { cursor node { id headline } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

function apolloClient(): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: `${gateway.url}/graphql` }),
    cache: new InMemoryCache({ typePolicies: { Query: { fields: { articles: relayStylePagination() } } } }),
  });
}
const headlinesOf = ({ articles }: Articles): string[] => articles.edges.map(({ node }) => node.headline);
const idsOf = ({ articles }: Articles): string[] => articles.edges.map(({ node }) => node.id);

test('fetchMore and relayStylePagination merge three pages', async () => {
  const watched = apolloClient().watchQuery({ query: document, variables: { first: 3 } });
  /** The watched result when it has this number of articles: results are emitted after the request has ended. */
  const resultOf = async (count: number): Promise<Articles> => {
    const { data } = await firstValueFrom(
      watched.pipe(filter(({ data }) => (data as Articles | undefined)?.articles.edges.length === count)),
    );
    return data as Articles;
  };
  const subscription = watched.subscribe({});
  for (const count of [3, 6]) {
    const { articles } = await resultOf(count);
    await watched.fetchMore({ variables: { after: articles.pageInfo.endCursor } });
  }
  const merged = await resultOf(9);
  subscription.unsubscribe();

  const { data } = await apolloClient().query({ query: document, variables: { first: 9 } });
  const whole = data as Articles;
  expect(new Set(idsOf(whole)).size).toBe(9);
  expect(idsOf(merged)).toEqual(idsOf(whole));
  expect(headlinesOf(merged)).toEqual(headlinesOf(whole));
  expect(merged.articles.pageInfo).toEqual(whole.articles.pageInfo);
});

test('objects are cached by their global id', async () => {
  const client = apolloClient();
  const { data } = await client.query({ query: document, variables: { first: 3 } });
  const articles = data as Articles;
  const cached = Object.keys(client.cache.extract() as object).filter(key => key.startsWith('Article:'));
  expect(cached.sort()).toEqual(
    idsOf(articles)
      .map(id => `Article:${id}`)
      .sort(),
  );
  // A query by id changes the object in the list.
  const { id } = articles.articles.edges[0]?.node ?? { id: '' };
  client.cache.writeFragment({
    id: `Article:${id}`,
    fragment: gql`fragment Headline on Article { headline }`,
    data: { __typename: 'Article', headline: 'Changed' },
  });
  expect(headlinesOf(client.readQuery({ query: document, variables: { first: 3 } }) as Articles)[0]).toBe('Changed');
  const fresh = await client.query<{ node: { headline: string } }>({
    query: gql`query Article($id: ID!) { node(id: $id) { ... on Article { id headline } } }`,
    variables: { id },
    fetchPolicy: 'network-only',
  });
  expect(fresh.data?.node.headline).toBe(articles.articles.edges[0]?.node.headline);
  expect(headlinesOf(client.readQuery({ query: document, variables: { first: 3 } }) as Articles)[0]).toBe(
    articles.articles.edges[0]?.node.headline,
  );
});

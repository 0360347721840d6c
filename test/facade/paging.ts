import { buildTestSchema } from './build-test-schema.ts';

/** 95 things in pages, with page information like the lists of the products. */
export const pagedGraph = buildTestSchema(
  `
  type Thing { id: Int! }
  type PageInfo { page: Int!, last: Int!, total: Int!, nextCursor: String, previousCursor: String }
  type Things { nodes: [Thing!]!, pageInfo: PageInfo! }
  type Owner { things(first: Int!, page: Int!): Things! }
  type Query {
    things(first: Int!, page: Int!, total: Int = 95): Things!
    after(cursor: String, first: Int!): Things!
    owner(name: String!): Owner
  }`,
  {
    Query: {
      things: (_: unknown, args: Slice) => pageOf(args),
      after: (_: unknown, { cursor, first }: { cursor?: string; first: number }) => {
        const start = cursor === undefined || cursor === null ? 0 : Number(cursor.slice(3));
        const { nodes } = pageOf({ first, page: start / first + 1 });
        const nextCursor = start + first < 95 ? `v1_${start + first}` : null;
        const previousCursor = start > 0 ? `v1_${start - first}` : null;
        return { nodes, pageInfo: { page: 1, last: 1, total: 95, nextCursor, previousCursor } };
      },
      owner: (_: unknown, { name }: { name: string }) => (name === 'nobody' ? null : { things: undefined }),
    },
    Owner: { things: (_: unknown, args: Slice) => pageOf(args) },
  },
);

interface Slice {
  first: number;
  page: number;
  total?: number;
}

function pageOf({ first, page, total = 95 }: Slice) {
  const start = (page - 1) * first;
  const nodes = Array.from({ length: Math.max(0, Math.min(first, total - start)) }, (_, index) => ({
    id: start + index + 1,
  }));
  return { nodes, pageInfo: { page, last: Math.max(1, Math.ceil(total / first)), total } };
}

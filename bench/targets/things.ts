import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';

/** Number of items and size of a page. */
const total = 300;
const size = 30;
const last = total / size;

interface Thing {
  id: number;
  name: string;
  about: string;
  price: number;
  inStock: boolean;
  madeAt: string;
  maker: { id: number; name: string };
  tags: string[];
}

const things: Thing[] = Array.from({ length: total }, (_, at) => ({
  id: at + 1,
  name: `Thing ${at + 1}`,
  about: `What the thing with the number ${at + 1} is, in a sentence of the usual length.`,
  price: at + 0.5,
  inStock: at % 3 !== 0,
  madeAt: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
  maker: { id: at % 7, name: `Maker ${at % 7}` },
  tags: [`tag-${at % 5}`, `tag-${at % 11}`],
}));

export interface ThingPage {
  page: number;
  last: number;
  total: number;
  items: Thing[];
}

/** A page from memory, as a promise, since every database gives one. */
export async function readPage(page: number): Promise<ThingPage> {
  return { page, last, total, items: things.slice((page - 1) * size, page * size) };
}

/** A page number as sent; undefined for one that is not valid. */
export function pageNumber(sent: unknown): number | undefined {
  if (sent === undefined) return 1;
  return typeof sent === 'string' && /^[1-9]\d{0,8}$/.test(sent) && Number(sent) <= last ? Number(sent) : undefined;
}

/** The document that all servers send. */
export function envelopeOf({ page, items }: ThingPage, list: string) {
  const urlOf = (number: number): string => (number === 1 ? list : `${list}?page=${number}`);
  return {
    count: total,
    next: page < last ? urlOf(page + 1) : null,
    previous: page > 1 ? urlOf(page - 1) : null,
    results: items.map(({ inStock, madeAt, id, name, about, price, maker, tags }) => ({
      ...{ id, name, about, price, in_stock: inStock, made_at: madeAt, maker, tags },
    })),
  };
}

const must = (type: GraphQLOutputType): GraphQLOutputType => new GraphQLNonNull(type);
const fields = (types: Record<string, GraphQLOutputType>) =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));

const maker = new GraphQLObjectType({
  name: 'Maker',
  fields: fields({ id: must(GraphQLInt), name: must(GraphQLString) }),
});

const thingTypes = (inStock: string, madeAt: string): Record<string, GraphQLOutputType> => ({
  id: must(GraphQLInt),
  name: must(GraphQLString),
  about: must(GraphQLString),
  price: must(GraphQLFloat),
  [inStock]: must(GraphQLBoolean),
  [madeAt]: must(GraphQLString),
  maker: must(maker),
  tags: must(new GraphQLList(must(GraphQLString))),
});

/** A plain graph of graphql-js. */
export function plainGraph(): GraphQLSchema {
  const thing = new GraphQLObjectType({ name: 'Thing', fields: fields(thingTypes('inStock', 'madeAt')) });
  const pageInfo = new GraphQLObjectType({
    name: 'PageInfo',
    fields: fields({ page: must(GraphQLInt), last: must(GraphQLInt), total: must(GraphQLInt) }),
  });
  const list = new GraphQLObjectType<ThingPage>({
    name: 'Things',
    fields: {
      items: { type: must(new GraphQLList(must(thing))) },
      pageInfo: { type: must(pageInfo), resolve: page => page },
    },
  });
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        things: {
          type: list,
          args: { page: { type: GraphQLInt }, first: { type: GraphQLInt } },
          resolve: (_root, { page }: { page: number }) => readPage(page),
        },
      },
    }),
  });
}

/** A graph for sofa-api, which has no aliases: its names are those of the document. */
export function documentGraph(): GraphQLSchema {
  const thing = new GraphQLObjectType({ name: 'Thing', fields: fields(thingTypes('in_stock', 'made_at')) });
  const page = new GraphQLObjectType({
    name: 'ThingPage',
    fields: fields({
      count: must(GraphQLInt),
      next: GraphQLString,
      previous: GraphQLString,
      results: must(new GraphQLList(must(thing))),
    }),
  });
  return new GraphQLSchema({
    query: new GraphQLObjectType<unknown, { list: string }>({
      name: 'Query',
      fields: {
        things: {
          type: page,
          args: { page: { type: GraphQLInt, defaultValue: 1 } },
          resolve: async (_root, args, { list }) => envelopeOf(await readPage(args.page), list),
        },
      },
    }),
  });
}

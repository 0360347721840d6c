import { ArgsType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { decodeKeyCursor, encodeCursor, encodeKeyCursor } from './cursor.ts';
import { longPageSize, maxPageSize as maxPageSizeByDefault } from './page-size.ts';

/** Which part of a list a connection holds: forward from `after`, or backward from `before`. */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, { nullable: true, description: 'Number of items from the start, 1 to 100; 20 by default.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor: only items after it.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'Number of items from the end, 1 to 100.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor: only items before it.' })
  before?: string | null;
}

/** Arguments of a short list that is also taken as a whole: `maxPageSize` of its connection is `longPageSize`. */
@ArgsType()
export class LongPageArgs extends ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the start, 1 to ${longPageSize}; 20 by default.`,
  })
  declare first?: number | null;

  @Field(() => Int, { nullable: true, description: `Number of items from the end, 1 to ${longPageSize}.` })
  declare last?: number | null;
}

/** Position of a page in its list. */
@ObjectType({ description: 'Position of a page in its list.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are items after the page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether there are items before the page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first item; null for an empty page.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last item; null for an empty page.' })
  endCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Anchor of the list as it is now, for `asOf` of its next pages. Null for a list without `asOf`.',
  })
  asOf?: string | null;
}

/** Class of a connection type. Its fields are resolved by `src/server/connection-resolvers.ts`. */
export interface ConnectionType {
  new (): object;
  /** Name in the graph, such as `ArticleConnection`. */
  readonly typeName: string;
  readonly edgeType: new () => object;
  /** Names of the fields that its edges have beside `node` and `cursor`. */
  readonly edgeFields: readonly string[];
  /** Field of the edge, and field of that, which is the node, too; undefined where the node is no part of another field. */
  readonly nodeWithin: readonly [string, string] | undefined;
  /** Greatest `first` and `last`. */
  readonly maxPageSize: number;
}

interface ConnectionOptions {
  /** Fields of the edge beside `node` and `cursor`: type and description. The rows of the list hold their values. */
  edgeFields?: Readonly<Record<string, readonly [type: () => object, description: string, options?: { null: true }]>>;
  /** Field of the edge, and field of that, which is the node, too: it is loaded once. */
  nodeWithin?: readonly [string, string];
  /** Connection whose edge type this one shares: another list of the same items. */
  edgesOf?: ConnectionType;
  /** Its cursors are keys of its items, whole numbers, and no positions: `KeysetConnection`. */
  isKeyed?: boolean;
  /** The list may be too long to count; `totalCount` is then null. */
  maxCounted?: number;
  /** Greatest `first` and `last`, with the arguments of `LongPageArgs`; 100 when absent. */
  maxPageSize?: number;
}

const types: ConnectionType[] = [];

/** All connection types that have been declared. */
export const connectionTypes: readonly ConnectionType[] = types;

/**
 * Declares the connection and the edge type of a noun: `ArticleConnection { nodes edges pageInfo totalCount }`.
 * @param items what the list holds, in the plural: «articles»
 */
export function connectionOf(
  noun: string,
  node: () => object,
  items: string,
  {
    edgeFields = {},
    nodeWithin,
    isKeyed,
    edgesOf,
    maxCounted,
    maxPageSize = maxPageSizeByDefault,
  }: ConnectionOptions = {},
): ConnectionType {
  const typeName = `${noun}Connection`;
  const Edge = edgesOf?.edgeType ?? edgeTypeOf(noun, node, items, edgeFields);

  @Extensions(
    isKeyed
      ? { cursorKey: keyOfCursors(typeName) }
      : { cursorAfter: (position: number) => encodeCursor(typeName, position) },
  )
  @ObjectType(typeName, { description: `Page of a list of ${items}.` })
  class ConnectionOfNodes {
    static readonly typeName = typeName;
    static readonly edgeType = Edge;
    static readonly nodeWithin = nodeWithin;
    static readonly maxPageSize = maxPageSize;
    static readonly edgeFields = edgesOf?.edgeFields ?? Object.keys(edgeFields);

    @Field(() => [node()] as never, { description: `The ${items} of the page.` })
    nodes!: object[];

    @Field(() => [Edge], { description: `The ${items} of the page, each with its cursor.` })
    edges!: object[];

    @Field(() => PageInfo, { description: 'Position of the page in its list.' })
    pageInfo!: PageInfo;

    @Field(() => Int, {
      nullable: maxCounted !== undefined,
      description: `Number of ${items} in the list${maxCounted === undefined ? '' : `; null above ${maxCounted.toLocaleString('en')}`}.`,
    })
    totalCount!: number | null;
  }
  types.push(ConnectionOfNodes);
  return ConnectionOfNodes;
}

const keyOfCursors = (list: string) => ({
  scalar: 'SafeInt',
  encode: (key: number) => encodeKeyCursor(list, key),
  decode: (cursor: string) => String(decodeKeyCursor(cursor, list)),
});

function edgeTypeOf(
  noun: string,
  node: () => object,
  items: string,
  fields: NonNullable<ConnectionOptions['edgeFields']>,
): new () => object {
  @ObjectType(`${noun}Edge`, { description: `Item of a list of ${items}.`, simpleResolvers: true })
  class Edge {
    @Field(() => node() as never, { description: `One of the ${items}.` })
    node!: object;

    @Field(() => String, { description: 'Cursor of the item, for `after` and `before`.' })
    cursor!: string;
  }
  for (const [field, [type, description, options]] of Object.entries(fields)) {
    Field(type as never, { description, nullable: options?.null ?? false })(Edge.prototype, field);
  }
  return Edge;
}

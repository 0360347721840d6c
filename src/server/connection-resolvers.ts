import type { GraphQLResolveInfo } from 'graphql';
import { FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { type ConnectionType, connectionTypes } from '../../schema/vocabulary/connection.ts';
import { type Connection, uncounted } from '../db/connection.ts';

type ResolverClass = new () => object;

/** The resolvers of the fields of every connection type. */
export const connectionResolvers = (): ResolverClass[] => connectionTypes.map(connectionResolver);

function connectionResolver(type: ConnectionType): ResolverClass {
  @Resolver(() => type)
  class ConnectionFields {
    @FieldResolver()
    nodes(@Root() connection: Connection<object>, @Info() info: GraphQLResolveInfo): Promise<object[]> {
      return connection.nodes(info);
    }

    @FieldResolver()
    edges(@Root() connection: Connection<object>, @Info() info: GraphQLResolveInfo): Promise<object[]> {
      return connection.edges(info);
    }

    @FieldResolver()
    pageInfo(@Root() connection: Connection<object>, @Info() info: GraphQLResolveInfo): Promise<object> {
      return connection.pageInfo(info);
    }

    @FieldResolver()
    async totalCount(@Root() connection: Connection<object>): Promise<number | null> {
      const total = await connection.totalCount();
      return total === uncounted ? null : total;
    }
  }
  return ConnectionFields;
}

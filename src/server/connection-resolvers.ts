import type { GraphQLResolveInfo } from 'graphql';
import { FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { type ConnectionType, connectionTypes } from '../../schema/vocabulary/connection.ts';
import { type Connection, uncounted } from '../db/connection.ts';
import type { KeysetConnection } from '../db/keyset-connection.ts';

type ResolverClass = new () => object;
type AnyConnection = Connection<object> | KeysetConnection<object>;

/** The resolvers of the fields of every connection type. */
export const connectionResolvers = (): ResolverClass[] => connectionTypes.map(connectionResolver);

function connectionResolver(type: ConnectionType): ResolverClass {
  @Resolver(() => type)
  class ConnectionFields {
    @FieldResolver()
    nodes(@Root() connection: AnyConnection, @Info() info: GraphQLResolveInfo): Promise<object[]> {
      return connection.nodes(info);
    }

    @FieldResolver()
    edges(@Root() connection: AnyConnection, @Info() info: GraphQLResolveInfo): Promise<object[]> {
      return connection.edges(info);
    }

    @FieldResolver()
    pageInfo(@Root() connection: AnyConnection, @Info() info: GraphQLResolveInfo): Promise<object> {
      return connection.pageInfo(info);
    }

    @FieldResolver()
    async totalCount(@Root() connection: AnyConnection): Promise<number | null> {
      const total = await connection.totalCount();
      return total === uncounted ? null : total;
    }
  }
  return ConnectionFields;
}

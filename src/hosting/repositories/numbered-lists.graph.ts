import { type RawBuilder, sql } from 'kysely';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import {
  AccountConnection,
  maxNumbered,
  NumberedOrganizationConnection,
  PublicRepositoryConnection,
} from '../../../schema/hosting/numbered-lists.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs, type ConnectionType } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { uncounted } from '../../db/connection.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import type { Selection } from '../../db/selection.ts';
import { type AccountRow, accountSelectList } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoryJoins, repositorySelectList } from './repositories.queries.ts';

/** Rows of one table, in the order of their numbers. */
interface NumberedList {
  /** FROM clause. */
  from: RawBuilder<unknown>;
  /** SQL: the number. */
  number: RawBuilder<unknown>;
  condition: RawBuilder<unknown>;
  columns(wanted: Selection): RawBuilder<unknown>;
}

function numberedList<Row extends { databaseId: number }>(
  { read }: Context,
  type: ConnectionType,
  { from, number, condition, columns }: NumberedList,
  args: ConnectionArgs,
): KeysetConnection<Row> {
  const slice = keysetSliceOf(args, type);
  const { limit, after, before, isBackward } = slice;
  const source = {
    rows: ({ wanted }: { wanted: Selection }): Promise<Row[]> =>
      read(sql<Row>`select ${columns(wanted)} from ${from} where ${condition} and ${number} > ${after ?? 0}
        ${before === null ? sql`` : sql`and ${number} < ${before}`}
        order by ${number} ${sql.raw(isBackward ? 'desc' : 'asc')} limit ${limit + 1}`),
    async total(): Promise<number> {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total
        from (select 1 from ${from} where ${condition} limit ${maxNumbered + 1}) as counted`);
      const total = found?.total ?? 0;
      return total > maxNumbered ? uncounted : total;
    },
  };
  return new KeysetConnection(type, source, slice, ({ databaseId }) => databaseId);
}

/** Lists of everything by number. Who reads them to the end finds what is added meanwhile, and a page costs the same wherever it is. */
@Resolver()
export class NumberedLists {
  @Access('public')
  @Cost(10)
  @Query(() => PublicRepositoryConnection, { nullable: true, description: 'Public repositories by number.' })
  publicRepositories(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): KeysetConnection<OwnedRow> {
    const list = {
      from: repositoryJoins,
      number: sql.raw('r.id'),
      condition: sql`not r.is_private`,
      columns: (wanted: Selection) => repositorySelectList(wanted, context),
    };
    return numberedList(context, PublicRepositoryConnection, list, args);
  }

  @Access('public')
  @Cost(5)
  @Query(() => AccountConnection, { nullable: true, description: 'Users and organizations by number.' })
  accounts(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): KeysetConnection<AccountRow> {
    return numberedList(context, AccountConnection, accountList(context, sql`a.kind <> 'bot'`), args);
  }

  @Access('public')
  @Cost(5)
  @Query(() => NumberedOrganizationConnection, { nullable: true, description: 'Organizations by number.' })
  organizations(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): KeysetConnection<AccountRow> {
    const list = accountList(context, sql`a.kind = 'organization'`);
    return numberedList(context, NumberedOrganizationConnection, list, args);
  }
}

const accountList = (context: Context, condition: RawBuilder<unknown>): NumberedList => ({
  from: sql.raw('account a'),
  number: sql.raw('a.id'),
  condition,
  columns: wanted => accountSelectList(wanted, context),
});

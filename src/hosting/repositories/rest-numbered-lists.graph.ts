import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { sql } from 'kysely';
import { Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from 'type-graphql';
import {
  AccountsByNumber,
  OrganizationsByNumber,
  RepositoriesByNumber,
} from '../../../schema/hosting/numbered-lists.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { selectionBelow } from '../../db/selection.ts';
import { type AccountRow, accountSelectList } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoryJoins, repositorySelectList } from './repositories.queries.ts';

const maxPage = 100;

@ArgsType()
class NumberedArgs {
  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Number after which the page starts; 0 by default.' })
  since?: number | null;
  @Field(() => Int, { nullable: true, description: 'Length of the page, 1 to 100; 100 by default.' })
  first?: number | null;
}

interface Numbered<Row> {
  nodes: Row[];
  nextCursor: string | null;
  previousCursor: null;
}

const pageSize = ({ first }: NumberedArgs): number => Math.min(Math.max(first ?? maxPage, 1), maxPage);

/** The page of one row more than it has. */
function pageOf<Row extends { databaseId: number }>(rows: readonly Row[], size: number): Numbered<Row> {
  const nodes = rows.slice(0, size);
  const last = nodes.at(-1);
  return { nodes, nextCursor: rows.length > size && last ? String(last.databaseId) : null, previousCursor: null };
}

async function accountsAfter(
  context: Context,
  args: NumberedArgs,
  info: GraphQLResolveInfo,
  kind?: AccountRow['kind'],
): Promise<Numbered<AccountRow>> {
  const rows = await context.read(sql<AccountRow>`select ${accountSelectList(selectionBelow(info, 'nodes'), context)}
    from account a where a.id > ${args.since ?? 0} and ${kind === undefined ? sql`a.kind <> 'bot'` : sql`a.kind = ${kind}`}
    order by a.id limit ${pageSize(args) + 1}`);
  return pageOf(rows, pageSize(args));
}

/** Lists of everything by number, for the REST contract. */
@Resolver()
export class RestNumberedLists {
  @RestOnly()
  @Access('public')
  @Cost(10)
  @Query(() => RepositoriesByNumber, { description: 'Public repositories by number.' })
  async publicRepositories(
    @Args(() => NumberedArgs) args: NumberedArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Numbered<OwnedRow>> {
    const rows = await context.read(sql<OwnedRow>`
      select ${repositorySelectList(selectionBelow(info, 'nodes'), context)} from ${repositoryJoins}
      where r.id > ${args.since ?? 0} and not r.is_private order by r.id limit ${pageSize(args) + 1}`);
    return pageOf(rows, pageSize(args));
  }

  @RestOnly()
  @Access('public')
  @Cost(10)
  @Query(() => AccountsByNumber, { description: 'Users and organizations by number.' })
  allAccounts(
    @Args(() => NumberedArgs) args: NumberedArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Numbered<AccountRow>> {
    return accountsAfter(context, args, info);
  }

  @RestOnly()
  @Access('public')
  @Cost(10)
  @Query(() => OrganizationsByNumber, { description: 'Organizations by number.' })
  allOrganizations(
    @Args(() => NumberedArgs) args: NumberedArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Numbered<AccountRow>> {
    return accountsAfter(context, args, info, 'organization');
  }
}

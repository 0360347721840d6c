import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { contentsColumn } from './contents-column.ts';
import { findRenamed, ownedByFormerName, ownedByName } from './find-by-name.queries.ts';
import { type OwnedRow, repositoryWith } from './repositories.queries.ts';
import { RepositoryArgs } from './repository-args.ts';

const followRenames = {
  nullable: true,
  defaultValue: true,
  description: 'Whether a former name finds the repository.',
} as const;

@ArgsType()
class FindRepositoryArgs extends RepositoryArgs {
  @Field(() => Boolean, followRenames) followRenames?: boolean | null;
}

@Resolver()
export class RepositoryRoots {
  @Access('metadata:read')
  @Query(() => Repository, {
    nullable: true,
    description:
      'Repository; null when there is none that you can see. A scope that reaches its hooks finds it where nothing else is selected.',
  })
  async repository(
    @Args(() => FindRepositoryArgs) { owner, name, followRenames }: FindRepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    const wanted = selectionOf(info);
    const contents = contentsColumn(context.actor, info);
    const found = await repositoryWith(context, { owner, name }, wanted, contents?.column);
    if (found && contents) Object.assign(found, contents.read(found.extraColumn));
    return found ?? (followRenames === true ? findRenamed(context, { owner, name }, wanted) : null);
  }
}

@Resolver(() => Account)
export class OwnerRepository {
  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Repository of the account; null when there is none that you can see.',
  })
  async repository(
    @Root() { databaseId }: AccountRow,
    @Arg('name', () => String, { description: 'Name of the repository, case-insensitive.' }) name: string,
    @Arg('followRenames', () => Boolean, followRenames) follows: boolean | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    const wanted = selectionOf(info);
    const key = `${databaseId}/${name}`;
    const found = await context.load(ownedByName, wanted).load(key);
    return found ?? (follows === true ? context.load(ownedByFormerName, wanted).load(key) : null);
  }
}

import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, Info, Mutation, Resolver } from 'type-graphql';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { requireRepository } from '../repositories/repository-mutations.graph.ts';
import { transferRepository } from './transfer-repository.ts';

@ArgsType()
class TransferArgs extends RepositoryArgs {
  @Field(() => String, { description: 'Login of the new owner, a user or an organization.' }) newOwner!: string;
  @optionalField(() => String, 'Name under the new owner; the present one by default.') newName?: string | null;
}

/** Transfers with the names and parameters of REST. */
@Resolver()
export class RestTransferRoots {
  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Transfers a repository, or offers it to its new owner.' })
  async restTransferRepository(
    @Args(() => TransferArgs) { owner, name, newOwner, newName }: TransferArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const account = await accountByLogin(context, newOwner, noSelection);
    if (!account) throw notFound();
    const transfer = { newOwnerId: account.databaseId, newName: newName ?? null };
    const id = await transferRepository(context, { owner, name }, transfer);
    return requireRepository(context, id, selectionOf(info));
  }
}

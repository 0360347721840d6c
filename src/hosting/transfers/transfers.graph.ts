import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryTransfer, RepositoryTransferConnection } from '../../../schema/hosting/repository-transfer.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import { type OwnedRow, repositoriesByIds, repositoryFor } from '../repositories/repositories.queries.ts';
import { requireRepository } from '../repositories/repository-mutations.graph.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { acceptTransfer, cancelTransfer, declineTransfer } from './answer-transfer.ts';
import { transferRepository } from './transfer-repository.ts';
import { type TransferRow, transfersByRepositories, transfersTo } from './transfers.queries.ts';

@InputType({ description: 'Input of `transferRepository`.' })
class TransferRepositoryInput {
  @Field(() => ID, { description: 'Repository that you administer.' }) repositoryId!: string;
  @Field(() => ID, { description: 'New owner, a user or an organization.' }) newOwnerId!: string;
  @optionalField(() => String, 'Name under the new owner; the present one when absent.') newName?: string | null;
}

@InputType({ description: 'Input of `cancelRepositoryTransfer`.' })
class CancelRepositoryTransferInput {
  @Field(() => ID, { description: 'Repository that was offered.' }) repositoryId!: string;
}

@InputType({ description: 'Input of `acceptRepositoryTransfer`.' })
class AcceptRepositoryTransferInput {
  @Field(() => ID, { description: 'Offer to you.' }) transferId!: string;
}

@InputType({ description: 'Input of `declineRepositoryTransfer`.' })
class DeclineRepositoryTransferInput {
  @Field(() => ID, { description: 'Offer to you.' }) transferId!: string;
}

const TransferRepositoryPayload = payloadOf('transferRepository', {
  repository: [() => Repository, 'Repository, under its new owner if it was transferred at once.'],
  transfer: [() => RepositoryTransfer, 'Offer that the new owner answers; null if it was transferred at once.'],
});
const CancelRepositoryTransferPayload = payloadOf('cancelRepositoryTransfer', {
  repository: [() => Repository, 'Repository that is no longer offered.'],
});
const AcceptRepositoryTransferPayload = payloadOf('acceptRepositoryTransfer', {
  repository: [() => Repository, 'Repository that you own.'],
});
const DeclineRepositoryTransferPayload = payloadOf('declineRepositoryTransfer', {
  deletedId: [() => ID, 'Global id of the offer.'],
});

const transferNumber = ({ transferId }: { transferId: string }): number =>
  numberOfId('RepositoryTransfer', transferId, 'transferId');

@Resolver()
export class TransferMutations {
  @Access('administration:write')
  @Mutation(() => TransferRepositoryPayload, {
    nullable: true,
    description:
      'Transfers a repository: at once to you, or to an organization in which you may create repositories. Another user gets an offer for one day.',
  })
  async transferRepository(
    @InputArg(() => TransferRepositoryInput) { repositoryId, newOwnerId, newName }: TransferRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow; transfer: TransferRow | null }> {
    const id = await transferRepository(context, addressOfId(repositoryId, 'repositoryId'), {
      newOwnerId: await accountNumber(context, 'RepositoryOwner', newOwnerId, 'newOwnerId'),
      newName: newName ?? null,
    });
    const wanted = selectionOf(info).get('transfer');
    const [transfer = null] = wanted ? await transfersByRepositories(context, [id], wanted) : [];
    return { repository: await requireRepository(context, id, selectionBelow(info, 'repository')), transfer };
  }

  @Access('administration:write')
  @Mutation(() => CancelRepositoryTransferPayload, {
    nullable: true,
    description: 'Withdraws the offer of a repository that you administer.',
  })
  async cancelRepositoryTransfer(
    @InputArg(() => CancelRepositoryTransferInput) { repositoryId }: CancelRepositoryTransferInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow }> {
    const address = addressOfId(repositoryId, 'repositoryId');
    const found = await repositoryFor(context, address, 'administration:write', selectionBelow(info, 'repository'));
    if (!found) throw notFound();
    await cancelTransfer(context, found.databaseId);
    return { repository: found };
  }

  @Access('administration:write')
  @Mutation(() => AcceptRepositoryTransferPayload, { nullable: true, description: 'Accepts a repository.' })
  async acceptRepositoryTransfer(
    @InputArg(() => AcceptRepositoryTransferInput) input: AcceptRepositoryTransferInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow }> {
    const id = await acceptTransfer(context, transferNumber(input));
    return { repository: await requireRepository(context, id, selectionBelow(info, 'repository')) };
  }

  @Access('administration:write')
  @Mutation(() => DeclineRepositoryTransferPayload, { nullable: true, description: 'Declines a repository.' })
  async declineRepositoryTransfer(
    @InputArg(() => DeclineRepositoryTransferInput) input: DeclineRepositoryTransferInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await declineTransfer(context, transferNumber(input));
    return { deletedId: input.transferId };
  }
}

@Resolver(() => RepositoryTransfer)
export class TransferFields {
  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Repository; null while you cannot see it, because it is private.',
  })
  repository(
    @Root() { repositoryId }: TransferRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(repositoryId);
  }

  @FieldResolver(() => User)
  newOwner(
    @Root() { newOwnerId }: TransferRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(newOwnerId);
  }

  @FieldResolver(() => User, { nullable: true, description: 'User who made the offer; null for an app.' })
  requester(
    @Root() { requesterId }: TransferRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return requesterId === null ? null : context.load(accountsByIds, selectionOf(info)).load(requesterId);
  }
}

@Resolver(() => User)
export class UserTransfers {
  @Access('profile:read')
  @FieldResolver(() => RepositoryTransferConnection, {
    nullable: true,
    description: 'Repositories that the user may accept, oldest offer first; null unless the user is you.',
  })
  repositoryTransfers(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<TransferRow> | null {
    if (!isCaller(context.actor, databaseId)) return null;
    const list = batchedList(context, 'User.repositoryTransfers', {}, databaseId, transfersTo(context));
    return new Connection(RepositoryTransferConnection, list, args);
  }
}

@Resolver(() => Repository)
export class RepositoryTransfers {
  @Cost(2)
  @FieldResolver(() => RepositoryTransfer, {
    nullable: true,
    description: 'Offer of the repository to a user; null for none, or unless you got it or administer the repository.',
  })
  transfer(
    @Root() { databaseId }: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<TransferRow | null> {
    return context.load(transfersByRepositories, selectionOf(info)).load(databaseId);
  }
}

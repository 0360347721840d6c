import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryInfo } from '../../../schema/hosting/repository-info.ts';
import {
  InvitedRepository,
  RepositoryInvitation,
  RepositoryInvitationConnection,
} from '../../../schema/hosting/repository-invitation.ts';
import { RepositoryName } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import {
  mayReadField,
  type OwnedRow,
  type RepositoryAddress,
  repositoryFor,
} from '../repositories/repositories.queries.ts';
import { requireRepository } from '../repositories/repository-mutations.graph.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { acceptRepositoryInvitation, declineRepositoryInvitation } from './answer-repository-invitation.ts';
import { changeRepositoryInvitation, deleteRepositoryInvitation } from './change-repository-invitation.ts';
import {
  ownInvitationTo,
  type RepositoryInvitationRow,
  repositoriesOfInvitations,
  repositoryInvitationsByIds,
  repositoryInvitationsOf,
} from './repository-invitations.queries.ts';

const invitationId = (description: string) => Field(() => ID, { description });

@InputType({ description: 'Input of `acceptRepositoryInvitation`.' })
class AcceptRepositoryInvitationInput {
  @invitationId('Invitation of yours to accept.') invitationId!: string;
}

@InputType({ description: 'Input of `declineRepositoryInvitation`.' })
class DeclineRepositoryInvitationInput {
  @invitationId('Invitation of yours to decline.') invitationId!: string;
}

@InputType({ description: 'Input of `updateRepositoryInvitation`.' })
class UpdateRepositoryInvitationInput {
  @invitationId('Invitation to change.') invitationId!: string;
  @optionalField(() => RepositoryPermission, 'Permission to offer; unchanged by default.')
  permission?: RepositoryPermission | null;
  @optionalField(() => ID, 'Repository that the invitation has to be to.') repositoryId?: string | null;
}

@InputType({ description: 'Input of `deleteRepositoryInvitation`.' })
class DeleteRepositoryInvitationInput {
  @invitationId('Invitation to withdraw.') invitationId!: string;
  @optionalField(() => ID, 'Repository that the invitation has to be to.') repositoryId?: string | null;
}

const deleted = { deletedId: [() => ID, 'Global id of the deleted invitation.'] } as const;
const AcceptRepositoryInvitationPayload = payloadOf('acceptRepositoryInvitation', {
  repository: [() => Repository, 'Repository that you are a collaborator of now.'],
});
const DeclineRepositoryInvitationPayload = payloadOf('declineRepositoryInvitation', deleted);
const UpdateRepositoryInvitationPayload = payloadOf('updateRepositoryInvitation', {
  invitation: [() => RepositoryInvitation, 'Invitation with the permission that it offers now.'],
});
const DeleteRepositoryInvitationPayload = payloadOf('deleteRepositoryInvitation', deleted);

@Resolver()
export class RepositoryInvitationRoots {
  @Access('metadata:read')
  @Query(() => RepositoryInvitation, {
    nullable: true,
    description: 'Your invitation to a repository that you need not see; null for none, and unless you are a user.',
  })
  viewerRepositoryInvitation(
    @Arg('repository', () => RepositoryName, { description: 'Owner and name of the repository that invites you.' })
    repository: RepositoryName,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryInvitationRow | null> {
    return ownInvitationTo(context, repository, selectionOf(info));
  }
}

@Resolver()
export class RepositoryInvitationMutations {
  @Access('invitations:write')
  @Mutation(() => AcceptRepositoryInvitationPayload, {
    nullable: true,
    description: 'Accepts an invitation to a repository.',
  })
  async acceptRepositoryInvitation(
    @InputArg(() => AcceptRepositoryInvitationInput) input: AcceptRepositoryInvitationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow | null }> {
    const repositoryId = await acceptRepositoryInvitation(context, invitationNumber(input.invitationId));
    const wanted = selectionOf(info).get('repository');
    return { repository: wanted ? await requireRepository(context, repositoryId, wanted) : null };
  }

  @Access('invitations:write')
  @Mutation(() => DeclineRepositoryInvitationPayload, {
    nullable: true,
    description: 'Declines an invitation to a repository.',
  })
  async declineRepositoryInvitation(
    @InputArg(() => DeclineRepositoryInvitationInput) input: DeclineRepositoryInvitationInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await declineRepositoryInvitation(context, invitationNumber(input.invitationId));
    return { deletedId: input.invitationId };
  }

  @Access('administration:write')
  @Mutation(() => UpdateRepositoryInvitationPayload, {
    nullable: true,
    description: 'Changes the permission that an invitation to a repository offers.',
  })
  async updateRepositoryInvitation(
    @InputArg(() => UpdateRepositoryInvitationInput) input: UpdateRepositoryInvitationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ invitation: RepositoryInvitationRow | null }> {
    const address = await administeredInvitation(context, input);
    if (input.permission != null) await changeRepositoryInvitation(context, address, input.permission);
    const wanted = selectionBelow(info, 'invitation');
    const [found] = await repositoryInvitationsByIds(context, [address.id], wanted);
    // Nothing has looked for it there if nothing was changed.
    return { invitation: found?.repositoryId === address.repositoryId ? found : null };
  }

  @Access('administration:write')
  @Mutation(() => DeleteRepositoryInvitationPayload, {
    nullable: true,
    description: 'Withdraws an invitation to a repository.',
  })
  async deleteRepositoryInvitation(
    @InputArg(() => DeleteRepositoryInvitationInput) input: DeleteRepositoryInvitationInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await deleteRepositoryInvitation(context, await administeredInvitation(context, input));
    return { deletedId: input.invitationId };
  }
}

const invitationNumber = (id: string): number => numberOfId('RepositoryInvitation', id, 'invitationId');

/**
 * Number of an invitation and of the repository: the one that is given, and whether the invitation is to it is for the write to find out.
 * @throws 404 and 403 as the repository's administration; 404 for an unknown invitation
 */
async function administeredInvitation(
  context: Context,
  { invitationId, repositoryId }: DeleteRepositoryInvitationInput,
): Promise<{ repositoryId: number; id: number }> {
  const id = invitationNumber(invitationId);
  const address = repositoryId == null ? await addressOf(context, id) : addressOfId(repositoryId, 'repositoryId');
  const found = address && (await repositoryFor(context, address, 'administration:write'));
  if (!found) throw notFound();
  return { repositoryId: found.databaseId, id };
}

async function addressOf(context: Context, id: number): Promise<RepositoryAddress | undefined> {
  const [invitation] = await repositoryInvitationsByIds(context, [id], noSelection);
  return invitation ? { id: invitation.repositoryId } : undefined;
}

@Resolver(() => RepositoryInvitation)
export class RepositoryInvitationFields {
  @FieldResolver(() => User, { nullable: true, description: 'User who is invited.' })
  invitee(
    @Root() { accountId }: RepositoryInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(accountId);
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'User who sent the invitation; null for an app that no user authorized.',
  })
  async inviter(
    @Root() { inviterId }: RepositoryInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return inviterId === null ? null : context.load(accountsByIds, selectionOf(info)).load(inviterId);
  }

  @FieldResolver(() => RepositoryInfo, {
    nullable: true,
    description: 'Repository, private ones included; null if it is neither yours to see nor to join.',
  })
  async repository(
    @Root() { repositoryId }: RepositoryInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object | null> {
    const found = await context.load(repositoriesOfInvitations, selectionOf(info)).load(repositoryId);
    return found && { ...found, __typename: InvitedRepository.name };
  }

  @FieldResolver(() => Uri, { description: 'URL of the page of the invitation.' })
  permalink(@Root() { nameWithOwner }: RepositoryInvitationRow, @Ctx() { origin }: Context): string {
    return `${origin}/${nameWithOwner}/invitations`;
  }
}

@Resolver(() => Repository)
export class RepositoryInvitationLists {
  @Access('administration:read')
  @FieldResolver(() => RepositoryInvitationConnection, {
    nullable: true,
    description: 'Invitations to the repository, oldest first; null unless you administer it.',
  })
  invitations(
    @Root() row: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<RepositoryInvitationRow> | null {
    return mayReadField(context, row, 'invitations')
      ? invitationsOf(context, 'repository', row.databaseId, args)
      : null;
  }
}

@Resolver(() => User)
export class UserRepositoryInvitations {
  @Access('invitations:read')
  @FieldResolver(() => RepositoryInvitationConnection, {
    nullable: true,
    description: 'Invitations to repositories, oldest first; null unless you are the user.',
  })
  repositoryInvitations(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<RepositoryInvitationRow> | null {
    return isCaller(context.actor, databaseId) ? invitationsOf(context, 'account', databaseId, args) : null;
  }
}

/** Invitations to a repository, or of a user. Access is checked by the caller. */
function invitationsOf(
  context: Context,
  owner: 'repository' | 'account',
  id: number,
  args: ConnectionArgs,
): Connection<RepositoryInvitationRow> {
  const name = owner === 'repository' ? 'Repository.invitations' : 'User.repositoryInvitations';
  const list = batchedList(context, name, {}, id, repositoryInvitationsOf(context, owner));
  return new Connection(RepositoryInvitationConnection, list, args);
}

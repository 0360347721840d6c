import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryInvitation, RepositoryInvitationConnection } from '../../../schema/hosting/repository-invitation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { requireRepository } from '../repositories/repository-mutations.graph.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { administersRepository } from '../rulesets/ruleset-source.ts';
import { acceptRepositoryInvitation, declineRepositoryInvitation } from './answer-repository-invitation.ts';
import { changeRepositoryInvitation, deleteRepositoryInvitation } from './change-repository-invitation.ts';
import {
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
  @Field(() => RepositoryPermission, { description: 'Permission to offer.' }) permission!: RepositoryPermission;
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
  invitation: [() => RepositoryInvitation, 'Changed invitation.'],
});
const DeleteRepositoryInvitationPayload = payloadOf('deleteRepositoryInvitation', deleted);

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
    const address = await administeredInvitation(context, input.invitationId);
    await changeRepositoryInvitation(context, address, input.permission);
    const [invitation = null] = await repositoryInvitationsByIds(
      context,
      [address.id],
      selectionBelow(info, 'invitation'),
    );
    return { invitation };
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
    const { invitationId: id, repositoryId } = input;
    const address =
      repositoryId == null
        ? await administeredInvitation(context, id)
        : await invitationIn(context, id, addressOfId(repositoryId, 'repositoryId'));
    await deleteRepositoryInvitation(context, address);
    return { deletedId: input.invitationId };
  }
}

const invitationNumber = (id: string): number => numberOfId('RepositoryInvitation', id, 'invitationId');

/** @throws 404 and 403 as the repository's administration; 404 for an unknown invitation */
async function administeredInvitation(context: Context, globalId: string) {
  const id = invitationNumber(globalId);
  const [invitation] = await repositoryInvitationsByIds(context, [id], noSelection);
  if (!invitation) throw notFound();
  return invitationIn(context, globalId, { id: invitation.repositoryId });
}

/** The same where the repository is given; whether the invitation is to it is for the write to find out. */
async function invitationIn(context: Context, globalId: string, repository: RepositoryAddress) {
  const id = invitationNumber(globalId);
  const found = await repositoryFor(context, repository, 'administration:write');
  if (!found) throw notFound();
  return { repositoryId: found.databaseId, id };
}

@Resolver(() => RepositoryInvitation)
export class RepositoryInvitationFields {
  @FieldResolver(() => User, { nullable: true, description: 'Invited user.' })
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

  @RestOnly()
  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Repository, private ones included: only for documents whose fields are fixed.',
  })
  invitedRepository(
    @Root() { repositoryId }: RepositoryInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesOfInvitations, selectionOf(info)).load(repositoryId);
  }

  @FieldResolver(() => Uri, { description: 'URL of the page of the invitation.' })
  permalink(@Root() { nameWithOwner }: RepositoryInvitationRow, @Ctx() { origin }: Context): string {
    return `${origin}/${nameWithOwner}/invitations`;
  }
}

@Resolver(() => Repository)
export class RepositoryInvitationLists {
  @Cost(2)
  @FieldResolver(() => RepositoryInvitationConnection, {
    nullable: true,
    description: 'Invitations to the repository, oldest first; null unless you administer it.',
  })
  async invitations(
    @Root() { databaseId }: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RepositoryInvitationRow> | null> {
    if (!(await administersRepository(context, databaseId))) return null;
    return invitationsTo(context, databaseId, args);
  }
}

@Resolver(() => User)
export class UserRepositoryInvitations {
  @FieldResolver(() => RepositoryInvitationConnection, {
    nullable: true,
    description: 'Invitations to repositories, oldest first; null unless you are the user and may read them.',
  })
  repositoryInvitations(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<RepositoryInvitationRow> | null {
    const { actor } = context;
    if (!isCaller(actor, databaseId) || checkHostingScope('invitations:read', actor) !== true) return null;
    return invitationsFor(context, databaseId, args);
  }
}

/** Invitations to a repository. Access is checked by the caller. */
export function invitationsTo(
  context: Context,
  repositoryId: number,
  args: ConnectionArgs,
): Connection<RepositoryInvitationRow> {
  const source = repositoryInvitationsOf(context, 'repository');
  return new Connection(
    RepositoryInvitationConnection,
    batchedList(context, 'Repository.invitations', {}, repositoryId, source),
    args,
  );
}

/** Invitations of a user. Access is checked by the caller. */
export function invitationsFor(
  context: Context,
  accountId: number,
  args: ConnectionArgs,
): Connection<RepositoryInvitationRow> {
  const source = repositoryInvitationsOf(context, 'account');
  return new Connection(
    RepositoryInvitationConnection,
    batchedList(context, 'User.repositoryInvitations', {}, accountId, source),
    args,
  );
}

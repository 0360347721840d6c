import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryInvitation } from '../../../schema/hosting/repository-invitation.ts';
import { Starrable, Subscribable, SubscriptionState } from '../../../schema/hosting/starrable.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';

import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { badInput } from '../../errors/errors.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { repositoryInvitationsByIds } from '../repository-invitations/repository-invitations.queries.ts';
import type { OwnedRow } from './repositories.queries.ts';
import {
  AddStarInput,
  RemoveCollaboratorInput,
  RemoveStarInput,
  SetCollaboratorInput,
  UpdateSubscriptionInput,
} from './repository-inputs.ts';
import { requireRepository } from './repository-mutations.graph.ts';
import { addressOfId, addressOfRef } from './repository-ref.ts';
import { removeCollaborator, setCollaborator } from './set-collaborator.ts';
import { setStarred, setWatched } from './star-and-watch.ts';

const AddStarPayload = payloadOf('addStar', { starrable: [() => Starrable, 'Object that you have starred.'] });
const RemoveStarPayload = payloadOf('removeStar', { starrable: [() => Starrable, 'Object without your star.'] });
const UpdateSubscriptionPayload = payloadOf('updateSubscription', {
  subscribable: [() => Subscribable, 'Object of the subscription.'],
});
const SetCollaboratorPayload = payloadOf('setCollaborator', {
  repository: [() => Repository, 'Repository that the user has, or is offered, the permission in.'],
  user: [() => User, 'Collaborator, or the invited user.'],
  permission: [() => RepositoryPermission, 'Permission that the user was given, or that the invitation offers.'],
  invitation: [() => RepositoryInvitation, 'Invitation; null where the user has the permission at once.'],
});
const RemoveCollaboratorPayload = payloadOf('removeCollaborator', {
  repository: [() => Repository, 'Repository without the collaborator.'],
  user: [() => User, 'User who is no collaborator any more.'],
});

/** A row as a value of an interface. */
type NodeRow = OwnedRow & { __typename: 'Repository' };

interface CollaboratorPayload {
  repository: OwnedRow | null;
  user: AccountRow | null;
}

@Resolver()
export class RepositoryPeopleMutations {
  @Access('starring:write')
  @Mutation(() => AddStarPayload, { nullable: true, description: 'Stars a repository.' })
  async addStar(
    @InputArg(() => AddStarInput) { starrableId }: AddStarInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ starrable: NodeRow | null }> {
    const { databaseId } = await setStarred(context, addressOfId(starrableId, 'starrableId'), true);
    return { starrable: await readNode(context, databaseId, info, 'starrable') };
  }

  @Access('starring:write')
  @Mutation(() => RemoveStarPayload, { nullable: true, description: 'Unstars a repository.' })
  async removeStar(
    @InputArg(() => RemoveStarInput) { starrableId }: RemoveStarInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ starrable: NodeRow | null }> {
    const { databaseId } = await setStarred(context, addressOfId(starrableId, 'starrableId'), false);
    return { starrable: await readNode(context, databaseId, info, 'starrable') };
  }

  @Access('watching:write')
  @Mutation(() => UpdateSubscriptionPayload, {
    nullable: true,
    description: 'Watches a repository, or watches it no longer.',
  })
  async updateSubscription(
    @InputArg(() => UpdateSubscriptionInput) { subscribableId, state }: UpdateSubscriptionInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ subscribable: NodeRow | null }> {
    if (state === SubscriptionState.IGNORED) {
      throw badInput('state must be SUBSCRIBED or UNSUBSCRIBED: IGNORED is not offered.', 'state');
    }
    const address = addressOfId(subscribableId, 'subscribableId');
    const { databaseId } = await setWatched(context, address, state === SubscriptionState.SUBSCRIBED);
    return { subscribable: await readNode(context, databaseId, info, 'subscribable') };
  }

  @Access('administration:write')
  @Mutation(() => SetCollaboratorPayload, {
    nullable: true,
    description:
      'Changes the permission of a collaborator, or adds one. Users outside the owning organization are invited.',
  })
  async setCollaborator(
    @InputArg(() => SetCollaboratorInput) { repository, userId, permission }: SetCollaboratorInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CollaboratorPayload & { permission: RepositoryPermission; invitation: object | null }> {
    const user = await accountNumber(context, 'User', userId, 'userId');
    const wanted = { userId: user, role: permission };
    const { repositoryId, invitationId } = await setCollaborator(context, addressOfRef(repository), wanted);
    const invitation =
      invitationId === null
        ? null
        : await context.load(repositoryInvitationsByIds, selectionBelow(info, 'invitation')).load(invitationId);
    return { ...(await readPair(context, repositoryId, user, info)), permission, invitation };
  }

  @Access('administration:write')
  @Mutation(() => RemoveCollaboratorPayload, {
    nullable: true,
    description: 'Removes a collaborator from a repository.',
  })
  async removeCollaborator(
    @InputArg(() => RemoveCollaboratorInput) { repository, userId }: RemoveCollaboratorInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CollaboratorPayload> {
    const user = await accountNumber(context, 'User', userId, 'userId');
    const id = await removeCollaborator(context, addressOfRef(repository), user);
    return readPair(context, id, user, info);
  }
}

/** Reads the repository only if the answer has it. */
async function readNode(
  context: Context,
  id: number,
  info: GraphQLResolveInfo,
  field: string,
): Promise<NodeRow | null> {
  const wanted = selectionOf(info).get(field);
  return wanted ? { ...(await requireRepository(context, id, wanted)), __typename: 'Repository' } : null;
}

/** Reads what the answer has of both. */
async function readPair(
  context: Context,
  repositoryId: number,
  userId: number,
  info: GraphQLResolveInfo,
): Promise<CollaboratorPayload> {
  const wanted = selectionOf(info);
  const [ofRepository, ofUser] = [wanted.get('repository'), wanted.get('user')];
  const [repository, user] = await Promise.all([
    ofRepository ? requireRepository(context, repositoryId, ofRepository) : null,
    ofUser ? context.load(accountsByIds, ofUser).load(userId) : null,
  ]);
  return { repository, user };
}

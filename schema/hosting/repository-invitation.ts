import { ObjectType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { RepositoryPermission } from './collaborator.ts';
import { Repository } from './repository.ts';
import { RepositoryInfo } from './repository-info.ts';

@Noun('repository_invitation', 'Invitation of a user to a repository. It grants no access until the user accepts it.')
@Index<RepositoryInvitation>('repository_invitation_by_account', ['accountId', 'id'])
@Index<RepositoryInvitation>('repository_invitation_by_inviter', ['inviterId'], {
  where: c => `${c.inviterId} is not null`,
})
@Index<RepositoryInvitation>('repository_invitation_in_order', ['repositoryId', 'id'])
@Index<RepositoryInvitation>('repository_invitation_once', ['repositoryId', 'accountId'], { unique: true })
@Retained<RepositoryInvitation>({ rows: 'until the invitation is answered: one for each person of a repository' })
export class RepositoryInvitation {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  /** The invited user. */
  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Choice(() => RepositoryPermission, { hidden: true })
  role!: RepositoryPermission;

  /** Null for an invitation by an app that no user authorized. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  inviterId!: number | null;

  @Moment({ about: 'Time of the invitation; of the last one if it was repeated.' })
  createdAt!: string;

  @Computed(() => RepositoryPermission, 'Permission that the user gets by accepting.')
  permission!: RepositoryPermission;

  @Computed(() => Boolean, 'Whether it can no longer be accepted: 7 days have passed since `createdAt`.')
  isExpired!: boolean;

  @Computed(() => String, 'Owner and name of the repository, `owner/name`.')
  nameWithOwner!: string;

  @Computed(() => Uri, 'URL of the page of the invitation.')
  permalink!: string;
}

export const RepositoryInvitationConnection = connectionOf(
  'RepositoryInvitation',
  () => RepositoryInvitation,
  'invitations',
);

/**
 * Another type than `Repository`, whose fields lead into it: an invited user gets to know of a private repository, and reads it only
 * as a collaborator.
 */
@ObjectType({
  implements: RepositoryInfo,
  description: 'Repository as its invitations describe it, to users who cannot read it yet as well.',
  simpleResolvers: true,
})
export class InvitedRepository {}

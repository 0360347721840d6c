import { Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account, User } from './account.ts';
import { Repository } from './repository.ts';

@Noun('repository_transfer', 'Offer of a repository to a user, who accepts or declines it.')
@Index<RepositoryTransfer>('repository_transfer_of_repository', ['repositoryId'], { unique: true })
@Index<RepositoryTransfer>('repository_transfer_by_receiver', ['newOwnerId', 'id'])
@Index<RepositoryTransfer>('repository_transfer_by_requester', ['requesterId'], {
  where: c => `${c.requesterId} is not null`,
})
@Retained<RepositoryTransfer>({ rows: 'until the offer is answered: one for each repository' })
export class RepositoryTransfer {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  newOwnerId!: number;

  /** Null for an offer by an app. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  requesterId!: number | null;

  @Text({ about: 'Name that the repository gets; null for its present one.', null: true })
  newName!: string | null;

  @Moment({ about: 'Time of the offer.' })
  requestedAt!: string;

  @Moment({ about: 'Time from which it can no longer be accepted.' })
  expiresAt!: string;

  @Computed(() => String, 'Login of the present owner, a slash, and the name of the repository.')
  nameWithOwner!: string;

  @Computed(() => User, 'User who is to own the repository.')
  newOwner!: unknown;
}

export const RepositoryTransferConnection = connectionOf(
  'RepositoryTransfer',
  () => RepositoryTransfer,
  'transfers of repositories',
);

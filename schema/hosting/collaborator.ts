import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account, User } from './account.ts';
import { Repository } from './repository.ts';

/** Ascending; each role includes those before it. */
export const RepositoryRole = {
  READ: 'read',
  TRIAGE: 'triage',
  WRITE: 'write',
  MAINTAIN: 'maintain',
  ADMIN: 'admin',
} as const;
export type RepositoryRole = (typeof RepositoryRole)[keyof typeof RepositoryRole];
registerEnumType(RepositoryRole, {
  name: 'RepositoryRole',
  description: 'Role in a repository; each role includes those before it.',
});

@Noun('collaborator', 'Collaborator of a repository.')
@Index<Collaborator>('collaborator_by_account', ['accountId', 'repositoryId'])
export class Collaborator {
  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Choice(() => RepositoryRole, { about: 'Role of the user.' })
  role!: RepositoryRole;

  @Moment({ about: 'Time of creation.' })
  since!: string;

  @Computed(() => User, 'User.')
  user!: unknown;
}

import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

/** From the least to the most; each includes those before it. */
export const RepositoryRole = {
  READ: 'read',
  TRIAGE: 'triage',
  WRITE: 'write',
  MAINTAIN: 'maintain',
  ADMIN: 'admin',
} as const;
registerEnumType(RepositoryRole, {
  name: 'RepositoryRole',
  description: 'What somebody may do in a repository; each role includes those before it.',
});

@Noun('collaborator', 'That a user has been let into a repository.')
export class Collaborator {
  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repository!: Repository;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  account!: Account;

  @Choice(() => RepositoryRole, { about: 'What the user may do.' })
  role!: string;

  @Moment({ about: 'Since when.' })
  since!: Date;

  @Computed(() => Account, 'The user.')
  user!: unknown;
}

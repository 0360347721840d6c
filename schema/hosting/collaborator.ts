import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Choice, Moment, Owner } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account, User } from './account.ts';
import { Repository } from './repository.ts';

/** Ascending; each includes those before it. */
export const RepositoryPermission = {
  READ: 'read',
  TRIAGE: 'triage',
  WRITE: 'write',
  MAINTAIN: 'maintain',
  ADMIN: 'admin',
} as const;
export type RepositoryPermission = (typeof RepositoryPermission)[keyof typeof RepositoryPermission];
registerEnumType(RepositoryPermission, {
  name: 'RepositoryPermission',
  description: 'Permission in a repository; each includes those before it.',
});

export const CollaboratorAffiliation = { ALL: 'all', DIRECT: 'direct', OUTSIDE: 'outside' } as const;
export type CollaboratorAffiliation = (typeof CollaboratorAffiliation)[keyof typeof CollaboratorAffiliation];
registerEnumType(CollaboratorAffiliation, {
  name: 'CollaboratorAffiliation',
  description: 'Filter of collaborators by their relation to the owner.',
  valuesConfig: {
    ALL: { description: 'Collaborators, and the owner if it is a user.' },
    DIRECT: { description: 'Collaborators that were added to the repository.' },
    OUTSIDE: { description: 'Collaborators that are no members of the owning organization.' },
  },
});

/** Collaborator of a repository; in the graph, an edge of `Repository.collaborators`. */
@Entity({ tableName: 'collaborator' })
@Index<Collaborator>('collaborator_by_account', ['accountId', 'repositoryId'])
@Retained<Collaborator>({ rows: 'as long as the account and the repository' })
export class Collaborator {
  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Choice(() => RepositoryPermission, { hidden: true })
  role!: RepositoryPermission;

  @Moment({ hidden: true })
  since!: string;
}

export const RepositoryCollaboratorConnection = connectionOf('RepositoryCollaborator', () => User, 'collaborators', {
  edgeFields: { permission: [() => RepositoryPermission, 'Permission of the user in the repository.'] },
  nodeWithin: ['access', 'user'],
});

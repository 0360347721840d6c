import { ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { BasePermission, User } from './account.ts';
import { RepositoryPermission } from './collaborator.ts';
import { RepositoryPermissions } from './repository-info.ts';

/** Ascending; each includes those before it. */
export const RepositoryRole = { NONE: 'none', ...RepositoryPermission } as const;
export type RepositoryRole = (typeof RepositoryRole)[keyof typeof RepositoryRole];
registerEnumType(RepositoryRole, {
  name: 'RepositoryRole',
  description: 'Role of a user in a repository; each includes those before it.',
});

@ObjectType({ description: 'Access of a user to a repository.', simpleResolvers: true })
export class RepositoryAccess {
  @Computed(() => User, 'User whose access it is.')
  user!: User;

  @Computed(() => RepositoryRole, 'Role as the owner, a member, a collaborator or, in a public repository, anybody.')
  role!: RepositoryRole;

  @Computed(() => BasePermission, 'The role, with `READ` for `TRIAGE` and `WRITE` for `MAINTAIN`.')
  basePermission!: BasePermission;

  @Computed(() => RepositoryPermissions, 'Permissions that the role gives.', { null: true })
  permissions!: RepositoryPermissions | null;

  @Computed(
    () => Boolean,
    'Whether the user is the owner, a collaborator or a member with access, and not just anybody.',
  )
  isCollaborator!: boolean;
}

import { ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { User } from './account.ts';

/** Permissions as parameters of REST spell them. */
export const CollaboratorPermissionName = {
  PULL: 'read',
  TRIAGE: 'triage',
  PUSH: 'write',
  MAINTAIN: 'maintain',
  ADMIN: 'admin',
} as const;
export type CollaboratorPermissionName = (typeof CollaboratorPermissionName)[keyof typeof CollaboratorPermissionName];
registerEnumType(CollaboratorPermissionName, {
  name: 'CollaboratorPermissionName',
  description: 'Permission in a repository, as a parameter over REST.',
});

@ObjectType({ description: 'User with the permission in a repository, over REST.', simpleResolvers: true })
export class CollaboratorPermission {
  @Computed(() => User, 'User.')
  user!: User;

  @Computed(() => String, '`admin`, `write`, `read` or `none`.')
  permission!: string;

  @Computed(() => String, 'The exact permission, `triage` and `maintain` included.')
  roleName!: string;
}

import { registerEnumType } from 'type-graphql';

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

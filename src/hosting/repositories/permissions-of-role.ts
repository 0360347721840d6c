import type { RepositoryPermissions } from '../../../schema/hosting/repository-info.ts';

/** The published permissions of a role number, 0 to 5. */
export const permissionsOfRole = (role: number): RepositoryPermissions => ({
  admin: role >= 5,
  maintain: role >= 4,
  push: role >= 3,
  triage: role >= 2,
  pull: role >= 1,
});

import type { OfficialCalls, OfficialWorld } from './official-world.ts';

let made = 0;

/** Path of the protection of main in a new repository of the lab, with every part enabled. */
async function protectedBranch(world: OfficialWorld, isUnprotected = false): Promise<string> {
  const repository = `/repos/harbor-lab/protected-${++made}`;
  await world.send('POST', '/orgs/harbor-lab/repos', world.wren, { name: `protected-${made}`, auto_init: true });
  const path = `${repository}/branches/main/protection`;
  if (!isUnprotected) await world.send('PUT', path, world.wren, settings);
  return path;
}

const settings = {
  required_status_checks: { strict: true, contexts: ['build'] },
  enforce_admins: true,
  required_pull_request_reviews: { dismissal_restrictions: { users: ['juniper'], teams: [] } },
  restrictions: { users: ['juniper'], teams: [], apps: ['harbor-pilot'] },
};

const below =
  (suffix: string, body?: unknown): OfficialCalls[string] =>
  async world => ({ path: `${await protectedBranch(world)}${suffix}`, authorization: world.wren, body });

const contexts = '/required_status_checks/contexts';

export const branchProtectionCalls: OfficialCalls = {
  GetBranchProtection: below(''),
  UpdateBranchProtection: async world => ({
    path: await protectedBranch(world, true),
    authorization: world.wren,
    body: settings,
  }),
  DeleteBranchProtection: below(''),
  GetAdminBranchProtection: below('/enforce_admins'),
  SetAdminBranchProtection: below('/enforce_admins'),
  DeleteAdminBranchProtection: below('/enforce_admins'),
  GetCommitSignatureProtection: below('/required_signatures'),
  CreateCommitSignatureProtection: below('/required_signatures'),
  DeleteCommitSignatureProtection: below('/required_signatures'),
  GetPullRequestReviewProtection: below('/required_pull_request_reviews'),
  UpdatePullRequestReviewProtection: below('/required_pull_request_reviews', { dismiss_stale_reviews: true }),
  DeletePullRequestReviewProtection: below('/required_pull_request_reviews'),
  GetStatusChecksProtection: below('/required_status_checks'),
  UpdateStatusCheckProtection: below('/required_status_checks', { strict: false }),
  RemoveStatusCheckProtection: below('/required_status_checks'),
  GetAllStatusCheckContexts: below(contexts),
  AddStatusCheckContexts: below(contexts, { contexts: ['lint'] }),
  SetStatusCheckContexts: below(contexts, { contexts: ['lint'] }),
  RemoveStatusCheckContexts: below(contexts, { contexts: ['build'] }),
  GetAccessRestrictions: below('/restrictions'),
  DeleteAccessRestrictions: below('/restrictions'),
  GetUsersWithAccessToProtectedBranch: below('/restrictions/users'),
  AddUserAccessRestrictions: below('/restrictions/users', { users: ['wren'] }),
  SetUserAccessRestrictions: below('/restrictions/users', { users: ['wren'] }),
  RemoveUserAccessRestrictions: below('/restrictions/users', { users: ['juniper'] }),
  GetTeamsWithAccessToProtectedBranch: below('/restrictions/teams'),
  AddTeamAccessRestrictions: below('/restrictions/teams', { teams: [] }),
  SetTeamAccessRestrictions: below('/restrictions/teams', { teams: [] }),
  RemoveTeamAccessRestrictions: below('/restrictions/teams', { teams: ['keepers'] }),
  GetAppsWithAccessToProtectedBranch: below('/restrictions/apps'),
  AddAppAccessRestrictions: below('/restrictions/apps', { apps: ['harbor-pilot'] }),
  SetAppAccessRestrictions: below('/restrictions/apps', { apps: [] }),
  RemoveAppAccessRestrictions: below('/restrictions/apps', { apps: ['harbor-pilot'] }),
};

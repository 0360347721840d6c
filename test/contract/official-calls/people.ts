import { sql } from 'kysely';
import { asWren, type OfficialCalls, type OfficialWorld } from './official-world.ts';

const tides = '/repos/harbor-lab/tides/collaborators';

/** Invites juniper to a new repository of wren. Returns its path and the number of the invitation. */
async function invited(world: OfficialWorld): Promise<{ path: string; id: number }> {
  const path = await world.repository({ isEmpty: true });
  const { json } = await world.send('PUT', `${path}/collaborators/juniper`, world.wren, { permission: 'triage' });
  return { path, id: json.id };
}

let addresses = 0;

/** Invites an address to `harbor-lab`. Returns the number of the invitation. */
async function invitedToOrganization(world: OfficialWorld): Promise<number> {
  const email = `official-${++addresses}@example.org`;
  const { json } = await world.send('POST', '/orgs/harbor-lab/invitations', world.wren, { email });
  return json.id;
}

/** Collaborators of repositories, and members of organizations. */
export const peopleCalls: OfficialCalls = {
  ListCollaborators: asWren(tides),
  CheckCollaborator: asWren(`${tides}/linh`),
  AddCollaborator: async ({ wren }) => [
    { path: `${tides}/okello`, authorization: wren, body: { permission: 'pull' } },
    { path: `${tides}/juniper`, authorization: wren, body: { permission: 'push' } },
  ],
  ListInvitations: async world => ({ path: `${(await invited(world)).path}/invitations`, authorization: world.wren }),
  UpdateInvitation: async world => {
    const { path, id } = await invited(world);
    return { path: `${path}/invitations/${id}`, authorization: world.wren, body: { permissions: 'admin' } };
  },
  DeleteInvitation: async world => {
    const { path, id } = await invited(world);
    return { path: `${path}/invitations/${id}`, authorization: world.wren };
  },
  ListInvitationsForAuthenticatedUser: async world => {
    await invited(world);
    return { path: '/user/repository_invitations', authorization: world.juniper };
  },
  AcceptInvitationForAuthenticatedUser: async world => ({
    path: `/user/repository_invitations/${(await invited(world)).id}`,
    authorization: world.juniper,
  }),
  DeclineInvitationForAuthenticatedUser: async world => ({
    path: `/user/repository_invitations/${(await invited(world)).id}`,
    authorization: world.juniper,
  }),
  RemoveCollaborator: async world => {
    await world.send('PUT', `${tides}/tomas`, world.wren, {});
    return { path: `${tides}/tomas`, authorization: world.wren };
  },
  ListPendingInvitations: async world => {
    await invitedToOrganization(world);
    return { path: '/orgs/harbor-lab/invitations?role=direct_member', authorization: world.wren };
  },
  ListFailedInvitations: async world => {
    const id = await invitedToOrganization(world);
    await world.gateway.database.read(sql`update membership_invitation
      set invited_at = invited_at - interval '8 days' where id = ${id} returning 1`);
    return { path: '/orgs/harbor-lab/failed_invitations', authorization: world.wren };
  },
  CreateInvitation: async ({ wren, accountId }) => [
    { path: '/orgs/harbor-lab/invitations', authorization: wren, body: { email: 'new@example.org', role: 'admin' } },
    { path: '/orgs/harbor-lab/invitations', authorization: wren, body: { invitee_id: await accountId('okello') } },
  ],
  CancelInvitation: async world => ({
    path: `/orgs/harbor-lab/invitations/${await invitedToOrganization(world)}`,
    authorization: world.wren,
  }),
  ListInvitationTeams: async world => ({
    path: `/orgs/harbor-lab/invitations/${await invitedToOrganization(world)}/teams`,
    authorization: world.wren,
  }),
  ListMembers: asWren('/orgs/harbor-lab/members?role=member'),
  CheckMembershipForUser: asWren('/orgs/harbor-lab/members/juniper'),
  RemoveMember: async world => {
    await world.send('PUT', '/orgs/harbor-lab/memberships/linh', world.wren, {});
    return { path: '/orgs/harbor-lab/members/linh', authorization: world.wren };
  },
  ListPublicMembers: async world => {
    await world.send('PUT', '/orgs/harbor-lab/public_members/wren');
    return { path: '/orgs/harbor-lab/public_members' };
  },
  CheckPublicMembershipForUser: async world => {
    await world.send('PUT', '/orgs/harbor-lab/public_members/wren');
    return { path: '/orgs/harbor-lab/public_members/wren' };
  },
  SetPublicMembershipForAuthenticatedUser: asWren('/orgs/harbor-lab/public_members/wren'),
  RemovePublicMembershipForAuthenticatedUser: asWren('/orgs/northgate/public_members/wren'),
  GetMembershipForUser: asWren('/orgs/harbor-lab/memberships/juniper'),
  SetMembershipForUser: asWren('/orgs/harbor-lab/memberships/linh', { role: 'member' }),
  RemoveMembershipForUser: async world => {
    await world.send('PUT', '/orgs/harbor-lab/memberships/linh', world.wren, {});
    return { path: '/orgs/harbor-lab/memberships/linh', authorization: world.wren };
  },
  ListMembershipsForAuthenticatedUser: asWren('/user/memberships/orgs?state=active'),
  GetMembershipForAuthenticatedUser: asWren('/user/memberships/orgs/harbor-lab'),
  UpdateMembershipForAuthenticatedUser: asWren('/user/memberships/orgs/harbor-lab', { state: 'active' }),
  GetCollaboratorPermissionLevel: asWren(`${tides}/linh/permission`),
};

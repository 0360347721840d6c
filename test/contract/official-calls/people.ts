import type { OfficialCalls } from './official-world.ts';

const tides = '/repos/harbor-lab/tides/collaborators';
const at =
  (path: string, body?: unknown): OfficialCalls[string] =>
  async ({ wren }) => ({ path, authorization: wren, body });

/** Collaborators of repositories, and members of organizations. */
export const peopleCalls: OfficialCalls = {
  ListCollaborators: at(tides),
  CheckCollaborator: at(`${tides}/linh`),
  AddCollaborator: at(`${tides}/okello`, { permission: 'pull' }),
  RemoveCollaborator: async world => {
    await world.send('PUT', `${tides}/okello`, world.wren, {});
    return { path: `${tides}/okello`, authorization: world.wren };
  },
  ListMembers: at('/orgs/harbor-lab/members?role=member'),
  CheckMembershipForUser: at('/orgs/harbor-lab/members/juniper'),
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
  SetPublicMembershipForAuthenticatedUser: at('/orgs/harbor-lab/public_members/wren'),
  RemovePublicMembershipForAuthenticatedUser: at('/orgs/northgate/public_members/wren'),
  GetMembershipForUser: at('/orgs/harbor-lab/memberships/juniper'),
  SetMembershipForUser: at('/orgs/harbor-lab/memberships/linh', { role: 'member' }),
  RemoveMembershipForUser: async world => {
    await world.send('PUT', '/orgs/harbor-lab/memberships/linh', world.wren, {});
    return { path: '/orgs/harbor-lab/memberships/linh', authorization: world.wren };
  },
  ListMembershipsForAuthenticatedUser: at('/user/memberships/orgs?state=active'),
  GetMembershipForAuthenticatedUser: at('/user/memberships/orgs/harbor-lab'),
  UpdateMembershipForAuthenticatedUser: at('/user/memberships/orgs/harbor-lab', { state: 'active' }),
  GetCollaboratorPermissionLevel: at(`${tides}/linh/permission`),
};

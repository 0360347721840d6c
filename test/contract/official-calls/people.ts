import { asWren, type OfficialCalls } from './official-world.ts';

const tides = '/repos/harbor-lab/tides/collaborators';

/** Collaborators of repositories, and members of organizations. */
export const peopleCalls: OfficialCalls = {
  ListCollaborators: asWren(tides),
  CheckCollaborator: asWren(`${tides}/linh`),
  AddCollaborator: asWren(`${tides}/okello`, { permission: 'pull' }),
  RemoveCollaborator: async world => {
    await world.send('PUT', `${tides}/okello`, world.wren, {});
    return { path: `${tides}/okello`, authorization: world.wren };
  },
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

import type { OfficialCalls } from './official-world.ts';

export const accountCalls: OfficialCalls = {
  GetViewer: async ({ wren, demo }) => [
    { path: '/user', authorization: wren },
    { path: '/user', authorization: `Bearer ${demo.users.okello.fine_grained_token}` },
  ],
  GetUser: async ({ wren }) => [
    { path: '/users/wren' },
    { path: '/users/wren', authorization: wren },
    { path: '/users/harbor-lab' },
  ],
  UpdateAuthenticated: async ({ wren }) => ({ path: '/user', authorization: wren, body: { company: 'Harbor' } }),
  UpdateOrg: async ({ wren }) => ({ path: '/orgs/northgate', authorization: wren, body: { location: 'North' } }),
  GetOrg: async ({ wren, juniper }) => [
    { path: '/orgs/harbor-lab' },
    { path: '/orgs/harbor-lab', authorization: wren },
    { path: '/orgs/harbor-lab', authorization: juniper },
  ],
};

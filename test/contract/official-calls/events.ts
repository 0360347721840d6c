import type { OfficialCalls } from './official-world.ts';

export const eventCalls: OfficialCalls = {
  ListPublicEvents: async () => ({ path: '/events' }),
  ListRepoEvents: async ({ wren }) => [
    { path: '/repos/harbor-lab/compass/events', authorization: wren },
    { path: '/repos/harbor-lab/ledger/events', authorization: wren },
  ],
  ListPublicEventsForRepoNetwork: async () => ({ path: '/networks/harbor-lab/compass/events' }),
  ListPublicOrgEvents: async () => ({ path: '/orgs/harbor-lab/events' }),
  ListEventsForAuthenticatedUser: async ({ wren }) => ({ path: '/users/wren/events', authorization: wren }),
  ListOrgEventsForAuthenticatedUser: async ({ wren }) => ({
    path: '/users/wren/events/orgs/harbor-lab',
    authorization: wren,
  }),
  ListPublicEventsForUser: async () => [
    { path: '/users/wren/events/public' },
    { path: '/users/juniper/events/public' },
  ],
  ListReceivedEventsForUser: async ({ juniper }) => ({
    path: '/users/juniper/received_events',
    authorization: juniper,
  }),
  ListReceivedPublicEventsForUser: async () => ({ path: '/users/juniper/received_events/public' }),
};

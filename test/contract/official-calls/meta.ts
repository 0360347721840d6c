import type { OfficialCalls } from './official-world.ts';

export const metaCalls: OfficialCalls = {
  GetFeeds: async () => ({ path: '/feeds' }),
  SearchRepositories: async ({ wren }) => [
    { path: '/search/repositories?q=compass' },
    { path: '/search/repositories?q=user:wren&sort=stars', authorization: wren },
  ],
  SearchUsers: async () => [
    { path: '/search/users?q=wren' },
    { path: '/search/users?q=type:org&sort=followers&order=asc' },
  ],
  GetMeta: async () => ({ path: '/meta' }),
  GetZen: async () => ({ path: '/zen' }),
  GetRoot: async () => ({ path: '/' }),
  ListVersions: async () => ({ path: '/versions' }),
  GetRateLimit: async ({ wren }) => [{ path: '/rate_limit' }, { path: '/rate_limit', authorization: wren }],
};

import { asWren, type OfficialCalls, type OfficialWorld } from './official-world.ts';

const compass = 'harbor-lab/compass';
const starred = async ({ send }: OfficialWorld) => send('PUT', `/user/starred/${compass}`);
const watched = async ({ send }: OfficialWorld) => send('PUT', `/repos/${compass}/subscription`);
const followed = async ({ send }: OfficialWorld) => send('PUT', '/user/following/tomas');
const after =
  (prepare: (world: OfficialWorld) => Promise<unknown>, path: string): OfficialCalls[string] =>
  async world => {
    await prepare(world);
    return { path, authorization: world.wren };
  };

/** Stars, subscriptions, follows, and lists around accounts. */
export const attentionCalls: OfficialCalls = {
  ListFollowersForUser: asWren('/users/wren/followers'),
  ListFollowingForUser: after(followed, '/users/wren/following'),
  ListFollowersForAuthenticatedUser: asWren('/user/followers'),
  ListFollowedByAuthenticatedUser: after(followed, '/user/following'),
  CheckPersonIsFollowedByAuthenticated: after(followed, '/user/following/tomas'),
  CheckFollowingForUser: after(followed, '/users/wren/following/tomas'),
  FollowUser: asWren('/user/following/tomas'),
  UnfollowUser: asWren('/user/following/tomas'),
  ListReposStarredByUser: after(starred, '/users/wren/starred'),
  ListReposStarredByAuthenticatedUser: after(starred, '/user/starred'),
  CheckRepoIsStarredByAuthenticatedUser: after(starred, `/user/starred/${compass}`),
  StarRepoForAuthenticatedUser: asWren(`/user/starred/${compass}`),
  UnstarRepoForAuthenticatedUser: asWren(`/user/starred/${compass}`),
  ListStargazersForRepo: asWren(`/repos/${compass}/stargazers`),
  ListWatchersForRepo: after(watched, `/repos/${compass}/subscribers`),
  ListReposWatchedByUser: after(watched, '/users/wren/subscriptions'),
  ListWatchedReposForAuthenticatedUser: after(watched, '/user/subscriptions'),
  GetRepoSubscription: after(watched, `/repos/${compass}/subscription`),
  SetRepoSubscription: asWren(`/repos/${compass}/subscription`, { subscribed: true }),
  DeleteRepoSubscription: asWren(`/repos/${compass}/subscription`),
  ListOrgsForAuthenticatedUser: asWren('/user/orgs'),
  ListOrgsForUser: asWren('/users/wren/orgs'),
  ListEmailsForAuthenticatedUser: asWren('/user/emails'),
  ListPublicEmailsForAuthenticatedUser: async world => {
    await world.send('PATCH', '/user/email/visibility', world.wren, { visibility: 'public' });
    return { path: '/user/public_emails', authorization: world.wren };
  },
  SetPrimaryEmailVisibilityForAuthenticatedUser: asWren('/user/email/visibility', { visibility: 'private' }),
  AddEmailForAuthenticatedUser: asWren('/user/emails', { emails: ['added@example.org'] }),
  DeleteEmailForAuthenticatedUser: async world => {
    await world.send('POST', '/user/emails', world.wren, { emails: ['gone@example.org'] });
    return { path: '/user/emails', authorization: world.wren, body: { emails: ['gone@example.org'] } };
  },
};

import type { OfficialCalls, OfficialWorld } from './official-world.ts';

const at =
  (path: string, body?: unknown): OfficialCalls[string] =>
  async ({ wren }) => ({ path, authorization: wren, body });
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
  ListFollowersForUser: at('/users/wren/followers'),
  ListFollowingForUser: after(followed, '/users/wren/following'),
  ListFollowersForAuthenticatedUser: at('/user/followers'),
  ListFollowedByAuthenticatedUser: after(followed, '/user/following'),
  CheckPersonIsFollowedByAuthenticated: after(followed, '/user/following/tomas'),
  CheckFollowingForUser: after(followed, '/users/wren/following/tomas'),
  FollowUser: at('/user/following/tomas'),
  UnfollowUser: at('/user/following/tomas'),
  ListReposStarredByUser: after(starred, '/users/wren/starred'),
  ListReposStarredByAuthenticatedUser: after(starred, '/user/starred'),
  CheckRepoIsStarredByAuthenticatedUser: after(starred, `/user/starred/${compass}`),
  StarRepoForAuthenticatedUser: at(`/user/starred/${compass}`),
  UnstarRepoForAuthenticatedUser: at(`/user/starred/${compass}`),
  ListStargazersForRepo: at(`/repos/${compass}/stargazers`),
  ListWatchersForRepo: after(watched, `/repos/${compass}/subscribers`),
  ListReposWatchedByUser: after(watched, '/users/wren/subscriptions'),
  ListWatchedReposForAuthenticatedUser: after(watched, '/user/subscriptions'),
  GetRepoSubscription: after(watched, `/repos/${compass}/subscription`),
  SetRepoSubscription: at(`/repos/${compass}/subscription`, { subscribed: true }),
  DeleteRepoSubscription: at(`/repos/${compass}/subscription`),
  ListOrgsForAuthenticatedUser: at('/user/orgs'),
  ListOrgsForUser: at('/users/wren/orgs'),
  ListInvitations: at(`/repos/${compass}/invitations`),
  ListInvitationsForAuthenticatedUser: at('/user/repository_invitations'),
  ListEmailsForAuthenticatedUser: at('/user/emails'),
};

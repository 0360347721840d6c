import type { OfficialCalls } from './official-world.ts';

const compass = '/repos/harbor-lab/compass';
const at =
  (path: string): OfficialCalls[string] =>
  async ({ wren }) => ({ path, authorization: wren });

/** What the product does not have: empty lists. */
export const absentCalls: OfficialCalls = {
  ListIssuesForRepo: at(`${compass}/issues`),
  ListIssueCommentsForRepo: at(`${compass}/issues/comments`),
  ListIssueEventsForRepo: at(`${compass}/issues/events`),
  ListLabelsForRepo: at(`${compass}/labels`),
  ListMilestones: at(`${compass}/milestones`),
  ListAssignees: at(`${compass}/assignees`),
  ListPulls: at(`${compass}/pulls`),
  ListReleases: at(`${compass}/releases`),
  ListDeployments: at(`${compass}/deployments`),
  ListCommitCommentsForRepo: at(`${compass}/comments`),
  ListDownloads: at(`${compass}/downloads`),
  ListMerges: at(`${compass}/merges`),
  ListGitObjects: at(`${compass}/git/blobs`),
  ListCommentsForCommit: at(`${compass}/commits/main/comments`),
  ListRepoTeams: at(`${compass}/teams`),
  ListRepoNotifications: at(`${compass}/notifications`),
  ListNotifications: at('/notifications'),
  ListIssues: at('/issues'),
  ListIssuesForAuthenticatedUser: at('/user/issues'),
  ListIssuesForOrg: at('/orgs/harbor-lab/issues'),
  ListTeams: at('/orgs/harbor-lab/teams'),
  ListTeamsForAuthenticatedUser: at('/user/teams'),
  ListGistsForUser: at('/users/wren/gists'),
  ListGists: at('/gists'),
  ListPublicGists: at('/gists/public'),
  ListStarredGists: at('/gists/starred'),
  ListAuthorizations: at('/authorizations'),
  GetEmojis: at('/emojis'),
  SearchCode: at('/search/code?q=main'),
  SearchCommits: at('/search/commits?q=main'),
  SearchIssues: at('/search/issues?q=main'),
  SearchTopics: at('/search/topics?q=maps'),
  SearchLabels: at('/search/labels?q=bug&repository_id=1'),
};

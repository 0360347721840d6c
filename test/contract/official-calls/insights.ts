import type { OfficialCalls, OfficialWorld } from './official-world.ts';

const report =
  (path: string | ((userId: number) => string)): OfficialCalls[string] =>
  async ({ wren, accountId, gateway }: OfficialWorld) => {
    const below = typeof path === 'string' ? path : path(await accountId('wren'));
    const since = new Date(gateway.clock.now.getTime() - 47 * 60 * 60_000).toISOString();
    const query = new URLSearchParams({ min_timestamp: since, timestamp_increment: '1h' });
    return { path: `/orgs/harbor-lab/insights/api/${below}?${query}`, authorization: wren };
  };

export const insightCalls: OfficialCalls = {
  GetApiRouteStatsByActor: report(id => `route-stats/classic_pat/${id}`),
  GetApiSubjectStats: report('subject-stats'),
  GetApiSummaryStats: report('summary-stats'),
  GetApiSummaryStatsByActor: report(id => `summary-stats/classic_pat/${id}`),
  GetApiSummaryStatsByUser: report(id => `summary-stats/users/${id}`),
  GetApiTimeStats: report('time-stats'),
  GetApiTimeStatsByActor: report(id => `time-stats/classic_pat/${id}`),
  GetApiTimeStatsByUser: report(id => `time-stats/users/${id}`),
  GetApiUserStats: report(id => `user-stats/${id}`),
};

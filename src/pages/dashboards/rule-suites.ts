import { ProblemError } from 'operation-rest';
import type { PageInfo } from '../hosting/next-page.tsx';
import type { Dashboard, Period, Section } from './dashboard.tsx';
import type { Cell } from './data-table.tsx';

interface Outcome {
  ruleType: string;
  rulesetName: string;
  passCount: number;
  failCount: number;
  bypassCount: number;
}

interface Suite {
  /** Absent on the page of a repository. */
  repository?: { name: string; resourcePath: string } | null;
  ref: string;
  actorLogin: string | null;
  pushedAt: string;
  result: string;
  evaluationResult: string | null;
}

interface RuleSuites {
  ruleOutcomes: readonly Outcome[] | null;
  ruleSuites: { totalCount: number; pageInfo: PageInfo; nodes: readonly Suite[] } | null;
}

/** Bars of the chart; the table below it has all rows. */
const maxBars = 12;

/** `/orgs/{org}/dashboards/rule-suites`. @throws ProblemError `not-found` for those who do not administer it */
export function organizationRuleSuites(
  { login, ...suites }: RuleSuites & { login: string },
  query: URLSearchParams,
): Dashboard {
  return ruleSuites(suites, query, { name: login, path: `/${login}` }, { org: login });
}

/** `/{owner}/{repo}/rules/suites`. @throws ProblemError `not-found` for those who do not administer it */
export function repositoryRuleSuites(
  { nameWithOwner, resourcePath, ...suites }: RuleSuites & { nameWithOwner: string; resourcePath: string },
  query: URLSearchParams,
): Dashboard {
  const [owner = '', repo = ''] = nameWithOwner.split('/');
  return ruleSuites(suites, query, { name: nameWithOwner, path: resourcePath }, { owner, repo });
}

function ruleSuites(
  { ruleOutcomes: outcomes, ruleSuites: suites }: RuleSuites,
  query: URLSearchParams,
  owner: Dashboard['owner'],
  names: Record<string, string>,
): Dashboard {
  if (!outcomes || !suites) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  const { period, periods } = periodsOf(query);
  const after = query.get('after');
  return {
    title: 'Rule suites',
    owner,
    periods,
    summary: `${suites.totalCount.toLocaleString('en')} pushed refs that rules apply to.`,
    sections: [outcomeSection(outcomes), suiteSection(suites.nodes, 'org' in names)],
    pageInfo: suites.pageInfo,
    variables: { ...names, period: period.toUpperCase(), ...(after === null ? {} : { after }) },
  };
}

function periodsOf(query: URLSearchParams): { period: string; periods: Period[] } {
  const choices = { hour: '1 hour', day: '24 hours', week: '7 days', month: '30 days' };
  const sent = query.get('period') ?? '';
  const period = Object.hasOwn(choices, sent) ? sent : 'month';
  const periods = Object.entries(choices).map(([value, label]) => ({
    label,
    query: `period=${value}`,
    isShown: value === period,
  }));
  return { period, periods };
}

function outcomeSection(outcomes: readonly Outcome[]): Section {
  const [first] = outcomes;
  return {
    heading: 'By rule',
    chart: {
      id: 'rules-chart',
      title: 'Results by rule',
      summary: first
        ? `${outcomes.length} rules. The first, ${first.ruleType} of ${first.rulesetName}, failed ${first.failCount} times.`
        : 'No rules.',
      series: ['passed', 'failed', 'bypassed'],
      points: outcomes.slice(0, maxBars).map(one => ({
        label: `${one.rulesetName}: ${one.ruleType}`,
        values: [one.passCount, one.failCount, one.bypassCount],
      })),
      shape: 'bars',
    },
    table: {
      name: 'rules',
      caption: 'Results by rule, most violations first',
      columns: [
        { name: 'Ruleset', type: 'text' },
        { name: 'Rule', type: 'text' },
        { name: 'Passed', type: 'number' },
        { name: 'Failed', type: 'number' },
        { name: 'Bypassed', type: 'number' },
      ],
      rows: outcomes.map(one => [one.rulesetName, one.ruleType, one.passCount, one.failCount, one.bypassCount]),
    },
  };
}

function suiteSection(suites: readonly Suite[], hasRepositories: boolean): Section {
  const repositoryOf = ({ repository }: Suite): Cell[] => (hasRepositories ? [repository?.name ?? null] : []);
  return {
    heading: 'Pushes',
    table: {
      name: 'pushes',
      caption: 'Pushed refs, newest first',
      columns: [
        ...(hasRepositories ? ([{ name: 'Repository', type: 'text' }] as const) : []),
        { name: 'Ref', type: 'text' },
        { name: 'Pusher', type: 'text' },
        { name: 'Pushed', type: 'time' },
        { name: 'Result', type: 'text' },
        { name: 'With rules that are evaluated', type: 'text' },
      ],
      rows: suites.map(one => [
        ...repositoryOf(one),
        one.ref,
        one.actorLogin,
        one.pushedAt,
        one.result,
        one.evaluationResult,
      ]),
      ...(hasRepositories
        ? {
            links: suites.map(({ repository }) => (repository ? `${repository.resourcePath}/rules/suites` : undefined)),
          }
        : {}),
    },
  };
}

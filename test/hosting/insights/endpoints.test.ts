import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { insertCredential, type NewCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import type { ApiUsageActor } from '../../../src/hosting/insights/api-usage-actor.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { classic, plantUsage } from './usage.ts';

// Days before the first counts of the demo world.
const gateway = await testGateway({ data: 'demo', now: '2026-09-10T12:00:00Z', settings: { HOSTING_BRAND: 'github' } });
const demo = await demoOf(gateway);
const one = async (query: ReturnType<typeof sql<{ id: number }>>): Promise<number> =>
  (await query.execute(gateway.database.sql)).rows[0]?.id ?? 0;
const account = (login: string): Promise<number> => one(sql`select id from account where login = ${login}`);
const [wren, juniper, lab] = await Promise.all([account('wren'), account('juniper'), account('harbor-lab')]);
const appId = await one(sql`select id from app`);
const oauthAppId = await one(sql`select id from oauth_app`);
const installationId = demo.app.installation_id ?? 0;
const compass = await one(sql`select r.id from repository r join account a on a.id = r.owner_id
  where a.login = 'harbor-lab' and r.name = 'compass'`);
const ofWren = await one(sql`select id from host_credential where kind = 'classic' and account_id = ${wren}`);
const ofJuniper = await one(
  sql`select id from host_credential where kind = 'fine_grained' and account_id = ${juniper}`,
);

const actors = {
  wren: classic(ofWren, wren),
  gone: classic(987_654, wren),
  juniper: { type: 'fine_grained_pat', id: ofJuniper, userId: juniper, integrationId: null },
  oauth: { type: 'oauth_app', id: oauthAppId, userId: juniper, integrationId: null },
  userToServer: { type: 'user_to_server', id: appId, userId: juniper, integrationId: appId },
  installation: { type: 'installation', id: installationId, userId: 0, integrationId: appId },
  workflow: { type: 'workflow', id: compass, userId: 0, integrationId: null },
} as const satisfies Record<string, ApiUsageActor>;

const contents = '/repositories/:repository_id/contents/:path';
const repository = '/repositories/:repository_id';
const usage = (
  actor: ApiUsageActor,
  at: string,
  total: number,
  { method = 'GET', route = repository, limited = 0, org = 'harbor-lab' } = {},
) => ({ actor, at: `2026-09-${at}:00Z`, total, limited, method, route, org });

beforeAll(async () => {
  await plantUsage(gateway.database, randomUUID(), [
    usage(actors.wren, '10T10:00', 7),
    usage(actors.wren, '10T10:01', 2, { method: 'PUT', route: contents, limited: 1 }),
    usage(actors.wren, '10T10:59', 5, { route: contents }),
    usage(actors.gone, '10T10:05', 1),
    usage(actors.juniper, '10T10:30', 20, { route: contents, limited: 4 }),
    usage(actors.juniper, '10T11:00', 3),
    usage(actors.oauth, '10T11:15', 11, { method: 'POST', route: '/graphql' }),
    usage(actors.userToServer, '10T11:15', 6),
    usage(actors.installation, '10T11:20', 100, { limited: 9 }),
    usage(actors.workflow, '10T11:30', 8),
    // Of another organization, and long ago.
    usage(actors.wren, '10T10:00', 1_000, { org: 'northgate' }),
    usage(actors.wren, '01T10:00', 50),
  ]);
});

const admin = `Bearer ${demo.users.wren.classic_token}`;
const hours = 'min_timestamp=2026-09-10T10:00:00Z&max_timestamp=2026-09-10T12:00:00Z';
const get = (path: string, authorization: string | undefined = admin): Promise<Answer> =>
  call(gateway, 'GET', `/orgs/harbor-lab/insights/api/${path}`, authorization);
const ok = async (path: string): Promise<unknown> => {
  const { status, json } = await get(path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return json;
};
const count = (total: number, limited = 0) => ({ total_request_count: total, rate_limited_request_count: limited });
const at = (time: string) => `2026-09-10T${time}Z`;
/** As the graph writes it. */
const exactly = (time: string) => `2026-09-10T${time}.000000Z`;

describe('summaries', () => {
  test.each([
    ['summary-stats', count(163, 14)],
    [`summary-stats/users/${wren}`, count(15, 1)],
    ['summary-stats/users/Juniper', count(40, 4)],
    ['summary-stats/users/987654321', count(0)],
    [`summary-stats/classic_pat/${ofWren}`, count(14, 1)],
    [`summary-stats/fine_grained_pat/${ofJuniper}`, count(23, 4)],
    [`summary-stats/oauth_app/${oauthAppId}`, count(11)],
    [`summary-stats/github_app_user_to_server/${appId}`, count(6)],
    [`summary-stats/installation/${installationId}`, count(100, 9)],
    ['summary-stats/installation/987654321', count(0)],
  ])('%s', async (path, expected) => {
    expect(await ok(`${path}?${hours}`)).toEqual(expected);
  });

  test.each([
    // Without an end, the range ends now. Its first and last minute count as a whole.
    ['min_timestamp=2026-09-10T11:00:00Z', count(128, 9)],
    ['min_timestamp=2026-09-10T11:00:42.5Z', count(128, 9)],
    ['min_timestamp=2026-09-10T11:01:00Z', count(125, 9)],
    ['min_timestamp=2026-09-10T10:00:59Z&max_timestamp=2026-09-10T10:01:00Z', count(7)],
    ['min_timestamp=2026-09-10T10:00:59Z&max_timestamp=2026-09-10T10:01:00.001Z', count(9, 1)],
    ['min_timestamp=2026-09-10T12:00:00%2B02:00&max_timestamp=2026-09-10T12:01:00%2B02:00', count(7)],
    ['min_timestamp=2026-09-10T10:00:00Z&max_timestamp=2026-09-10T10:00:00Z', count(0)],
    ['min_timestamp=1970-01-01T00:00:00Z&max_timestamp=2099-12-31T00:00:00Z', count(213 + 996, 14)],
    ['min_timestamp=2026-09-11T00:00:00Z&max_timestamp=2026-09-12T00:00:00Z', count(0)],
    // Without an end: 30 days ago, the 11th of August, where that is later than the start, else now.
    ['min_timestamp=2026-06-01T00:00:00Z', count(0)],
    ['min_timestamp=2026-08-11T12:00:00Z', count(213, 14)],
    ['min_timestamp=2026-09-10T10:00:00Z', count(163, 14)],
    // Without a zone: UTC.
    ['min_timestamp=2026-09-10&max_timestamp=2026-09-11', count(163, 14)],
    ['min_timestamp=2026-09-10T10:00:59&max_timestamp=2026-09-10T10:01', count(7)],
  ])('the range %s', async (window, expected) => {
    const json = (await ok(`summary-stats?${window}`)) as { total_request_count: number };
    // The demo world's own counts are weeks later, and only in the largest range.
    if (window.includes('2099')) expect(json.total_request_count).toBeGreaterThan(213);
    else expect(json).toEqual(expected);
  });
});

describe('time series', () => {
  test.each([
    [
      'time-stats',
      '1h',
      [
        [at('10:00:00'), 35, 5],
        [at('11:00:00'), 128, 9],
      ],
    ],
    [
      'time-stats',
      '30m',
      [
        [at('10:00:00'), 10, 1],
        [at('10:30:00'), 25, 4],
        [at('11:00:00'), 120, 9],
        [at('11:30:00'), 8, 0],
      ],
    ],
    [
      `time-stats/users/${juniper}`,
      '1h',
      [
        [at('10:00:00'), 20, 4],
        [at('11:00:00'), 20, 0],
      ],
    ],
    [
      `time-stats/classic_pat/${ofWren}`,
      '1h',
      [
        [at('10:00:00'), 14, 1],
        [at('11:00:00'), 0, 0],
      ],
    ],
    ['time-stats', '1d', [['2026-09-10T00:00:00Z', 163, 14]]],
  ])('%s by %s', async (path, increment, expected) => {
    const json = await ok(`${path}?${hours}&timestamp_increment=${increment}`);
    expect(json).toEqual(
      (expected as [string, number, number][]).map(([timestamp, total, limited]) => ({
        timestamp,
        ...count(total, limited),
      })),
    );
  });

  test('steps are aligned to UTC, and include empty ones', async () => {
    const window = 'min_timestamp=2026-09-10T10:03:00Z&max_timestamp=2026-09-10T10:31:00Z&timestamp_increment=7m';
    const json = (await ok(`time-stats?${window}`)) as { timestamp: string; total_request_count: number }[];
    expect(json.map(({ timestamp, total_request_count }) => [timestamp.slice(11, 16), total_request_count])).toEqual([
      ['10:02', 1],
      ['10:09', 0],
      ['10:16', 0],
      ['10:23', 0],
      ['10:30', 20],
    ]);
  });

  test('have at most ten thousand steps', async () => {
    const from = 'min_timestamp=2026-09-03T00:00:00Z&timestamp_increment=1m&max_timestamp=2026-09-09T22:';
    expect(await ok(`time-stats?${from}40:00Z`)).toHaveLength(10_000);
    expect((await get(`time-stats?${from}41:00Z`)).status).toBe(422);
  });
});

describe('lists', () => {
  const usageOf = (total: number, limited: number, last: string, lastLimited: string | null) => ({
    ...count(total, limited),
    last_request_timestamp: at(last),
    last_rate_limited_timestamp: lastLimited === null ? null : at(lastLimited),
  });

  test('routes of an actor', async () => {
    const { json, headers } = await get(`route-stats/classic_pat/${ofWren}?${hours}`);
    expect(json).toEqual([
      { http_method: 'GET', api_route: repository, ...usageOf(7, 0, '10:00:30', null) },
      { http_method: 'GET', api_route: contents, ...usageOf(5, 0, '10:59:30', null) },
      { http_method: 'PUT', api_route: contents, ...usageOf(2, 1, '10:01:30', '10:01:20') },
    ]);
    expect(headers.get('link')).toBeNull();
    expect(headers.get('x-accepted-github-permissions')).toBe('organization_api_insights=read');
  });

  test('subjects', async () => {
    expect(await ok(`subject-stats?${hours}`)).toEqual([
      {
        subject_type: 'installation',
        subject_id: installationId,
        subject_name: 'Harbor Pilot',
        integration_id: appId,
        ...usageOf(100, 9, '11:20:30', '11:20:20'),
      },
      {
        subject_type: 'user',
        subject_id: juniper,
        subject_name: 'juniper',
        integration_id: null,
        ...usageOf(40, 4, '11:15:30', '10:30:20'),
      },
      {
        subject_type: 'user',
        subject_id: wren,
        subject_name: 'wren',
        integration_id: null,
        ...usageOf(15, 1, '10:59:30', '10:01:20'),
      },
      {
        subject_type: 'workflow',
        subject_id: compass,
        subject_name: 'harbor-lab/compass',
        integration_id: null,
        ...usageOf(8, 0, '11:30:30', null),
      },
    ]);
  });

  test('actors of a user', async () => {
    expect(await ok(`user-stats/${juniper}?${hours}`)).toEqual([
      {
        actor_type: 'fine_grained_pat',
        actor_id: ofJuniper,
        actor_name: 'demo',
        integration_id: null,
        oauth_application_id: null,
        ...usageOf(23, 4, '11:00:30', '10:30:20'),
      },
      {
        actor_type: 'oauth_app',
        actor_id: oauthAppId,
        actor_name: 'Lighthouse',
        integration_id: null,
        oauth_application_id: oauthAppId,
        ...usageOf(11, 0, '11:15:30', null),
      },
      {
        actor_type: 'github_app_user_to_server',
        actor_id: appId,
        actor_name: 'Harbor Pilot',
        integration_id: appId,
        oauth_application_id: null,
        ...usageOf(6, 0, '11:15:30', null),
      },
    ]);
    // A deleted token keeps its counts.
    const names = (await ok(`user-stats/wren?${hours}`)) as { actor_name: string }[];
    expect(names.map(({ actor_name }) => actor_name)).toEqual(['demo', 'token 987654']);
  });

  const route = `route-stats/classic_pat/${ofWren}?${hours}`;
  const subject = `subject-stats?${hours}`;
  const user = `user-stats/juniper?${hours}`;
  test.each([
    [`${route}&sort[]=http_method&direction=asc`, ['GET 7', 'GET 5', 'PUT 2']],
    [`${route}&sort[]=http_method&sort[]=total_request_count`, ['PUT 2', 'GET 7', 'GET 5']],
    [`${route}&sort[]=api_route&sort[]=http_method&direction=desc`, ['PUT 2', 'GET 5', 'GET 7']],
    [`${route}&sort[]=api_route&sort[]=api_route&direction=asc`, ['GET 7', 'GET 5', 'PUT 2']],
    [`${route}&sort=last_request_timestamp`, ['GET 5', 'PUT 2', 'GET 7']],
    // Sort keys as the published client encodes them.
    [`${route}&sort=http_method%2Ctotal_request_count`, ['PUT 2', 'GET 7', 'GET 5']],
    [`${route}&sort[]=last_rate_limited_timestamp`, ['PUT 2', 'GET 7', 'GET 5']],
    [`${route}&sort[]=last_rate_limited_timestamp&direction=asc`, ['GET 7', 'GET 5', 'PUT 2']],
    [`${route}&sort[]=rate_limited_request_count`, ['PUT 2', 'GET 7', 'GET 5']],
    [`${route}&direction=asc`, ['PUT 2', 'GET 5', 'GET 7']],
    [`${route}&api_route_substring=CONTENTS`, ['GET 5', 'PUT 2']],
    [`${route}&api_route_substring=%25`, []],
    [`${route}&api_route_substring=_`, ['GET 7', 'GET 5', 'PUT 2']],
    [`${route}&api_route_substring=`, ['GET 7', 'GET 5', 'PUT 2']],
    [`${subject}&sort[]=subject_name&direction=asc`, ['Harbor Pilot', 'harbor-lab/compass', 'juniper', 'wren']],
    [`${subject}&subject_name_substring=HARBOR`, ['Harbor Pilot', 'harbor-lab/compass']],
    [`${subject}&sort[]=last_request_timestamp`, ['harbor-lab/compass', 'Harbor Pilot', 'juniper', 'wren']],
    [`${user}&sort[]=subject_name&direction=asc`, ['demo', 'Harbor Pilot', 'Lighthouse']],
    [`${user}&actor_name_substring=h`, ['Lighthouse', 'Harbor Pilot']],
    [
      `${user}&sort[]=rate_limited_request_count&sort[]=total_request_count&direction=asc`,
      ['Harbor Pilot', 'Lighthouse', 'demo'],
    ],
  ])('%s', async (path, expected) => {
    const rows = (await ok(path)) as Record<string, unknown>[];
    const shown = rows.map(
      row => row.subject_name ?? row.actor_name ?? `${row.http_method} ${row.total_request_count}`,
    );
    expect(shown).toEqual(expected);
  });

  test('pages have links with the organization id', async () => {
    const path = `${subject}&per_page=2`;
    const { json, headers } = await get(path);
    expect(json.map((row: { subject_name: string }) => row.subject_name)).toEqual(['Harbor Pilot', 'juniper']);
    const link = headers.get('link') ?? '';
    const next = `${gateway.url}/organizations/${lab}/insights/api/${path}&page=2`;
    expect(link).toBe(`<${next}>; rel="next", <${next}>; rel="last"`);
    const second = await call(gateway, 'GET', next.slice(gateway.url.length), admin);
    expect(second.json.map((row: { subject_name: string }) => row.subject_name)).toEqual([
      'wren',
      'harbor-lab/compass',
    ]);
    expect(await ok(`${path}&page=9`)).toEqual([]);
    expect(await ok(`${subject}&per_page=1000&page=0`)).toHaveLength(4);
  });
});

describe('errors', () => {
  const shape = (...lines: string[]) => ({ message: ['Invalid request.', '', ...lines].join('\n') });
  const rule = (field: string, message: string) => ({
    message: 'Validation Failed',
    errors: [{ resource: 'ApiInsights', field, code: 'custom', message }],
  });
  const increment = rule(
    'timestamp_increment',
    'timestamp_increment must be a whole number of at least 1 and m, h or d: 5m, 1h, 1d.',
  );
  const years = (field: string) => rule(field, `${field} must lie between the years 1970 and 2099.`);
  const late = rule('min_timestamp', 'min_timestamp must not be later than max_timestamp.');
  const steps = (text: string, number: number) =>
    rule('timestamp_increment', `timestamp_increment ${text} makes ${number} steps of this time; 10000 are the most.`);
  test.each([
    ['summary-stats', shape('"min_timestamp" wasn\'t supplied.')],
    ['summary-stats?min_timestamp=yesterday', shape('yesterday is not a valid date-time.')],
    ['summary-stats?min_timestamp=2026-02-30T00:00:00Z', shape('2026-02-30T00:00:00Z is not a valid date-time.')],
    ['summary-stats?min_timestamp=2026-02-30', shape('2026-02-30 is not a valid date-time.')],
    ['summary-stats?min_timestamp=2020-13-40', shape('2020-13-40 is not a valid date-time.')],
    [`summary-stats?${hours}&max_timestamp=0`, shape('0 is not a valid date-time.')],
    [`time-stats?${hours}`, shape('"timestamp_increment" wasn\'t supplied.')],
    ['summary-stats?min_timestamp=2026-09-10T12:00:01Z', late],
    ['summary-stats?min_timestamp=2026-09-02T00:00:00Z&max_timestamp=2026-09-01T00:00:00Z', late],
    ['summary-stats?min_timestamp=0000-01-01T00:00:00Z', years('min_timestamp')],
    ['summary-stats?min_timestamp=9999-01-01T00:00:00Z', years('min_timestamp')],
    ['summary-stats?min_timestamp=2026-09-01T00:00:00Z&max_timestamp=9999-12-31T23:59:59Z', years('max_timestamp')],
    ['summary-stats?min_timestamp=1926-09-10T00:00:00Z', years('min_timestamp')],
    ...['0m', '5', 'm', '1s', '1w', '-5m', '1.5h', '5M', '5 m', '99999999999d', '٥m', '1h1h'].map(
      text => [`time-stats?${hours}&timestamp_increment=${text}`, increment] as const,
    ),
    [
      'time-stats?min_timestamp=2026-01-01T00:00:00Z&max_timestamp=2026-02-01T00:00:00Z&timestamp_increment=1m',
      steps('1m', 44_640),
    ],
    ['time-stats?min_timestamp=1990-01-01T00:00:00Z&timestamp_increment=1d', steps('1d', 13_372)],
    [
      `subject-stats?${hours}&sort[]=total_request_count&sort[]=api_route&sort[]=nonsense`,
      shape(
        ...['api_route', 'nonsense'].map(
          name =>
            `${name} is not a member of ["total_request_count", "rate_limited_request_count", "last_request_timestamp", "last_rate_limited_timestamp", "subject_name"].`,
        ),
      ),
    ],
    [
      `route-stats/classic_pat/1?${hours}&sort[]=subject_name`,
      shape(
        'subject_name is not a member of ["total_request_count", "rate_limited_request_count", "last_request_timestamp", "last_rate_limited_timestamp", "http_method", "api_route"].',
      ),
    ],
    [`user-stats/wren?${hours}&direction=up`, shape('up is not a member of ["asc", "desc"].')],
  ])('%s', async (path, expected) => {
    const { status, json } = await get(path);
    expect({ status, json }).toEqual({
      status: 422,
      json: {
        ...expected,
        documentation_url: expect.stringMatching(/\/rest\/orgs\/api-insights#get-[a-z-]+$/),
        status: '422',
      },
    });
  });

  test.each([
    'route-stats/nonsense/1',
    'route-stats/workflow/1',
    'route-stats/host_app_user_to_server/1',
    'route-stats/installation/x',
    'route-stats/installation/1.5',
    'summary-stats/users/nobody-at-all',
    'summary-stats/users/harbor-lab',
    'user-stats/%00',
    'nothing',
  ])('%s is not found', async path => {
    expect((await get(`${path}?${hours}&timestamp_increment=1h`)).status).toBe(404);
  });
});

const nine = [
  'route-stats/classic_pat/1',
  'subject-stats',
  'summary-stats',
  'summary-stats/users/wren',
  'summary-stats/classic_pat/1',
  'time-stats',
  'time-stats/users/wren',
  'time-stats/classic_pat/1',
  'user-stats/wren',
];

describe.each(nine)('access to %s', path => {
  const token = async (wanted: NewCredential): Promise<string> =>
    `Bearer ${(await inTransaction(gateway.database, db => insertCredential(db, wanted, gateway.clock.now))).token}`;
  const read = { organization_api_insights: 'read' } as const;
  const own = { appId, installationId };
  test.each<[string, () => Promise<string | undefined> | string | undefined, number]>([
    ['an administrator by a classic token', () => admin, 200],
    [
      'an administrator by a fine-grained token of the organization',
      () => `Bearer ${demo.users.wren.fine_grained_token}`,
      200,
    ],
    ['the installation', () => token({ kind: 'installation', permissions: read, ...own }), 200],
    [
      'an installation without the permission',
      () => token({ kind: 'installation', permissions: { contents: 'read' }, ...own }),
      403,
    ],
    ['an administrator through the app', () => token({ kind: 'user_to_server', accountId: wren, appId }), 200],
    ['a member through the app', () => token({ kind: 'user_to_server', accountId: juniper, appId }), 404],
    ['a member', () => token({ kind: 'classic', accountId: juniper, scopes: ['admin:org'] }), 404],
    [
      'an administrator by a token without the scope',
      () => token({ kind: 'classic', accountId: wren, scopes: ['repo'] }),
      403,
    ],
    [
      'a fine-grained token about somebody else',
      () => token({ kind: 'fine_grained', accountId: wren, resourceOwnerId: wren, permissions: read }),
      404,
    ],
    ['nobody in particular', () => undefined, 403],
  ])('%s', async (_name, credential, status) => {
    const authorization = await credential();
    const full = `/orgs/harbor-lab/insights/api/${path}?${hours}&timestamp_increment=1h`;
    expect((await call(gateway, 'GET', full, authorization)).status).toBe(status);
    // Also with an invalid range: errors must not reveal what exists.
    if (status !== 200)
      expect((await call(gateway, 'GET', full.replaceAll('2026', '9999'), authorization)).status).toBe(status);
  });

  test('of an unknown organization, of a user, or behind single sign-on', async () => {
    const status = async (org: string, authorization: string): Promise<number> =>
      (await call(gateway, 'GET', `/orgs/${org}/insights/api/${path}?${hours}&timestamp_increment=1h`, authorization))
        .status;
    expect(await status('nobody-at-all', admin)).toBe(404);
    expect(await status('wren', admin)).toBe(404);
    const unauthorized = await token({ kind: 'classic', accountId: wren, scopes: ['admin:org'] });
    expect(await status('northgate', unauthorized)).toBe(403);
    expect(await status('northgate', admin)).toBe(200);
    if (!path.includes('classic_pat')) return;
    // Who may not read is told so whatever the path says after the organization.
    const ofNonsense = async (authorization: string): Promise<number> => {
      const full = `/orgs/northgate/insights/api/${path.replace('classic_pat', 'nonsense')}?${hours}&timestamp_increment=1h`;
      return (await call(gateway, 'GET', full, authorization)).status;
    };
    expect(await ofNonsense(unauthorized)).toBe(403);
    expect(await ofNonsense(admin)).toBe(404);
  });
});

test('a dashboard query reads everything at once', async () => {
  const query = `query Dashboard($from: DateTime!, $to: DateTime) {
    organization(login: "harbor-lab") {
      apiInsights(from: $from, to: $to) {
        from to
        summary { requestCount limitedCount }
        timeSeries(step: "1h", first: 24) { startsAt requestCount }
        routes(first: 2, orderBy: [{ fields: [API_ROUTE], direction: ASC }]) {
          totalCount
          nodes { method route requestCount timeSeries(step: "1h") { startsAt requestCount } }
          pageInfo { hasNextPage }
        }
        subjects(first: 1) { nodes { type subjectName } totalCount }
        actors(substring: "light") { nodes { type oauthApplicationId } }
      }
    }
  }`;
  const variables = { from: at('10:00:00'), to: at('12:00:00') };
  const { data } = await graphql(gateway, query, demo.users.wren.classic_token, variables);
  const { routes, ...insights } = data.organization.apiInsights;
  expect(insights).toEqual({
    from: exactly('10:00:00'),
    to: exactly('12:00:00'),
    summary: { requestCount: 163, limitedCount: 14 },
    timeSeries: [
      { startsAt: exactly('10:00:00'), requestCount: 35 },
      { startsAt: exactly('11:00:00'), requestCount: 128 },
    ],
    subjects: { nodes: [{ type: 'INSTALLATION', subjectName: 'Harbor Pilot' }], totalCount: 4 },
    actors: { nodes: [{ type: 'OAUTH_APP', oauthApplicationId: oauthAppId }] },
  });
  expect(routes).toMatchObject({
    totalCount: 4,
    pageInfo: { hasNextPage: true },
    nodes: [
      { route: '/graphql', requestCount: 11 },
      { method: 'GET', route: repository, requestCount: 125 },
    ],
  });
  for (const { requestCount, timeSeries } of routes.nodes) {
    expect(timeSeries.map((step: { startsAt: string }) => step.startsAt)).toEqual([
      exactly('10:00:00'),
      exactly('11:00:00'),
    ]);
    expect(timeSeries.reduce((sum: number, step: { requestCount: number }) => sum + step.requestCount, 0)).toBe(
      requestCount,
    );
  }
  const narrow = `{ organization(login: "harbor-lab") { apiInsights(from: "${at('10:00:00')}") { timeSeries(step: "1h", first: 1) { startsAt } } } }`;
  const refused = await graphql(gateway, narrow, demo.users.wren.classic_token);
  expect(refused.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', problems: [{ path: ['step'] }] });
});

test('a dashboard of routes over time reads as many statements for one route as for all', async () => {
  const counts: number[] = [];
  for (const first of [1, 4]) {
    const query = `{ organization(login: "harbor-lab") { apiInsights(from: "${at('10:00:00')}", to: "${at('12:00:00')}") { routes(first: ${first}) { nodes { timeSeries(step: "5m") { requestCount } } } } } }`;
    const statements = await gateway.statements(() => graphql(gateway, query, demo.users.wren.classic_token));
    counts.push(statements.length);
  }
  expect(counts[1]).toBe(counts[0]);
});

test('the published client', async () => {
  const client = new Octokit({ baseUrl: gateway.url, userAgent: 'portico tests', auth: demo.users.wren.classic_token });
  const window = { org: 'harbor-lab', min_timestamp: at('10:00:00'), max_timestamp: at('12:00:00') };
  const base = 'GET /orgs/{org}/insights/api';
  const read = async (path: string, more: object = {}) =>
    (await client.request(`${base}/${path}`, { ...window, ...more })).data;
  const actor = { actor_type: 'classic_pat', actor_id: ofWren };
  const user = { user_id: 'wren' };
  const byActor = '{actor_type}/{actor_id}';
  const hourly = { timestamp_increment: '1h' };
  expect(await read('summary-stats')).toEqual(count(163, 14));
  expect(await read('summary-stats/users/{user_id}', user)).toEqual(count(15, 1));
  expect(await read(`summary-stats/${byActor}`, actor)).toEqual(count(14, 1));
  expect(await read('time-stats', hourly)).toHaveLength(2);
  expect(await read('time-stats/users/{user_id}', { ...user, ...hourly })).toHaveLength(2);
  expect(await read(`time-stats/${byActor}`, { ...actor, ...hourly })).toHaveLength(2);
  const routes = await read(`route-stats/${byActor}`, {
    ...actor,
    sort: ['http_method', 'api_route'],
    direction: 'desc',
  });
  expect(routes).toHaveLength(3);
  expect(await read('user-stats/{user_id}', { user_id: String(juniper) })).toHaveLength(3);
  const all = await client.paginate(`${base}/subject-stats`, { ...window, per_page: 1 });
  expect(all.map(row => (row as { subject_name: string }).subject_name)).toEqual([
    'Harbor Pilot',
    'juniper',
    'wren',
    'harbor-lab/compass',
  ]);
});

test('a page and its total are read by one statement', async () => {
  const path = `subject-stats?${hours}&per_page=1`;
  await get(path);
  const statements = await gateway.statements(() => get(path));
  expect(statements.filter(text => text.includes('api_usage'))).toHaveLength(1);
  // The organization for the access check, the page, and the organization for the id in links.
  expect(statements).toHaveLength(3);
});

import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';

/** A read whose work must not grow with the table. */
export interface ListRequest {
  /** `reader` uses the health product, the others the hosting one. */
  as: 'reader' | 'wren' | 'juniper' | 'linh' | 'okello';
  path?: string;
  document?: string;
}

const get = (as: ListRequest['as'], paths: readonly string[]): ListRequest[] => paths.map(path => ({ as, path }));
const health = (paths: readonly string[]): ListRequest[] =>
  get(
    'reader',
    paths.map(path => `/api/v1${path}`),
  );
const ask = (as: ListRequest['as'], fields: readonly string[]): ListRequest[] =>
  fields.map(document => ({ as, document: `{ ${document} }` }));

const page = 'pageInfo { hasNextPage endCursor }';
/** A list from its start, with its length, and from its end. */
const ends = (list: string, nodes: string, args = ''): string[] => [
  `${list}(first: 20${args}) { nodes { ${nodes} } ${page} }`,
  `${list}(first: 1${args}) { totalCount }`,
  `${list}(last: 20${args}) { nodes { ${nodes} } }`,
];

/** Pages of a REST list with a count: the first, a deep one, and the last. */
const counted = (path: string, deep = 40): string[] =>
  ['', `page=${deep}`, 'page=last'].map(query => `${path}${query && `${path.includes('?') ? '&' : '?'}${query}`}`);

const healthRecords = [
  ...health([
    ...counted('/health/vitals/'),
    '/health/vitals/?ordering=created_at',
    '/health/vitals/?search=note',
    '/health/vitals/?from=2026-09-30',
    ...counted('/health/symptoms/'),
    '/health/symptoms/?ordering=-severity',
    '/health/symptoms/?ordering=symptom_name',
    '/health/symptoms/?search=cough',
    ...counted('/health/goals/'),
    '/health/goals/?is_active=true',
    '/health/goals/?ordering=target_value',
    '/assessments/',
    '/assessments/?page=4',
    '/assessments/?ordering=severity',
    ...counted('/health/summaries/?page_size=3', 2),
    '/health/summaries/latest/',
    '/health/dashboard/',
    '/chat/ai/history/',
  ]),
  ...ask(
    'reader',
    [
      ...['vitalReadings', 'symptomLogs', 'goals'].flatMap(list => ends(list, 'databaseId')),
      ...ends('assessments', 'uuid'),
      ...ends('companionMessages', 'databaseId'),
    ].map(list => `healthViewer { ${list} }`),
  ),
];

const community = [
  ...health([
    ...counted('/community/peers/connections/', 20),
    '/community/peers/connections/?ordering=-responded_at',
    '/community/peers/connections/?status=pending',
    '/community/peers/connections/?search=number',
    '/community/peers/requests/',
    '/community/peers/suggested/',
    '/community/groups/',
    '/community/groups/?search=circle',
    '/community/groups/?condition=diabetes',
    '/chat/users/',
    ...counted('/articles/1/comments/'),
    '/articles/1/comments/?ordering=-created_at',
  ]),
  ...ask('reader', [
    ...[
      ...ends('peers', 'databaseId'),
      ...ends('peerRequests', 'databaseId'),
      ...ends('contacts', 'person { fullName }'),
    ].map(list => `healthViewer { ${list} }`),
    ...ends('communityGroups', 'databaseId'),
    ...ends('members', 'fullName').map(
      list => `communityGroup(id: "${encodeGlobalId('CommunityGroup', 1)}") { ${list} }`,
    ),
    ...ends('comments', 'databaseId').map(list => `article(databaseId: 1) { ${list} }`),
    `article(databaseId: 1) { comments(first: 1) { nodes { replies(first: 20) { nodes { databaseId } } } } }`,
  ]),
];

const lab = (below: string): string => `organization(login: "harbor-lab") { ${below} }`;
const compass = (below: string): string => `repository(owner: "harbor-lab", name: "compass") { ${below} }`;

const accounts = ask('wren', [
  ...[
    ...ends('followers', 'login'),
    ...ends('following', 'login'),
    ...ends('organizations', 'login'),
    ...ends('emails', 'email'),
    ...ends('tokens', 'databaseId'),
    ...ends('apps', 'slug'),
    ...ends('signingKeys', 'title'),
    ...ends('repositories', 'name'),
    ...ends('repositories', 'name', ', orderBy: { field: UPDATED_AT, direction: DESC }'),
    ...ends('repositories', 'name', ', orderBy: { field: STARGAZERS, direction: DESC }'),
    ...ends('repositories', 'name', ', ownerAffiliations: [OWNER, COLLABORATOR, ORGANIZATION_MEMBER]'),
    ...ends('starredRepositories', 'name'),
    ...ends('watching', 'name'),
    'followers(first: 20) { nodes { login followers(first: 1) { totalCount } } }',
  ].map(list => `viewer { ${list} }`),
  ...ends('membersWithRole', 'login').map(lab),
  ...ends('repositories', 'name').map(lab),
  'user(login: "wren") { name followers { totalCount } following { totalCount } }',
]);

const repositories = [
  ...get('wren', [
    '/user/repos',
    '/user/repos?page=3',
    '/repos/harbor-lab/compass',
    '/users/wren',
    '/orgs/harbor-lab',
    '/repos/harbor-lab/compass/rulesets/rule-suites?time_period=month',
    '/repos/harbor-lab/compass/rulesets/rule-suites?time_period=month&page=20',
    '/repos/harbor-lab/compass/rulesets/rule-suites?time_period=month&rule_suite_result=fail',
    '/orgs/harbor-lab/rulesets/rule-suites?time_period=month',
    '/orgs/harbor-lab/rulesets/rule-suites?time_period=month&repository_name=compass',
  ]),
  ...ask('wren', [
    ...[
      ...ends('stargazers', 'login'),
      ...ends('watchers', 'login'),
      ...ends('collaborators', 'login'),
      ...ends('forks', 'name'),
      ...ends('refs', 'name', ', refPrefix: "refs/heads/"'),
      ...ends('refs', 'name', ', refPrefix: "refs/heads/", query: "bulk-0005"'),
      ...ends('ruleSuites', 'databaseId', ', period: MONTH'),
      'stargazerCount forkCount',
    ].map(compass),
    'search(type: REPOSITORY, query: "bulk", first: 20) { nodes { __typename } }',
    'search(type: REPOSITORY, query: "bulk", first: 20) { repositoryCount }',
    'search(type: REPOSITORY, query: "topic:topic-3", first: 20) { nodes { __typename } }',
    'search(type: REPOSITORY, query: "sort:updated", first: 20) { nodes { __typename } }',
    'search(type: REPOSITORY, query: "sort:stars", first: 20) { nodes { __typename } }',
    'search(type: REPOSITORY, query: "user:harbor-lab compass", first: 20) { nodes { __typename } }',
    ...ends('authors', 'name').map(
      list => `repository(owner: "harbor-lab", name: "bulk-1") { sourceImport { ${list} } }`,
    ),
    ...ends('largeFiles', 'path').map(
      list => `repository(owner: "harbor-lab", name: "bulk-1") { sourceImport { ${list} } }`,
    ),
    ...ends('deliveries', 'databaseId').map(
      list => `node(id: "${encodeGlobalId('App', 1)}") { ... on App { webhook { ${list} } } }`,
    ),
    `node(id: "${encodeGlobalId('App', 1)}") { ... on App { webhook { deliveries(first: 20, outcome: FAILURE) { nodes { databaseId } } } } }`,
    ...ends('installations', 'databaseId').map(
      list => `node(id: "${encodeGlobalId('App', 1)}") { ... on App { ${list} } }`,
    ),
  ]),
  ...ask('okello', [
    ...ends('invitations', 'role').map(list => `viewer { ${list} }`),
    ...ends('repositories', 'name', ', ownerAffiliations: [OWNER, COLLABORATOR, ORGANIZATION_MEMBER]').map(
      list => `viewer { ${list} }`,
    ),
  ]),
  ...get('okello', ['/user/repos']),
];

const events = [
  ...get('wren', [
    '/events',
    '/events?page=10',
    '/networks/harbor-lab/compass/events',
    '/orgs/harbor-lab/events',
    '/orgs/harbor-lab/events?page=10',
    '/repos/harbor-lab/compass/events',
    '/repos/harbor-lab/compass/events?page=10',
    '/users/wren/events',
    '/users/wren/events/public',
    '/users/wren/events/orgs/harbor-lab',
    '/users/juniper/received_events',
    '/users/linh/received_events',
    '/users/tomas/received_events',
  ]),
  ...get('juniper', ['/users/juniper/received_events', '/users/juniper/received_events?page=10']),
  ...get('linh', ['/users/linh/received_events', '/users/linh/received_events?page=10']),
  ...ask('wren', [
    'publicEvents(first: 20) { nodes { type } totalCount }',
    'publicEvents(first: 20, types: [FORK]) { nodes { type } totalCount }',
    'publicEvents(first: 20, types: [PUSH]) { nodes { type } totalCount }',
    compass('events(first: 20, types: [PUSH]) { nodes { type } totalCount }'),
    lab('events(first: 20, types: [PUSH]) { nodes { type } totalCount }'),
    'user(login: "wren") { events(last: 20) { nodes { type } totalCount } }',
    'user(login: "linh") { receivedEvents(first: 20, types: [PUSH]) { nodes { type } } }',
    lab('repositories(first: 20) { nodes { events(first: 5) { nodes { type } totalCount } } }'),
    'viewer { following(first: 20) { nodes { events(first: 5) { nodes { type } } } } }',
    'viewer { following(first: 20) { nodes { receivedEvents(first: 5) { nodes { type } } } } }',
    compass('networkEvents(first: 20) { nodes { type } totalCount }'),
  ]),
];

const insight = (below: string, from: string): string => lab(`apiInsights(from: "${from}T00:00:00Z") { ${below} }`);
const [month, day] = ['2026-09-01', '2026-10-31'];
const insights = ask('wren', [
  insight('summary { requestCount }', month),
  insight('summary { requestCount }', day),
  insight('timeSeries(step: "1d") { requestCount }', month),
  insight('timeSeries(step: "1h") { requestCount }', day),
  insight('routes(first: 10) { nodes { route requestCount } totalCount }', month),
  insight('routes(first: 10) { nodes { timeSeries(step: "1d") { requestCount } } }', month),
  insight('subjects(first: 10) { nodes { subjectName requestCount } totalCount }', month),
  insight('actors(first: 10) { nodes { actorName requestCount } totalCount }', month),
  insight('actors(first: 10) { nodes { actorName requestCount } totalCount }', day),
]);

/** The lists of both products, apart from articles, their search and chat. */
export const listRequests: readonly ListRequest[] = [
  ...healthRecords,
  ...community,
  ...accounts,
  ...repositories,
  ...events,
  ...insights,
];

/** Requests whose work may grow with the number of rows of one owner, and why. */
export const growingRequests: readonly (readonly [RegExp, string])[] = [
  [/search/, 'A search compares, counts and sorts the rows of the owner, or all repositories.'],
  [/dashboard/, 'The progress of all goals is computed.'],
  [/types: \[PUSH\]/, 'Searches at most 10,000 events of the feed.'],
  [
    /following.*events\(/,
    'Feeds below a list: for an average account the planner sorts all its events instead of merging indexes.',
  ],
  [/apiInsights/, 'Figures add up the rows of the range: one for each caller, route and minute or hour.'],
  [/summaries|weeklySummaries/, 'The number of weeks with data is found week by week.'],
  [/suggested/, 'Compares at most 5,000 profiles.'],
  [/contacts|chat\/users|membersWithRole|collaborators/, 'Sorted by a name that is in the table of the other side.'],
  [/comments/, 'Those of blocked people are left out of the number.'],
  [
    /peers|peerRequests|communityGroups/,
    'Counted: of requests and groups only those of active accounts, or active ones.',
  ],
  [
    /repositories|forks|starred|watching|user\/repos/,
    'Each private repository is checked against the access of the caller.',
  ],
  [
    /organizations|invitations|tokens|apps|installations|emails|signingKeys|authors|largeFiles/,
    'Counted: short lists in practice.',
  ],
  [/refs\(/, 'A prefix and a text choose the refs that are counted.'],
  [/rule-suites|ruleSuites/, 'A time range and filters choose the suites that are counted.'],
  [/deliveries/, 'A time range and an outcome choose the deliveries that are counted.'],
];

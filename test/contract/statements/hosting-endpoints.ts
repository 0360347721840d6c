import { expect } from '@jest/globals';
import type { Answer } from '../../harness/gateway.ts';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

type Judge = (answer: Answer) => unknown;

const array: Judge = ({ json }) => expect(Array.isArray(json)).toBe(true);
const empty: Judge = ({ text }) => expect(text).toBe('');
const located: Judge = ({ headers }) => expect(headers.get('location')).toMatch(/^https?:/);
const has =
  (...keys: string[]): Judge =>
  ({ json }) => {
    for (const key of keys) expect(json).toHaveProperty(key);
  };

const contents = '/repos/{owner}/{repo}/contents/{path}';
const insights = '/orgs/{org}/insights/api';
const imports = '/repos/{owner}/{repo}/import';
const suites = '/orgs/{org}/rulesets/rule-suites';

/** Endpoint, what it does, the operation whose example is sent, its status, and what its answer is judged by. */
const endpoints: readonly [line: string, does: string, operation: string, status: number, judge: Judge][] = [
  [`GET ${contents}`, 'returns a file', 'GetContent', 200, has('type', 'content', 'sha')],
  [`PUT ${contents}`, 'changes a file', 'CreateOrUpdateFileContents', 200, has('content', 'commit')],
  [`DELETE ${contents}`, 'deletes a file', 'DeleteFile', 200, ({ json }) => expect(json.content).toBeNull()],
  ['GET /repos/{owner}/{repo}/readme', 'returns the readme', 'GetReadme', 200, has('content')],
  [
    'GET /repos/{owner}/{repo}/readme/{dir}',
    'returns that of a directory',
    'GetReadmeInDirectory',
    200,
    has('content'),
  ],
  ['GET /repos/{owner}/{repo}/tarball/{ref}', 'redirects to an archive', 'DownloadTarballArchive', 302, located],
  ['GET /repos/{owner}/{repo}/zipball/{ref}', 'redirects to an archive', 'DownloadZipballArchive', 302, located],
  ['POST /repos/{owner}/{repo}/git/commits', 'creates a commit', 'CreateGitCommit', 201, has('sha', 'tree', 'parents')],
  [
    'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
    'returns a commit',
    'GetGitCommit',
    200,
    has('sha', 'verification'),
  ],
  [`GET ${suites}`, 'returns rule suites', 'ListOrgRuleSuites', 200, array],
  [`GET ${suites}/{rule_suite_id}`, 'returns a rule suite', 'GetOrgRuleSuite', 200, has('id', 'rule_evaluations')],
  [`GET ${insights}/route-stats/{actor_type}/{actor_id}`, 'returns routes', 'GetApiRouteStatsByActor', 200, array],
  [`GET ${insights}/subject-stats`, 'returns subjects', 'GetApiSubjectStats', 200, array],
  [`GET ${insights}/summary-stats`, 'returns a summary', 'GetApiSummaryStats', 200, has('total_request_count')],
  [
    `GET ${insights}/summary-stats/users/{user_id}`,
    'returns a summary',
    'GetApiSummaryStatsByUser',
    200,
    has('total_request_count'),
  ],
  [
    `GET ${insights}/summary-stats/{actor_type}/{actor_id}`,
    'returns a summary',
    'GetApiSummaryStatsByActor',
    200,
    has('total_request_count'),
  ],
  [`GET ${insights}/time-stats`, 'returns times', 'GetApiTimeStats', 200, array],
  [`GET ${insights}/time-stats/users/{user_id}`, 'returns times', 'GetApiTimeStatsByUser', 200, array],
  [`GET ${insights}/time-stats/{actor_type}/{actor_id}`, 'returns times', 'GetApiTimeStatsByActor', 200, array],
  [`GET ${insights}/user-stats/{user_id}`, 'returns what a user did', 'GetApiUserStats', 200, array],
  ['GET /events', 'returns public events', 'ListPublicEvents', 200, array],
  ['GET /networks/{owner}/{repo}/events', 'returns those of forks', 'ListPublicEventsForRepoNetwork', 200, array],
  ['GET /orgs/{org}/events', 'returns those of an organization', 'ListPublicOrgEvents', 200, array],
  ['GET /repos/{owner}/{repo}/events', 'returns those of a repository', 'ListRepoEvents', 200, array],
  ['GET /users/{username}/events', 'returns those of a user', 'ListEventsForAuthenticatedUser', 200, array],
  ['GET /users/{username}/events/orgs/{org}', 'returns a dashboard', 'ListOrgEventsForAuthenticatedUser', 200, array],
  ['GET /users/{username}/events/public', 'returns public ones', 'ListPublicEventsForUser', 200, array],
  ['GET /users/{username}/received_events', 'returns received ones', 'ListReceivedEventsForUser', 200, array],
  [
    'GET /users/{username}/received_events/public',
    'returns public received ones',
    'ListReceivedPublicEventsForUser',
    200,
    array,
  ],
  ['GET /app/hook/config', 'returns the configuration', 'GetWebhookConfig', 200, has('content_type', 'insecure_ssl')],
  ['PATCH /app/hook/config', 'changes it', 'UpdateWebhookConfig', 200, has('content_type')],
  ['GET /app/hook/deliveries', 'returns deliveries', 'ListDeliveries', 200, array],
  [
    'GET /app/hook/deliveries/{delivery_id}',
    'returns a delivery',
    'GetDelivery',
    200,
    has('id', 'request', 'response'),
  ],
  ['POST /app/hook/deliveries/{delivery_id}/attempts', 'delivers again', 'RedeliverDelivery', 202, has()],
  [`GET ${imports}`, 'returns the status of an import', 'GetImportStatus', 200, has('status', 'vcs_url')],
  [`PUT ${imports}`, 'starts an import', 'StartImport', 201, has('status', 'vcs_url')],
  [`PATCH ${imports}`, 'changes an import', 'UpdateImport', 200, has('status')],
  [`DELETE ${imports}`, 'cancels an import', 'CancelImport', 204, empty],
  [`GET ${imports}/authors`, 'returns authors', 'GetCommitAuthors', 200, array],
  [`PATCH ${imports}/authors/{author_id}`, 'maps an author', 'MapCommitAuthor', 200, has('id', 'email', 'name')],
  [`GET ${imports}/large_files`, 'returns large files', 'GetLargeFiles', 200, array],
  [`PATCH ${imports}/lfs`, 'sets the preference', 'SetLfsPreference', 200, has('use_lfs')],
  ['GET /rate_limit', 'returns the limits of the caller', 'GetRateLimit', 200, has('resources', 'rate')],
];

/** Statuses that the document gives an endpoint, beyond the one of its example. */
const documented: readonly [line: string, statuses: readonly number[]][] = [
  [`GET ${contents}`, [200, 302, 304, 403, 404]],
  [`PUT ${contents}`, [200, 201, 404, 409, 422]],
  [`DELETE ${contents}`, [200, 404, 409, 422, 503]],
  ['GET /repos/{owner}/{repo}/readme', [200, 304, 404, 422]],
  ['GET /repos/{owner}/{repo}/readme/{dir}', [200, 404, 422]],
  ['GET /repos/{owner}/{repo}/tarball/{ref}', [302]],
  ['POST /repos/{owner}/{repo}/git/commits', [201, 404, 409, 422]],
  ['GET /repos/{owner}/{repo}/git/commits/{commit_sha}', [200, 404, 409]],
  [`GET ${suites}`, [200, 404, 500]],
  [`GET ${suites}/{rule_suite_id}`, [200, 404, 500]],
  ['GET /events', [200, 304, 403, 503]],
  ['GET /networks/{owner}/{repo}/events', [200, 301, 304, 403, 404]],
  ['GET /app/hook/deliveries', [200, 400, 422]],
  ['GET /app/hook/deliveries/{delivery_id}', [200, 400, 422]],
  ['POST /app/hook/deliveries/{delivery_id}/attempts', [202, 400, 422]],
  [`GET ${imports}`, [200, 404, 503]],
  [`PUT ${imports}`, [201, 404, 422, 503]],
  [`PATCH ${imports}`, [200, 503]],
  [`DELETE ${imports}`, [204, 503]],
  [`GET ${imports}/authors`, [200, 404, 503]],
  [`PATCH ${imports}/authors/{author_id}`, [200, 404, 422, 503]],
  [`GET ${imports}/large_files`, [200, 503]],
  [`PATCH ${imports}/lfs`, [200, 422, 503]],
];

const listsWithSize = [
  '/orgs/harbor-lab/rulesets/rule-suites',
  '/events',
  '/networks/harbor-lab/compass/events',
  '/orgs/harbor-lab/events',
  '/repos/harbor-lab/compass/events',
  '/users/wren/events',
  '/users/wren/events/orgs/harbor-lab',
  '/users/wren/events/public',
  '/users/wren/received_events',
  '/users/wren/received_events/public',
];

/** The tables of section 4 of the hosting document. */
export function hostingEndpoints({ gateway, ask, example }: HostingServer): Section {
  const described = async (line: string): Promise<Described> => {
    const { paths } = (await gateway.request('/openapi/hosting.json')).json;
    const [method = '', path = ''] = line.split(' ');
    return paths[path][method.toLowerCase()];
  };
  const statements: Statement[] = [
    ...endpoints.map(
      ([line, does, operation, status, judge]): Statement => [
        `${line} ${does} with ${status}`,
        async () => {
          expect((await described(line)).operationId).toBe(operation);
          const answer = await example(operation);
          expect({ status: answer.status, body: answer.status === status ? '' : answer.text }).toEqual({
            status,
            body: '',
          });
          await judge(answer);
        },
      ],
    ),
    ...documented.map(
      ([line, statuses]): Statement => [
        `${line} is described with ${statuses.join(', ')}`,
        async () =>
          expect(Object.keys((await described(line)).responses)).toEqual(expect.arrayContaining(statuses.map(String))),
      ],
    ),
    ...listsWithSize.flatMap((path): Statement[] => [
      [
        `GET ${path} takes per_page`,
        async () => expect((await ask(`GET ${path}?per_page=1`)).json.length).toBeLessThanOrEqual(1),
      ],
      [
        `GET ${path} has 100 items on a page at most`,
        async () => {
          const answer = await ask(`GET ${path}?per_page=1000`);
          expect([answer.status, answer.json.length <= 100]).toEqual([200, true]);
        },
      ],
      [
        `GET ${path} takes page`,
        async () => {
          const [one, two] = [
            (await ask(`GET ${path}?per_page=1`)).json,
            (await ask(`GET ${path}?per_page=1&page=2`)).json,
          ];
          if (two.length > 0) expect(two[0].id).not.toBe(one[0].id);
        },
      ],
    ]),
  ];
  return { document: 'hosting', title: '4. Endpoints', statements };
}

interface Described {
  operationId: string;
  responses: object;
}

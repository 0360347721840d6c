import { sql } from 'kysely';
import { type Endpoint, pathParameterNames } from 'operation-rest';
import type { TestGateway } from '../harness/gateway.ts';

/** Values of a parameter in the demo data; each must succeed. */
export interface Sample {
  good: string[];
  /** In a path: well-formed values without a resource, and malformed values. All are 404. */
  unknown?: string[];
}

/** By parameter name, for all operations, or by `Operation.parameter` for one. */
export type Samples = Record<string, Sample>;

/** Sample values of the demo data. A new operation needs a line here for each parameter without one. */
export async function findSamples({ database }: Pick<TestGateway, 'database'>): Promise<Samples> {
  const read = async (query: ReturnType<typeof sql<{ value: string }>>): Promise<string[]> => {
    const { rows } = await query.execute(database.sql);
    if (rows.length === 0) throw new Error('The demo world has no such thing to take samples from.');
    return rows.map(row => String(row.value));
  };
  const [publicMember = ''] =
    await read(sql`select a.login as value from membership m join account a on a.id = m.account_id
    join account o on o.id = m.organization_id where o.login = 'harbor-lab' and m.is_public order by a.id limit 1`);
  return {
    'GetArticle.id': {
      good: await read(sql`select id as value from article order by id limit 2`),
      unknown: ['987654321', 'x', '0', '-1', '1.5', '1e999', '%00', 'null'],
    },
    'ListArticles.source': { good: await read(sql`select source as value from article group by source limit 2`) },
    'ListArticles.categories__slug': {
      good: [...(await read(sql`select slug as value from category order by id limit 1`)), 'no-such-category'],
    },
    'ListArticles.search': { good: ['sleep', '"high blood" pressure', 'no-such-word', '', '%', "it's, é"] },
    'ListArticles.ordering': { good: ['-like_count,headline', 'read_time_minutes', 'nonsense', '', '-id'] },
    // A time long after the demo, with and without the greatest id of an article.
    'ListArticles.as_of': { good: ['4102444800000.1000', '4102444800000', ''] },
    'GetAppBySlug.app_slug': { good: ['harbor-pilot'], unknown: ['no-such-app', '%00', 'a%2Fb'] },
    'CheckMembershipForUser.org': { good: ['harbor-lab'], unknown: ['wren', 'nobody-at-all'] },
    'CheckMembershipForUser.username': { good: [publicMember], unknown: ['nobody-at-all', 'okello'] },
    'CheckPublicMembershipForUser.org': { good: ['harbor-lab'], unknown: ['wren', 'nobody-at-all'] },
    'CheckPublicMembershipForUser.username': { good: [publicMember], unknown: ['nobody-at-all', 'okello'] },
    since: { good: ['0', '3', ''] },
    role: { good: ['admin', 'member', 'all'] },
    username: {
      good: ['wren', 'HARBOR-LAB'],
      unknown: ['nobody-at-all', '%00', 'a%2Fb', 'o%E2%84%AAello', 'x'.repeat(300)],
    },
    'CheckFollowingForUser.username': { good: ['juniper'], unknown: ['nobody-at-all', '%00'] },
    'CheckFollowingForUser.target_user': { good: ['wren'], unknown: ['nobody-at-all', '%00'] },
    'ListFollowersForUser.username': { good: ['wren', 'JUNIPER', 'harbor-lab'], unknown: ['nobody-at-all', '%00'] },
    'ListFollowingForUser.username': { good: ['wren', 'JUNIPER', 'harbor-lab'], unknown: ['nobody-at-all', '%00'] },
    'ListReposWatchedByUser.username': { good: ['wren', 'JUNIPER', 'harbor-lab'], unknown: ['nobody-at-all', '%00'] },
    'ListOrgsForUser.username': { good: ['wren', 'JUNIPER', 'harbor-lab'], unknown: ['nobody-at-all', '%00'] },
    org: { good: ['harbor-lab', 'Northgate'], unknown: ['wren', 'nobody-at-all', '%00', 'a%2Fb'] },
    app_slug: { good: ['harbor-pilot'], unknown: ['no-such-app', '%00', 'a%2Fb'] },
    'SearchRepositories.q': { good: ['compass', 'user:harbor-lab', '%'] },
    'SearchRepositories.sort': { good: ['stars', 'updated'] },
    'SearchUsers.q': { good: ['wren', 'type:org', '%'] },
    'SearchUsers.sort': { good: ['followers', 'joined'] },
    q: { good: ['compass'] },
    sort: { good: ['updated'] },
    order: { good: ['asc', 'desc'] },
    page: { good: ['1', '', ' 1 '] },
    page_size: { good: ['1', '2', '100', '1000000', '0', '-3', 'x', ''] },
    if_none_match: { good: ['"none-of-mine"'] },
    per_page: { good: ['1', '2', '100', '1000000', '0', '-3', 'x', ''] },
  };
}

/** The samples of one parameter. @throws Error with instructions if there are none */
export function sampleOf({ operation }: Endpoint, parameter: string, samples: Samples): Sample {
  const sample = samples[`${operation.name}.${parameter}`] ?? samples[parameter];
  if (sample) return sample;
  throw new Error(
    `${operation.file}: there is no sample for the parameter «${parameter}». ` +
      `Add '${operation.name}.${parameter}' to findSamples in test/contract/samples.ts.`,
  );
}

/** A request for an endpoint: path below the base path, with its query. */
export interface Call {
  name: string;
  path: string;
}

/** Successful requests: without optional parameters, with each value of each, and with all of them. */
export function sampleCalls(endpoint: Endpoint, samples: Samples): Call[] {
  const { operation } = endpoint;
  const inPath = pathParameterNames(operation.path);
  const path = filled(endpoint, samples);
  const optional = operation.parameters
    .filter(parameter => !inPath.includes(parameter.name))
    .map(parameter => parameter.name);
  const calls: Call[] = [{ name: 'bare', path }];
  for (const name of optional) {
    for (const value of sampleOf(endpoint, name, samples).good) {
      calls.push({ name: `${name}=${value}`, path: `${path}?${new URLSearchParams([[name, value]])}` });
    }
  }
  if (optional.length > 1) {
    const all = optional.map((name): [string, string] => [name, sampleOf(endpoint, name, samples).good[0] ?? '']);
    calls.push({ name: 'all parameters at once', path: `${path}?${new URLSearchParams(all)}` });
  }
  for (const name of inPath) {
    for (const value of sampleOf(endpoint, name, samples).good.slice(1)) {
      calls.push({ name: `{${name}} = ${value}`, path: filled(endpoint, samples, { [name]: value }) });
    }
  }
  return calls;
}

/** Paths of absent resources, one path parameter at a time. */
export function missingCalls(endpoint: Endpoint, samples: Samples): Call[] {
  return pathParameterNames(endpoint.operation.path).flatMap(name => {
    const { unknown = [] } = sampleOf(endpoint, name, samples);
    if (unknown.length === 0)
      throw new Error(`${endpoint.operation.file}: the sample of {${name}} names nothing unknown.`);
    return unknown.map(value => ({ name: `{${name}} = ${value}`, path: filled(endpoint, samples, { [name]: value }) }));
  });
}

function filled(endpoint: Endpoint, samples: Samples, given: Record<string, string> = {}): string {
  return endpoint.operation.path.replace(
    /\{\+?(\w+)\}/g,
    (_, name: string) => given[name] ?? encodeURIComponent(sampleOf(endpoint, name, samples).good[0] ?? ''),
  );
}

import assert from 'node:assert/strict';
import type { BenchOptions, BenchResult } from './benchmark.ts';
import { formatTable, showSpread, spreadOf } from './figures.ts';
import { benchSecret, loadBuild } from './load-build.ts';
import { currentLoad } from './machine.ts';
import { largeRepository, preparePages } from './pages-world.ts';
import type { Pinning } from './pinning.ts';
import { asReader } from './reader.ts';
import { type Server, startServer } from './server.ts';

const bar = 2;
/** Requests of one round, one after the other. */
const perRound = 20;

interface Request {
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** A page, and the requests by which a client of an API gets what it shows; `graphql` for the query that the page links. */
interface Subject {
  name: string;
  page: Request;
  twin: readonly Request[] | 'graphql';
}

const json = { accept: 'application/json', 'user-agent': 'bench' };
const html = { accept: 'text/html' };

/**
 * Each page beside its own operation, which a second gateway answers as JSON, and beside the requests of REST that give what it shows, or
 * the query of a dashboard at `/graphql`. The bar is for CPU of the server; times are those of one request after the other.
 */
export const pages = {
  name: 'pages',
  about: 'each page over its operation as JSON, and over REST or /graphql; a repository of 10,000 files included',
  async measure(url: string, pinning: Pinning | undefined, options: BenchOptions = {}): Promise<BenchResult> {
    const { rounds = 5, warmUp = 60, only } = options;
    const world = await preparePages(url);
    const servers = await Promise.all(['gateway', 'gateway-page-data'].map(name => startServer(name, url, pinning)));
    const [gateway, data] = servers as [Server, Server];
    try {
      const subjects = (await subjectsOf(gateway, world)).filter(
        ({ name }) => only === undefined || only.includes(name),
      );
      const rows: string[][] = [];
      const missed: string[] = [];
      const figures: unknown[] = [];
      for (const { name, page, twin } of subjects) {
        const contenders = [
          { server: gateway, requests: [page] },
          { server: data, requests: [page] },
          { server: gateway, requests: twin === 'graphql' ? [await queryOf(gateway, page)] : twin },
        ];
        const samples = contenders.map((): Sample[] => []);
        for (const one of contenders) await sample(one.server, one.requests, warmUp);
        for (let round = 0; round < rounds; round++)
          for (const [at, one] of contenders.entries())
            samples[at]?.push(await sample(one.server, one.requests, perRound));
        const [own = [], operation = [], api = []] = samples;
        const ratios = [operation, api].map(others => ({
          cpu: spreadOf(own.map((one, round) => one.cpu / (others[round]?.cpu ?? Number.NaN))),
          time: spreadOf(own.map((one, round) => one.ms / (others[round]?.ms ?? Number.NaN))),
        }));
        figures.push({ name, page: own, operation, api, ratios });
        const [overOperation, overApi] = ratios;
        rows.push([
          name,
          showSpread(spreadOf(own.map(({ cpu }) => cpu)), 1),
          showSpread(overOperation?.cpu ?? spreadOf([]), 2),
          showSpread(overApi?.cpu ?? spreadOf([]), 2),
          (overOperation?.time.median ?? Number.NaN).toFixed(2),
          (overApi?.time.median ?? Number.NaN).toFixed(2),
        ]);
        for (const [at, over] of ['its operation', twin === 'graphql' ? '/graphql' : 'REST'].entries()) {
          const ratio = ratios[at]?.cpu.median ?? Number.NaN;
          if (ratio > bar)
            missed.push(`pages: ${name} takes ${ratio.toFixed(2)} times the CPU of ${over}; the bar is ≤ ${bar}`);
        }
      }
      const head = ['', 'CPU, ms', 'CPU/operation', 'CPU/API', 'time/operation', 'time/API'];
      const about = `${rounds} rounds of ${perRound} requests in turns; load ${currentLoad()} at the end`;
      return { text: [`\npages: ${about}\n`, formatTable([head, ...rows])].join('\n'), missed, figures };
    } finally {
      await Promise.all(servers.map(server => server.stop()));
    }
  },
};

interface Sample {
  /** CPU time of the server per page, in milliseconds. */
  cpu: number;
  /** Milliseconds per page: of all requests of a twin, one after the other. */
  ms: number;
}

async function sample(server: Server, requests: readonly Request[], count: number): Promise<Sample> {
  const [cpu, started] = [await server.cpu(), performance.now()];
  for (let at = 0; at < count; at++) for (const one of requests) await answerOf(server, one);
  const ms = (performance.now() - started) / count;
  return { cpu: ((await server.cpu()) - cpu) / count / 1000, ms };
}

async function answerOf({ address }: Server, { path, headers, body }: Request): Promise<string> {
  const sent = body === undefined ? {} : { method: 'POST', body };
  const response = await fetch(`${address}${path}`, { headers, redirect: 'manual', ...sent });
  const text = await response.text();
  assert.equal(response.status, 200, `${path} answers ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

/** The query of a dashboard, which its page links. */
async function queryOf(server: Server, page: Request): Promise<Request> {
  const [, query = ''] = /\/graphiql#query=([^"]+)"/.exec(await answerOf(server, page)) ?? [];
  const body = JSON.stringify({ query: decodeURIComponent(query) });
  const headers = { ...page.headers, ...json, 'content-type': 'application/json' };
  const answer = JSON.parse(await answerOf(server, { path: '/graphql', headers, body }));
  assert.equal(answer.errors, undefined, JSON.stringify(answer.errors));
  return { path: '/graphql', headers, body };
}

async function subjectsOf(gateway: Server, { first, last }: { first: string; last: string }): Promise<Subject[]> {
  const { deriveKeys, readConfig, demoOwner } = await loadBuild();
  const keys = deriveKeys(readConfig({ SECRET_KEY: benchSecret }));
  const wren = { authorization: `Bearer ${demoOwner(keys).token}` };
  const amira = { authorization: (await asReader()).Authorization };
  const compass = 'harbor-lab/compass';
  const ruleset = JSON.parse(
    await answerOf(gateway, { path: `/repos/${compass}/rulesets`, headers: { ...json, ...wren } }),
  )[0].id;
  const repos = (repository: string, paths: readonly string[], headers = {}): Request[] =>
    ['', ...paths].map(path => ({ path: `/repos/${repository}${path}`, headers: { ...json, ...headers } }));
  const large = (name: string, path: string, twins: readonly string[]): Subject => ({
    name: `10,000 files: ${name}`,
    page: { path: `/${largeRepository}${path}`, headers: html },
    twin: repos(largeRepository, twins),
  });
  const small = (name: string, path: string, twins: readonly string[]): Subject => ({
    name,
    page: { path: `/${compass}${path}`, headers: { ...html, ...wren } },
    twin: repos(compass, twins, wren),
  });
  const board = (name: string, path: string, headers: Record<string, string>): Subject => ({
    name,
    page: { path, headers: { ...html, ...headers } },
    twin: 'graphql',
  });
  const file = 'packages/part-7/file-20.ts';
  return [
    large('repository', '', ['/contents/', '/commits?per_page=1', '/readme']),
    large('directory of 100', '/tree/main/packages/part-7', [
      '/contents/packages/part-7',
      '/commits?path=packages/part-7&per_page=1',
    ]),
    large('directory of 1,000', '/tree/main/wide', ['/contents/wide', '/commits?path=wide&per_page=1']),
    large('file', `/blob/main/${file}`, [`/contents/${file}`, `/commits?path=${file}&per_page=1`]),
    large('commits', '/commits', ['/commits?per_page=35']),
    large('commits of a file', `/commits/main/${file}`, [`/commits?path=${file}&per_page=35`]),
    large('commit', `/commit/${last}`, [`/commits/${last}`]),
    large('comparison', `/compare/${first}...main`, [`/compare/${first}...main`]),
    large('branches', '/branches', ['/branches?per_page=100']),
    large('tags', '/tags', ['/tags?per_page=100']),
    small('repository', '', ['/contents/', '/commits?per_page=1', '/readme']),
    small('file', '/blob/main/README.md', ['/contents/README.md', '/commits?path=README.md&per_page=1']),
    small('commits', '/commits', ['/commits?per_page=35']),
    small('ruleset', `/rules/${ruleset}`, [`/rulesets/${ruleset}`]),
    {
      name: 'account',
      page: { path: '/harbor-lab', headers: { ...html, ...wren } },
      twin: ['/orgs/harbor-lab', '/orgs/harbor-lab/repos?per_page=100'].map(path => ({
        path,
        headers: { ...json, ...wren },
      })),
    },
    {
      name: 'app',
      page: { path: '/apps/harbor-pilot', headers: html },
      twin: [{ path: '/apps/harbor-pilot', headers: json }],
    },
    board('API usage', '/orgs/harbor-lab/dashboards/api-usage', wren),
    board('rule suites', '/orgs/harbor-lab/dashboards/rule-suites', wren),
    board('rule suites of a repository', `/${compass}/rules/suites`, wren),
    board('deliveries', '/orgs/harbor-lab/dashboards/deliveries', wren),
    board('health', '/health', amira),
    board('health goals', '/health/goals', amira),
    board('health vitals', '/health/vitals', amira),
    board('health symptoms', '/health/symptoms', amira),
    board('health assessments', '/health/assessments', amira),
  ];
}

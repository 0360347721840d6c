import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { encodeCursor } from '../schema/vocabulary/cursor.ts';
import { type AlternatingRound, alternatingRounds, type Contestant, type SentRequest } from './alternating-rounds.ts';
import { anchors, type BenchOptions, type BenchResult } from './benchmark.ts';
import { formatTable, showSpread, spreadOf } from './figures.ts';
import { currentLoad } from './machine.ts';
import type { Pinning } from './pinning.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { type Server, startServer } from './server.ts';
import { articleCount } from './world.ts';

const listPath = '/api/v1/articles/';
/** Pages that are asked for in turn. */
const pages = Array.from({ length: 16 }, (_, index) => index + 1);
const offsetOf = (page: number): number => (page - 1) * 20;

/** Requests of each contestant before the first round. */
const defaultWarmUp = 6_000;

interface Peer {
  /** For `--only`. */
  key: string;
  label: string;
  /** A target of `bench/server-process.ts`. */
  server: string;
  request(page: number): SentRequest;
  startsWith: string;
  /** Sent once before anything else. */
  first?(): SentRequest;
  /** The articles and the count of a body, in the names of the contract; absent: the body is that of the contract. */
  read?(body: unknown): ContractPage;
}

/** What all answers must agree on. */
interface ContractPage {
  count: number;
  results: Record<string, unknown>[];
}

const rest = (page: number): SentRequest => ({ path: page === 1 ? listPath : `${listPath}?page=${page}` });

const post = (body: object): SentRequest => ({
  path: '/graphql',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The selection of the published list, in one graph or another. */
const selection = (
  id: string,
  categories: string,
): string => `{ id${id} headline summary image_url: imageUrl author source
  source_url: sourceUrl ${categories} { id${id} name slug } read_time_minutes: readTimeMinutes published_at: publishedAt
  like_count: likeCount comment_count: commentCount is_liked: isLiked is_bookmarked: isBookmarked }`;

const porticoDocument = `query Page($after: String) {
  articles(after: $after, first: 20) { totalCount nodes ${selection(': databaseId', 'categories')} }
}`;
const porticoVariables = (page: number): { after: string | null } => ({
  after: page === 1 ? null : encodeCursor('ArticleConnection', offsetOf(page)),
});

/** The page of the list as a document of the graph. */
export const listDocumentRequest = (page: number): SentRequest =>
  post({ query: porticoDocument, variables: porticoVariables(page) });

const sha256Hash = createHash('sha256').update(porticoDocument).digest('hex');
const extensions = { persistedQuery: { version: 1, sha256Hash } };

const typeGraphqlDocument = `query Page($offset: Int!) {
  articles(offset: $offset, first: 20) { totalCount nodes ${selection('', 'categories')} }
}`;

const postgraphileDocument = `query Page($offset: Int!) {
  articles: allArticles(offset: $offset, first: 20, orderBy: [PUBLISHED_AT_DESC, ROW_ID_DESC]) {
    totalCount nodes ${selection(': rowId', 'categories: categoriesList')}
  }
}`;

/** Ids may be text, codes may be the names of an enumeration, and an instant has several spellings. */
function readGraph(body: unknown): ContractPage {
  const { articles } = (body as { data: { articles: { totalCount: number; nodes: ContractPage['results'] } } }).data;
  const results = articles.nodes.map(node => ({
    ...node,
    id: Number(node.id),
    source: String(node.source).toLowerCase(),
    published_at: new Date(String(node.published_at)).toISOString().replace('.000Z', '.000000Z'),
    categories: (node.categories as { id: unknown }[]).map(one => ({ ...one, id: Number(one.id) })),
  }));
  return { count: articles.totalCount, results };
}

const restStart = `{"count":${articleCount},"`;
const graphStart = '{"data":{"articles":{"totalCount":';
const restPeer = (key: string, label: string, server: string): Peer => ({
  key,
  label,
  server,
  request: rest,
  startsWith: restStart,
});

const peers: readonly Peer[] = [
  restPeer('rest', 'Portico, REST', 'gateway'),
  {
    key: 'graphql',
    label: 'Portico, GraphQL, repeated document',
    server: 'gateway',
    request: listDocumentRequest,
    startsWith: graphStart,
    read: readGraph,
  },
  {
    key: 'graphql-hash',
    label: 'Portico, GraphQL, persisted hash',
    server: 'gateway',
    first: () => post({ query: porticoDocument, variables: porticoVariables(1), extensions }),
    request: page => post({ variables: porticoVariables(page), extensions }),
    startsWith: graphStart,
    read: readGraph,
  },
  restPeer('node-http', 'node:http, one statement makes the JSON', 'peer-node-http'),
  restPeer('fastify', 'Fastify 5, bare', 'peer-fastify'),
  restPeer('express', 'Express 5, bare', 'peer-express'),
  restPeer('express-buffered', 'Express 5, same duties, buffered log', 'peer-express-buffered'),
  restPeer('express-duties', 'Express 5, same duties', 'peer-express-duties'),
  restPeer('sofa', 'sofa-api, a graph of its own', 'peer-sofa'),
  {
    key: 'postgraphile',
    label: 'PostGraphile 5',
    server: 'peer-postgraphile',
    request: page => post({ query: postgraphileDocument, variables: { offset: offsetOf(page) } }),
    startsWith: graphStart,
    read: readGraph,
  },
  {
    key: 'type-graphql',
    label: 'type-graphql, Apollo, DataLoader',
    server: 'peer-type-graphql',
    request: page => post({ query: typeGraphqlDocument, variables: { offset: offsetOf(page) } }),
    startsWith: graphStart,
    read: readGraph,
  },
];

/** Bars of the server CPU, by the labels above. */
const bars = [
  { of: 'Portico, REST', over: 'Express 5, same duties', bar: 1 },
  { of: 'Portico, REST', over: 'Express 5, bare', bar: 1.25 },
  { of: 'Portico, REST', over: 'node:http, one statement makes the JSON', bar: 1.5 },
  { of: 'Portico, GraphQL, repeated document', over: 'Portico, REST', bar: 1.2 },
];

/** The keys of the peers, for `--only`. */
export const peerKeys = peers.map(({ key }) => key);

/** The article list of Portico beside servers that others would write, in one run on one PostgreSQL. */
export const peersBench = {
  name: 'peers',
  about: `GET ${listPath}: 20 of ${articleCount} articles with their categories, and the count; pages 1 to ${pages.length} in turn`,
  async measure(url: string, pinning: Pinning | undefined, options: BenchOptions = {}): Promise<BenchResult> {
    const { rounds = 3, seconds = 4, warmUp = defaultWarmUp, only = peerKeys } = options;
    const chosen = peers.filter(({ key }) => only.includes(key) || key === 'rest');
    const servers: Server[] = [];
    try {
      const contestants: Contestant[] = [];
      for (const peer of chosen) {
        const server = await startServer(peer.server, url, pinning);
        servers.push(server);
        contestants.push({
          label: peer.label,
          server,
          requests: pages.map(peer.request),
          startsWith: peer.startsWith,
        });
      }
      await assertEqualAnswers(chosen, servers);
      const databaseCpu = await postgresCpu(url);
      const measured = await alternatingRounds(contestants, { warmUp, rounds, seconds, databaseCpu });
      const settings = { rounds, seconds, warmUp, loadAfter: currentLoad() };
      return show(measured, settings);
    } finally {
      await Promise.all(servers.map(server => server.stop()));
    }
  },
};

/** Throws unless REST servers answer with the bytes of the contract, and GraphQL servers with the same data. */
async function assertEqualAnswers(chosen: readonly Peer[], servers: readonly Server[]): Promise<void> {
  const [contract] = servers;
  assert.ok(contract);
  for (const [index, peer] of chosen.entries()) {
    const server = servers[index];
    assert.ok(server);
    if (peer.first) await fetchText(server, peer.first());
    for (const page of [...pages, articleCount / 20]) {
      const expected = await fetchText(contract, rest(page));
      const received = await fetchText(server, peer.request(page));
      const where = `Page ${page} of «${peer.label}»`;
      if (peer.read) {
        const { count, results } = JSON.parse(expected) as ContractPage;
        assert.deepEqual(peer.read(JSON.parse(received)), { count, results }, where);
      } else {
        assert.equal(received, expected, where);
      }
      assert.ok(received.startsWith(peer.startsWith), `${where} starts with ${received.slice(0, 60)}`);
    }
  }
}

/** The body, without the server's own address and the time of the first page in links. */
async function fetchText({ address }: Server, { path, ...init }: SentRequest): Promise<string> {
  const response = await fetch(`${address}${path}`, init);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${text.slice(0, 300)}`);
  return text.replaceAll(address, '').replaceAll(anchors, '');
}

function show(
  measured: ReadonlyMap<string, readonly AlternatingRound[]>,
  settings: { rounds: number; seconds: number; warmUp: number; loadAfter: number },
): BenchResult {
  const porticoLabels = [...measured.keys()].filter(label => label.startsWith('Portico'));
  const ratio = (of: string, over: string): number => {
    // Per round, because other load in a round affects both.
    const [ours = [], theirs = []] = [of, over].map(label => measured.get(label));
    return spreadOf(ours.map((round, at) => round.cpu / (theirs[at]?.cpu ?? Number.NaN))).median;
  };
  const figures = [...measured].map(([label, rounds]) => {
    const database = rounds.flatMap(({ databaseCpu }) => databaseCpu ?? []);
    return {
      label,
      cpu: spreadOf(rounds.map(({ cpu }) => cpu)),
      databaseCpu: database.length > 0 ? spreadOf(database) : undefined,
      throughput: spreadOf(rounds.map(({ throughput }) => throughput)),
      p50: spreadOf(rounds.map(({ p50 }) => p50)),
      p99: spreadOf(rounds.map(({ p99 }) => p99)),
      ratios: Object.fromEntries(porticoLabels.map(of => [of, ratio(of, label)])),
    };
  });
  const head = ['', 'server CPU µs', 'database CPU µs', 'requests/s', 'p50 ms', 'p99 ms'];
  const rows = figures.map(one => [
    one.label,
    showSpread(one.cpu),
    one.databaseCpu ? showSpread(one.databaseCpu) : '',
    showSpread(one.throughput),
    one.p50.median.toFixed(0),
    one.p99.median.toFixed(0),
  ]);
  const ratioRows = figures.map(one => [one.label, ...porticoLabels.map(of => (one.ratios[of] ?? 0).toFixed(2))]);
  const verdicts = bars.flatMap(({ of, over, bar }) => {
    if (!measured.has(of) || !measured.has(over)) return [];
    const cpu = ratio(of, over);
    const line = `${of} over ${over}: ${cpu.toFixed(2)}; the bar is ≤ ${bar}: ${cpu <= bar ? 'reached' : 'MISSED'}`;
    return [{ line, isMissed: cpu > bar }];
  });
  const text = [
    `\n${peersBench.name}: ${peersBench.about}`,
    `${settings.warmUp} requests of warm-up each, then ${settings.rounds} rounds of ${settings.seconds} s in turns; per request; load ${settings.loadAfter} at the end\n`,
    formatTable([head, ...rows]),
    '\n  Server CPU of Portico over that of\n',
    formatTable([['', ...porticoLabels.map(label => label.replace('Portico, ', ''))], ...ratioRows]),
    '',
    ...verdicts.map(({ line }) => `  ${line}`),
  ];
  const missed = verdicts.filter(({ isMissed }) => isMissed).map(({ line }) => `${peersBench.name}: ${line}`);
  return { text: text.join('\n'), missed, figures: { settings, contestants: figures } };
}

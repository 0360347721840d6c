import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { PublicOrigin } from '../../src/config/public-origin.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../src/server/gateway.ts';
import { createJobRunner } from '../../src/server/job-runner.ts';
import { createLogger } from '../../src/server/logger.ts';
import { replicaSettings } from '../../src/server/replica-settings.ts';
import { testSecret } from './secret.ts';
import { countingClient, type Sent } from './statements.ts';

export interface TestGatewayOptions {
  /** What opens the demo world, as the start page and the explorer show it. */
  demo?: GatewayOptions['demo'];
  /** `demo`: with the demo data. `empty`: migrated tables without rows. */
  data?: 'demo' | 'empty';
  /** URL of a migrated database that the test made, instead of `data`. */
  databaseUrl?: string;
  /** Port of a pooler on this machine, through which requests reach the database. */
  poolerPort?: number;
  /** Settings in addition to the defaults. */
  settings?: Record<string, string>;
  /** Start of the test clock, which moves only when a test moves it. */
  now?: string;
  /** The log level, `error` by default. */
  logLevel?: 'info' | 'warn' | 'error';
  /** Another gateway, whose database and clock this one shares. */
  beside?: TestGateway;
  /** Whether jobs are processed, including sending mail. */
  workers?: boolean;
  /** Whether blocks of the event loop are reported. */
  watchesEventLoop?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary keys of a JSON response and asserts their values.
  json: any;
}

export interface TestGateway {
  url: string;
  /** Origin of METRICS_PORT. */
  metricsUrl: string | undefined;
  /** Path of the one-time link of the demo world. */
  demoPath: string | undefined;
  /** The answer of /metrics to the bearer of METRICS_TOKEN. */
  metrics(): Promise<Answer>;
  database: Database;
  /** Paths outside of the contracts, with what limits their requests. */
  routes: Gateway['routes'];
  clock: { now: Date };
  /** Sends a request without following redirects. `path` starts with a slash. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  graphql(query: string, variables?: Record<string, unknown>): Promise<Answer>;
  /** The SQL statements sent while `work` ran, without transaction control. */
  statements(work: () => Promise<unknown>): Promise<string[]>;
  /** The same with parameter values. */
  sent(work: () => Promise<unknown>): Promise<Sent[]>;
  /**
   * Log lines at error level, which report defects. A test that provokes one clears the list; any remaining one fails the
   * file.
   */
  defects: string[];
  /** All log lines. */
  lines: string[];
  /** URL of its database. */
  databaseUrl: string;
  /** Stops the gateway as SIGTERM does. Called after the file if no test has called it. */
  stop(): Promise<void>;
}

/** The media type of GraphQL responses whose status tells an error. */
const errorsByStatus = 'application/graphql-response+json';

/**
 * Creates a database in the PostgreSQL server of the run by cloning a template, and drops it after the file. Returns its
 * URL. `bare`: a new PostgreSQL database without tables.
 */
export async function testDatabase(template: 'demo' | 'empty' | 'bare'): Promise<string> {
  // biome-ignore lint/style/noProcessEnv: set by the set-up of the run.
  const server = process.env.PORTICO_TEST_SERVER;
  if (!server) throw new Error('The run has no PostgreSQL: start tests with `npm test`.');
  const name = `t_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client(server);
  await admin.connect();
  const source = template === 'bare' ? 'template0' : `template_${template}`;
  await admin.query(`create database ${name} template ${source} strategy file_copy`);
  await admin.end();
  afterAll(async () => {
    const last = new pg.Client(server);
    await last.connect();
    await last.query(`drop database ${name} with (force)`);
    await last.end();
  });
  return server.replace(/[^/]*$/, name);
}

/**
 * Starts a complete gateway on a free port with its own database. Stopped after the file, which fails if a defect was
 * logged.
 */
export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  // Registered first: hooks run in the order of registration, and the gateway must stop before its database is dropped.
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const url = options.databaseUrl ?? options.beside?.databaseUrl ?? (await testDatabase(options.data ?? 'demo'));
  const counting = countingClient();
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    DATABASE_POOL: '5',
    SECRET_KEY: testSecret,
    PORTICO_DATA: join(tmpdir(), `portico-test-${process.pid}`),
    RATE_LIMIT_FACTOR: 'off',
    METRICS_TOKEN: 'metrics-token-of-tests',
    ...options.settings,
  });
  const defects: string[] = [];
  const lines: string[] = [];
  const logger = createLogger(options.logLevel ?? 'error', {
    write(line: string) {
      lines.push(line);
      if (JSON.parse(line).level >= 50) defects.push(line);
    },
  });
  const { poolerPort } = options;
  const database = await openDatabase({
    url: poolerPort === undefined ? url : Object.assign(new URL(url), { host: `127.0.0.1:${poolerPort}` }).href,
    directUrl: poolerPort === undefined ? undefined : url,
    poolSize: config.DATABASE_POOL,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    replicas: replicaSettings(config, logger),
    clientClass: counting.Client,
  });
  const clock = options.beside?.clock ?? { now: new Date(options.now ?? '2026-11-01T12:00:00Z') };
  const keys = deriveKeys(config);
  const publicOrigin = new PublicOrigin(config);
  const common = { config, database, keys, clock: () => clock.now, logger, publicOrigin };
  const workers = createJobRunner({ ...common, url, pollSeconds: 0.1 });
  if (options.workers) await workers.start();
  const gateway = await startGateway({
    ...common,
    demo: options.demo,
    watchesEventLoop: options.watchesEventLoop ?? false,
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= gateway.stop();
    return stopped;
  };
  closing.push(async () => {
    await stop();
    if (options.workers) await workers.stop();
    await database.close();
    rmSync(config.PORTICO_DATA, { recursive: true, force: true });
    if (defects.length > 0) throw new Error(`The gateway logged defects:\n${defects.join('')}`);
  });
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    // `fetch` asks for compression, which takes away lengths and strong entity tags.
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    // By `application/json`, the default, errors of a document are 200.
    if (/^\/(?:api\/)?graphql\b/.test(path) && !headers.has('accept')) headers.set('accept', errorsByStatus);
    const response = await fetch(`${gateway.address}${path}`, { redirect: 'manual', ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  const sent = async (work: () => Promise<unknown>): Promise<Sent[]> => {
    const before = counting.sent.length;
    await work();
    return counting.sent.slice(before);
  };
  return {
    url: gateway.address,
    metricsUrl: gateway.metricsAddress,
    demoPath: gateway.demoPath,
    metrics: () => request('/metrics', { headers: { authorization: `Bearer ${config.METRICS_TOKEN}` } }),
    database,
    routes: gateway.routes,
    clock,
    defects,
    lines,
    databaseUrl: url,
    stop,
    request,
    graphql: (query, variables) =>
      request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
    sent,
    statements: async work => (await sent(work)).map(({ text }) => text),
  };
}

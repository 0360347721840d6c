import 'reflect-metadata';
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
import { startGateway } from '../../src/server/gateway.ts';
import { createJobRunner } from '../../src/server/job-runner.ts';
import { createLogger } from '../../src/server/logger.ts';
import { testSecret } from './secret.ts';
import { countingClient, type Sent } from './statements.ts';

export interface TestGatewayOptions {
  /** `demo`: the demo world is there. `empty`: migrated tables. */
  data?: 'demo' | 'empty';
  /** Settings beside the defaults. */
  settings?: Record<string, string>;
  /** Where the clock stands; it runs on by itself no more than you move it. */
  now?: string;
  /** How much is logged; `error` unless a test reads the log. */
  logLevel?: 'info' | 'warn' | 'error';
  /** Another gateway, whose database and clock this one uses as well. */
  beside?: TestGateway;
  /** Whether jobs are worked on, mails sent among them. */
  workers?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into a JSON answer and says itself what must be there.
  json: any;
}

export interface TestGateway {
  url: string;
  database: Database;
  clock: { now: Date };
  /** A request as a client sends it; redirects are not followed. `path` starts with a slash. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  graphql(query: string, variables?: Record<string, unknown>): Promise<Answer>;
  /** The SQL that was sent while `work` ran, without transaction brackets. */
  statements(work: () => Promise<unknown>): Promise<string[]>;
  /** The same with the values that went along. */
  sent(work: () => Promise<unknown>): Promise<Sent[]>;
  /** Log lines at error level: defects. Tests that provoke one empty it; whatever is left fails the file. */
  defects: string[];
  /** Every line logged. */
  lines: string[];
  /** Where its database is. */
  databaseUrl: string;
  /** What SIGTERM does; done after the file unless a test did. */
  stop(): Promise<void>;
}

/**
 * A server URL of the run's PostgreSQL with a fresh database cloned from a template, dropped after the file.
 * `bare`: what PostgreSQL itself makes, no tables at all.
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

/** A whole gateway on a free port over a database of its own. Stopped after the file, which fails if a defect was logged. */
export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  // Registered first, because hooks run in the order of their registration and a gateway outlives no database.
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const url = options.beside?.databaseUrl ?? (await testDatabase(options.data ?? 'demo'));
  const counting = countingClient();
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    DATABASE_POOL: '5',
    SECRET_KEY: testSecret,
    PORTICO_DATA: join(tmpdir(), `portico-test-${process.pid}`),
    RATE_LIMIT_FACTOR: 'off',
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
  const database = await openDatabase({
    url,
    poolSize: config.DATABASE_POOL,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    clientClass: counting.Client,
  });
  const clock = options.beside?.clock ?? { now: new Date(options.now ?? '2026-11-01T12:00:00Z') };
  const keys = deriveKeys(config);
  const publicOrigin = new PublicOrigin(config);
  const common = { config, database, keys, clock: () => clock.now, logger, publicOrigin };
  const workers = createJobRunner({ ...common, url, pollSeconds: 0.1 });
  if (options.workers) await workers.start();
  const gateway = await startGateway(common);
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
    const response = await fetch(`${gateway.address}${path}`, { redirect: 'manual', ...init });
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
    database,
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

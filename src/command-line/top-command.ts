import type { Command } from 'commander';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../config/config.ts';
import { jobsSchema } from '../jobs/jobs-database.ts';
import type { ListedTally, RecentSummary } from '../server/recent-requests.ts';
import { printError, printLine, withDatabase } from './with-database.ts';

/** Rows of each table. */
const maxRows = 10;
/** Characters of a statement. */
const maxText = 90;
const requestTimeoutMs = 5_000;

/** The command `top`: what an operator looks at first when the installation is slow. */
export function addTop(portico: Command, config: Config): void {
  portico
    .command('top')
    .description(
      'Shows who and what uses the installation: callers, operations, statements and jobs of the last minutes.',
    )
    .option('--url <origin>', 'of a gateway', `http://127.0.0.1:${config.METRICS_PORT || config.PORT}`)
    .action(async ({ url }: { url: string }) => {
      await showRequests(url, config.METRICS_TOKEN);
      await withDatabase(config, async ({ sql: db }) => {
        await showRunning(db);
        await showStatements(db);
        await showJobs(db);
      });
    });
}

async function showRequests(url: string, token: string | undefined): Promise<void> {
  if (token === undefined) {
    printError('Callers and operations need METRICS_TOKEN, which the gateway and this command have in common.');
    return;
  }
  try {
    const response = await fetch(new URL('/metrics/top', url), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    const { minutes, callers, operations } = (await response.json()) as RecentSummary;
    showTallies(`Callers of the last ${minutes} minutes, by time (the ids of the log)`, callers);
    showTallies(`Operations of the last ${minutes} minutes, by time`, operations);
  } catch (error) {
    printError(`The gateway ${url} cannot be asked: ${(error as Error).message}.`);
  }
}

const showTallies = (title: string, tallies: readonly ListedTally[]): void =>
  show(
    title,
    ['requests', 'seconds', 'failed', 'name'],
    tallies.map(({ name, requests, seconds, failures }) => [requests, seconds.toFixed(1), failures, name]),
  );

async function showRunning(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{
    pid: number;
    seconds: number;
    state: string;
    waits: string | null;
    app: string;
    query: string;
  }>`
    select pid, extract(epoch from now() - coalesce(query_start, backend_start))::float8 as seconds, state, wait_event as waits,
      application_name as app, query
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
    order by query_start limit ${maxRows}`.execute(db);
  show(
    'Statements that run now',
    ['pid', 'seconds', 'state', 'waits for', 'pool', 'statement'],
    rows.map(({ pid, seconds, state, waits, app, query }) => [
      pid,
      seconds.toFixed(1),
      state,
      waits ?? '',
      app,
      shorten(query),
    ]),
  );
}

/** The extension may be in any schema, or absent. */
async function showStatements(db: Kysely<unknown>): Promise<void> {
  const { rows: found } = await sql<{ schema: string }>`select n.nspname as schema from pg_extension e
    join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_stat_statements'`.execute(db);
  const schema = found[0]?.schema;
  if (schema === undefined) {
    printLine('\nStatements by time: the extension pg_stat_statements is not installed (docs/operations.md).');
    return;
  }
  const { rows } = await sql<{ calls: number; total: number; mean: number; query: string }>`
    select calls::int, total_exec_time::float8 as total, mean_exec_time::float8 as mean, query
    from ${sql.table(`${schema}.pg_stat_statements`)} where dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit ${maxRows}`.execute(db);
  show(
    'Statements by time, since the statistics were reset',
    ['calls', 'seconds', 'mean ms', 'statement'],
    rows.map(({ calls, total, mean, query }) => [calls, (total / 1000).toFixed(1), mean.toFixed(1), shorten(query)]),
  );
}

async function showJobs(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ queue: string; waiting: number; active: number; done: number; failed: number }>`
    select name as queue, (count(*) filter (where state < 'active'))::int as waiting,
      (count(*) filter (where state = 'active'))::int as active,
      (count(*) filter (where state = 'completed' and completed_on > now() - interval '5 minutes'))::int as done,
      (count(*) filter (where state = 'failed' and completed_on > now() - interval '5 minutes'))::int as failed
    from ${sql.table(`${jobsSchema}.job`)} where state < 'completed' or completed_on > now() - interval '5 minutes'
    group by 1 order by 2 desc, 1`.execute(db);
  show(
    'Jobs of the last 5 minutes',
    ['waiting', 'active', 'done', 'failed', 'queue'],
    rows.map(({ queue, waiting, active, done, failed }) => [waiting, active, done, failed, queue]),
  );
}

function show(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  printLine(`\n${title}`);
  if (rows.length === 0) {
    printLine('  none');
    return;
  }
  const cells = [head, ...rows.map(row => row.map(String))];
  const widths = head.map((_, at) => cells.reduce((most, row) => Math.max(most, (row[at] ?? '').length), 0));
  for (const row of cells) {
    const line = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
    printLine(`  ${line.join('  ')}`);
  }
}

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
};

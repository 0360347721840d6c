import { type Command, InvalidArgumentError } from 'commander';
import { deriveKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import { type Database, inTransaction, openDatabase } from '../db/database.ts';
import { migrate, withStartLock } from '../db/migrate.ts';
import { openPostgres } from '../db/open-postgres.ts';
import { discardParkedJob, listParkedJobs, retryParkedJob } from '../jobs/parked-jobs.ts';
import { prepareJobs } from '../jobs/prepare-jobs.ts';
import { interrupted } from './interrupted.ts';
import { printError, printLine, withUnmigratedDatabase } from './with-database.ts';

/** The commands `jobs` and `worker`. */
export function addJobs(portico: Command, config: Config): void {
  const jobs = portico
    .command('jobs')
    .description('Jobs that are parked because their attempts have killed the process.');
  jobs
    .command('list')
    .description('Lists the parked jobs: id, queue, deaths of the process, time and data.')
    .action(() => withJobTables(config, async database => (await listParkedJobs(database.read)).forEach(printJob)));
  for (const [name, description, act] of [
    ['retry', 'Lets a parked job run again.', retryParkedJob],
    ['discard', 'Deletes a parked job.', discardParkedJob],
  ] as const) {
    jobs
      .command(name)
      .description(description)
      .argument('<id>', 'id of the job', jobId)
      .action((id: string) =>
        withJobTables(config, async database => {
          if (await inTransaction(database, db => act(db, id))) return;
          printError(`No job ${id} is parked.`);
          process.exitCode = 1;
        }),
      );
  }
  portico
    .command('worker')
    .description('Runs background jobs and nothing else, until it is stopped: for gateways with JOBS=off.')
    .action(() => runWorker(config));
}

function jobId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError('must be an id that `portico jobs list` prints');
}

const printJob = ({ id, queue, deaths, parkedAt, data }: Awaited<ReturnType<typeof listParkedJobs>>[number]): void =>
  printLine(`${id}  ${queue}  ${deaths}  ${parkedAt.toISOString()}  ${JSON.stringify(data)}`);

function withJobTables(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  return withUnmigratedDatabase(config, async (database, url) => {
    await withStartLock(url, async () => {
      await migrate(database);
      await prepareJobs(url, []);
    });
    await work(database);
  });
}

async function runWorker(config: Config): Promise<void> {
  // The tasks load most of the server, which no other command needs.
  const [{ createJobRunner }, { createLogger }] = await Promise.all([
    import('../server/job-runner.ts'),
    import('../server/logger.ts'),
  ]);
  const logger = createLogger(config.LOG_LEVEL);
  const signal = interrupted();
  const server = await openPostgres(config, 'join', logger);
  try {
    const { url, directUrl, sessionUrl } = server;
    const { DATABASE_POOL: poolSize, STATEMENT_TIMEOUT_MS: statementTimeoutMs } = config;
    const database = await openDatabase({ url, directUrl, poolSize, statementTimeoutMs });
    try {
      const keys = deriveKeys(config);
      const runner = createJobRunner({ config, database, keys, clock: () => new Date(), url: sessionUrl, logger });
      try {
        await withStartLock(sessionUrl, async () => {
          await migrate(database);
          await runner.prepare();
        });
        await runner.start();
        logger.info('the worker runs jobs');
        await new Promise(resolve => signal.addEventListener('abort', resolve));
      } finally {
        await runner.stop();
      }
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

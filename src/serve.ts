import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { demoData } from '../seeds/demo.ts';
import { demoCredentials } from '../seeds/health/people.ts';
import { demoOwner, demoServiceCredential, loadDemoHosting } from '../seeds/hosting/demo-credentials.ts';
import { type DerivedKeys, deriveKeys } from './auth/derived-keys.ts';
import { type Config, loadConfig } from './config/config.ts';
import { isLoopbackAddress } from './config/host-name.ts';
import { PublicOrigin } from './config/public-origin.ts';
import { type Database, inTransaction, openDatabase } from './db/database.ts';
import { hasCluster } from './db/embedded-cluster.ts';
import { migrate, withStartLock } from './db/migrate.ts';
import { openPostgres } from './db/open-postgres.ts';
import { type Seed, seedOnce } from './db/seed-once.ts';
import { clockWarning } from './db/server-report.ts';
import { gitWarning } from './git/system-git.ts';
import { refreshLexemeFrequencies } from './health/articles/lexeme-frequencies.ts';
import type { DemoCredentials } from './pages/demo-access.ts';
import { compileGateway } from './server/compile-gateway.ts';
import { startGateway } from './server/gateway.ts';
import { createJobRunner } from './server/job-runner.ts';
import { createLogger } from './server/logger.ts';
import { replicaSettings } from './server/replica-settings.ts';
import { trimMemory } from './server/trim-memory.ts';
import { describeStartError } from './start-errors.ts';
import { startStep } from './start-steps.ts';
import { startTracing } from './telemetry/start-tracing.ts';

/** Starts config, database, schema, server and job runner, and stops them in reverse order on SIGTERM. */
async function main(): Promise<void> {
  const warnings: string[] = [];
  const config = loadConfig('serve', message => warnings.push(message));
  const logger = createLogger(config.LOG_LEVEL);
  for (const message of warnings) logger.warn(message);
  const stopping = stopSignal();
  const traces = await startTracing(config, logger);
  const server = await startStep(databaseStep(config), () =>
    openPostgres(config, 'own', logger, () => compileMeanwhile(config)),
  );
  try {
    const database = await openDatabase({
      url: server.url,
      directUrl: server.directUrl,
      poolSize: config.DATABASE_POOL,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
      replicas: replicaSettings(config, logger),
    });
    const skew = clockWarning(database.server);
    if (skew !== undefined) logger.warn(skew);
    const oldGit = await gitWarning();
    if (oldGit !== undefined) logger.warn(oldGit);
    try {
      const keys = deriveKeys(config);
      const clock = (): Date => new Date();
      const publicOrigin = new PublicOrigin(config);
      const demo = config.SEED === 'demo' ? demoOf(config, keys) : undefined;
      const jobRunner = createJobRunner({
        config,
        database,
        keys,
        clock,
        url: server.sessionUrl,
        logger,
        publicOrigin,
      });
      await withStartLock(server.sessionUrl, async () => {
        await startStep('Migrating the database', async () => {
          const names = await migrate(database);
          if (names.length > 0) logger.info({ names }, 'migrated');
          await jobRunner.prepare();
        });
        if (config.SEED === 'demo') await fillDemoWorld(database, demoData(keys, clock()));
      });
      let isStarted = false;
      try {
        const gateway = await startGateway({
          config,
          database,
          keys,
          logger,
          clock,
          publicOrigin,
          demo,
          watchesEventLoop: true,
          isStarted: () => isStarted,
        });
        // Requests enqueue jobs without it.
        if (config.JOBS === 'on') await jobRunner.start();
        const base = publicOrigin.value;
        await writeDemo(config, database, keys, base);
        isStarted = true;
        // Before the memory is trimmed, which also drops the code that ran once and that the next start needs.
        flushCompileCache();
        trimMemory();
        // The credentials of a demo world that others reach stay in its file.
        printStartMessage({
          base,
          companion: config.COMPANION,
          demo: isLoopbackAddress(config.HOST) ? demo : undefined,
          demoPath: gateway.demoPath,
        });
        logger.info(`stopping on ${await stopping}`);
        await gateway.stop();
      } finally {
        await jobRunner.stop();
      }
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
    // The last, when all spans have ended.
    await traces?.stop(Math.min(config.DRAIN_TIMEOUT_MS, maxTraceFlushMs));
  }
}

/** Time in which the spans that wait are sent at the end, at most. */
const maxTraceFlushMs = 2_000;

/** Uses the time in which PostgreSQL starts. What fails here fails again, and is reported, when the gateway starts. */
function compileMeanwhile(config: Config): void {
  try {
    compileGateway(config);
  } catch {}
}

const databaseStep = (config: Config): string => {
  if (config.DATABASE_URL !== undefined) return 'Connecting to the database';
  return hasCluster(config.PORTICO_DATA) ? 'Starting PostgreSQL' : 'Creating the database';
};

/** Inserts the demo data into a database that has not had it. */
async function fillDemoWorld(database: Database, { name, insert }: Seed): Promise<void> {
  const isNew = await seedOnce(database, { name, insert: em => startStep('Filling the demo world', () => insert(em)) });
  // Once more after the commit, which writes the index.
  if (isNew) await inTransaction(database, refreshLexemeFrequencies);
}

/** Ctrl-C reaches the gateway twice below `npm start`: from the terminal, and a moment later from npm, which passes it on. */
const repeatedSignalMs = 500;

/** Resolves with the name of the first signal. A second signal ends the process at once, unless it is a repetition of the first. */
function stopSignal(): Promise<string> {
  return new Promise(settle => {
    let first: { signal: string; at: number } | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const now = performance.now();
        if (first === undefined) {
          first = { signal, at: now };
          settle(signal);
        } else if (signal !== first.signal || now - first.at > repeatedSignalMs) process.exit(1);
      });
    }
  });
}

/** What the start page and the explorer show of the demo world. */
const demoOf = (config: Config, keys: DerivedKeys): DemoCredentials => ({
  health: demoCredentials(keys).amira,
  hosting: demoOwner(keys),
  service: demoServiceCredential(keys),
  file: demoFile(config),
});

const demoFile = (config: Config): string => join(resolve(config.PORTICO_DATA), 'demo.json');

/** Writes the accounts and tokens of the demo data to demo.json, for scripts and people. */
async function writeDemo(config: Config, database: Database, keys: DerivedKeys, base: string): Promise<void> {
  if (config.SEED !== 'demo') return;
  mkdirSync(resolve(config.PORTICO_DATA), { recursive: true });
  const world = {
    base_url: base,
    health: { users: demoCredentials(keys) },
    hosting: await loadDemoHosting(database, keys),
  };
  writeFileSync(demoFile(config), `${JSON.stringify(world, null, 2)}\n`, { mode: 0o600 });
}

interface Started {
  base: string;
  companion: Config['COMPANION'];
  /** What is printed of the demo world. */
  demo: DemoCredentials | undefined;
  demoPath: string | undefined;
}

function printStartMessage({ base, companion, demo, demoPath = '' }: Started): void {
  const absent = companion === 'off' ? '\n    The companion is switched off (COMPANION=off).' : '';
  const access = demo
    ? `
  Demo world:
    health log-in   ${demo.health.email}, password ${demo.health.password}
    hosting token   ${demo.hosting.token}  (${demo.hosting.login})
    dashboards      ${base}/orgs/${demo.hosting.organization}/dashboards/api-usage
                    ${base}/dashboards/service, with ${demo.service}
    all of them     ${demo.file}
    start page      ${base}${demoPath}  (shows them to the first browser that opens it)
`
    : '';
  process.stdout.write(`
  Portico is up.

    Start page      ${base}/
    GraphQL         ${base}/graphql     (explorer: ${base}/graphiql)
    REST, health    ${base}/api/v1
    REST, hosting   ${base}/api/v3
    Documentation   ${base}/docs${absent}
${access}
  Try:
    curl '${base}/api/v1/articles/?search=sleep&page_size=1'
    curl ${base}/versions
    curl ${base}/graphql -H 'content-type: application/json' -d '{"query":"{ articleCategories { slug name } }"}'

`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exit(1);
  },
);

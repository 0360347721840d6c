import 'reflect-metadata';

/** Runs the jobs of the database named in PORTICO's settings, argv[2] as JSON, until it is killed. */
const [{ deriveKeys }, { readConfig }, { openDatabase }, { createJobRunner }] = await Promise.all([
  import('../../../dist/src/auth/derived-keys.js' as string) as Promise<
    typeof import('../../../src/auth/derived-keys.ts')
  >,
  import('../../../dist/src/config/config.js' as string) as Promise<typeof import('../../../src/config/config.ts')>,
  import('../../../dist/src/db/database.js' as string) as Promise<typeof import('../../../src/db/database.ts')>,
  import('../../../dist/src/server/job-runner.js' as string) as Promise<
    typeof import('../../../src/server/job-runner.ts')
  >,
]);
const config = readConfig(JSON.parse(process.argv[2] ?? '{}'));
const url = config.DATABASE_URL ?? '';
const database = await openDatabase({ url, poolSize: 8, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS });
const logger = { info() {}, warn() {}, error: (facts: object) => process.stderr.write(`${JSON.stringify(facts)}\n`) };
const workers = createJobRunner({
  config,
  database,
  keys: deriveKeys(config),
  clock: () => new Date(),
  url,
  logger,
  pollSeconds: 0.1,
});
await workers.start();
process.stdout.write('started\n');

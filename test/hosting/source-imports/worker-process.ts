import 'reflect-metadata';

/** Works on the jobs of the database in PORTICO's settings, argv[2] as JSON, until it is killed. */
const [{ openKeys }, { readConfig }, { openDatabase }, { workersOf }] = await Promise.all([
  import('../../../dist/src/auth/keys.js' as string) as Promise<typeof import('../../../src/auth/keys.ts')>,
  import('../../../dist/src/config/config.js' as string) as Promise<typeof import('../../../src/config/config.ts')>,
  import('../../../dist/src/db/database.js' as string) as Promise<typeof import('../../../src/db/database.ts')>,
  import('../../../dist/src/server/workers.js' as string) as Promise<typeof import('../../../src/server/workers.ts')>,
]);
const config = readConfig(JSON.parse(process.argv[2] ?? '{}'));
const url = config.DATABASE_URL ?? '';
const database = await openDatabase({ url, pool: 8, statementTimeout: config.STATEMENT_TIMEOUT_MS });
const logger = { info() {}, warn() {}, error: (facts: object) => process.stderr.write(`${JSON.stringify(facts)}\n`) };
const workers = workersOf({
  config,
  database,
  keys: openKeys(config),
  clock: () => new Date(),
  url,
  logger,
  pollSeconds: 0.1,
});
await workers.start();
process.stdout.write('started\n');

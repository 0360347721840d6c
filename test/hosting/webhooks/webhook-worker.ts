import 'reflect-metadata';

/** Runs the product's workers for the database in argv[2] until killed. Prints «ready» after start. */
const [{ createJobRunner }, { openDatabase }, { readConfig }, { deriveKeys }] = await Promise.all([
  import('../../../dist/src/server/job-runner.js' as string) as Promise<
    typeof import('../../../src/server/job-runner.ts')
  >,
  import('../../../dist/src/db/database.js' as string) as Promise<typeof import('../../../src/db/database.ts')>,
  import('../../../dist/src/config/config.js' as string) as Promise<typeof import('../../../src/config/config.ts')>,
  import('../../../dist/src/auth/derived-keys.js' as string) as Promise<
    typeof import('../../../src/auth/derived-keys.ts')
  >,
]);
const [, , url = '', secret = ''] = process.argv;
const config = readConfig({ DATABASE_URL: url, SECRET_KEY: secret, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' });
const database = await openDatabase({ url, poolSize: 4, statementTimeoutMs: 30_000 });
const silent = { info() {}, warn() {}, error() {} } as never;
const clock = (): Date => new Date();
await createJobRunner({
  config,
  database,
  keys: deriveKeys(config),
  clock,
  url,
  logger: silent,
  pollSeconds: 0.1,
}).start();
process.stdout.write('ready\n');

import 'reflect-metadata';

/** The workers of the product, for the database at argv[2], until they are killed. Says «ready» when they have begun. */
const [{ workersOf }, { openDatabase }, { readConfig }, { openKeys }] = await Promise.all([
  import('../../../dist/src/server/workers.js' as string) as Promise<typeof import('../../../src/server/workers.ts')>,
  import('../../../dist/src/db/database.js' as string) as Promise<typeof import('../../../src/db/database.ts')>,
  import('../../../dist/src/config/config.js' as string) as Promise<typeof import('../../../src/config/config.ts')>,
  import('../../../dist/src/auth/keys.js' as string) as Promise<typeof import('../../../src/auth/keys.ts')>,
]);
const [, , url = '', secret = ''] = process.argv;
const config = readConfig({ DATABASE_URL: url, SECRET_KEY: secret, OUTBOUND_ALLOW: '127.0.0.1' });
const database = await openDatabase({ url, pool: 4, statementTimeout: 30_000 });
const silent = { info() {}, warn() {}, error() {} } as never;
const clock = (): Date => new Date();
await workersOf({ config, database, keys: openKeys(config), clock, url, logger: silent, pollSeconds: 0.1 }).start();
process.stdout.write('ready\n');

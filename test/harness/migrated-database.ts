import { demoData } from '../../seeds/demo.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { seedOnce } from '../../src/db/seed-once.ts';
import { createJobRunner } from '../../src/server/job-runner.ts';
import { createLogger } from '../../src/server/logger.ts';
import { testSecret } from './secret.ts';

/** Migrates an empty database of a server that the test started, and fills it with the demo data. */
export async function fillDatabase(url: string, now: string): Promise<void> {
  const config = readConfig({ SECRET_KEY: testSecret });
  const keys = deriveKeys(config);
  const clock = (): Date => new Date(now);
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  try {
    await migrate(database);
    const logger = createLogger('error', { write: () => true });
    await createJobRunner({ config, database, keys, clock, url, logger }).prepare();
    await seedOnce(database, demoData(keys, clock()));
  } finally {
    await database.close();
  }
}

import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testSecret } from './secret.ts';

const clock = (): Date => new Date('2026-10-01T08:00:00Z');

const log = {
  info() {},
  warn() {},
  error: (...logged: unknown[]) => process.stderr.write(`${logged.map(String).join(' ')}\n`),
};

/** The compiled tree, typed by its sources: Node does not strip the decorators of the models. */
async function built() {
  const [database, demo, keys, config, embedded, migrate, plant, workers] = await Promise.all([
    import('../../dist/src/db/database.js' as string) as Promise<typeof import('../../src/db/database.ts')>,
    import('../../dist/seeds/demo.js' as string) as Promise<typeof import('../../seeds/demo.ts')>,
    import('../../dist/src/auth/derived-keys.js' as string) as Promise<typeof import('../../src/auth/derived-keys.ts')>,
    import('../../dist/src/config/config.js' as string) as Promise<typeof import('../../src/config/config.ts')>,
    import('../../dist/src/db/embedded.js' as string) as Promise<typeof import('../../src/db/embedded.ts')>,
    import('../../dist/src/db/migrate.js' as string) as Promise<typeof import('../../src/db/migrate.ts')>,
    import('../../dist/src/db/seed-once.js' as string) as Promise<typeof import('../../src/db/seed-once.ts')>,
    import('../../dist/src/server/job-runner.js' as string) as Promise<typeof import('../../src/server/job-runner.ts')>,
  ]);
  return { ...database, ...demo, ...keys, ...config, ...embedded, ...migrate, ...plant, ...workers };
}

/**
 * One PostgreSQL for a test run, in a process of its own: Jest's hooks into module loading must not meet the compiled tree. Two
 * templates are cloned by test files: `empty` is migrated, `demo` is planted as well. Sends its URL when it is ready, and ends
 * with the process that started it.
 */
async function serve(): Promise<void> {
  const source = await built();
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'));
  // Nothing here outlives the run, so nothing needs to reach the disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };
  const server = await source.openEmbedded({ dataFolder: folder, mode: 'own', log, settings });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  };
  process.once('disconnect', () => void stop());
  const client = new pg.Client(server.url);
  await client.connect();
  for (const template of ['empty', 'demo'] as const) {
    // The demo world is planted into a copy of the migrated one.
    await client.query(`create database template_${template}${template === 'demo' ? ' template template_empty' : ''}`);
    const url = server.url.replace(/[^/]*$/, `template_${template}`);
    const database = await source.openDatabase({ url, poolSize: 2, statementTimeoutMs: 10_000 });
    const config = source.readConfig({ SECRET_KEY: testSecret });
    const keys = source.deriveKeys(config);
    if (template === 'empty') {
      await source.migrate(database);
      await source.createJobRunner({ config, database, keys, clock, url, logger: log }).prepare();
    } else await source.seedOnce(database, source.demoData(keys, clock()));
    await database.close();
  }
  await client.end();
  process.send?.(server.url);
}

await serve();

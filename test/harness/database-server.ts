import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testSecret } from './secret.ts';
import { restoreTemplates, saveTemplates } from './template-cache.ts';

type Embedded = typeof import('../../src/db/embedded.ts');

const clock = (): Date => new Date('2026-10-01T08:00:00Z');

const log = {
  info() {},
  warn() {},
  error: (...logged: unknown[]) => process.stderr.write(`${logged.map(String).join(' ')}\n`),
};

// The data is discarded after the run, so it need not be durable.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

/** The compiled modules, typed by their sources: Node does not strip the decorators of the models. */
async function compiledModules() {
  const [database, demo, keys, config, migrate, plant, workers] = await Promise.all([
    import('../../dist/src/db/database.js' as string) as Promise<typeof import('../../src/db/database.ts')>,
    import('../../dist/seeds/demo.js' as string) as Promise<typeof import('../../seeds/demo.ts')>,
    import('../../dist/src/auth/derived-keys.js' as string) as Promise<typeof import('../../src/auth/derived-keys.ts')>,
    import('../../dist/src/config/config.js' as string) as Promise<typeof import('../../src/config/config.ts')>,
    import('../../dist/src/db/migrate.js' as string) as Promise<typeof import('../../src/db/migrate.ts')>,
    import('../../dist/src/db/seed-once.js' as string) as Promise<typeof import('../../src/db/seed-once.ts')>,
    import('../../dist/src/server/job-runner.js' as string) as Promise<typeof import('../../src/server/job-runner.ts')>,
  ]);
  return { ...database, ...demo, ...keys, ...config, ...migrate, ...plant, ...workers };
}

/**
 * Creates the databases that test files clone: `template_empty` is migrated, `template_demo` also has the demo data.
 */
async function createTemplates(server: string): Promise<void> {
  const source = await compiledModules();
  const client = new pg.Client(server);
  await client.connect();
  for (const template of ['empty', 'demo'] as const) {
    await client.query(`create database template_${template}${template === 'demo' ? ' template template_empty' : ''}`);
    const url = server.replace(/[^/]*$/, `template_${template}`);
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
}

/**
 * Recreates the templates for each run on the server of TEST_DATABASE_URL. The server needs 200 connections and serves one
 * run at a time.
 */
async function useServer(url: string): Promise<void> {
  const dropTemplates = async (): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    for (const name of ['template_demo', 'template_empty']) await client.query(`drop database if exists ${name}`);
    await client.end();
  };
  await dropTemplates();
  await createTemplates(url);
  process.once('disconnect', async () => {
    await dropTemplates();
    process.exit(0);
  });
  process.send?.(url);
}

/**
 * Runs the PostgreSQL server of a test run in a separate process, because Jest hooks into module loading and must not load
 * the compiled modules. Sends its URL when the templates exist, and exits with its parent process.
 */
async function serve(): Promise<void> {
  const { openEmbedded } = (await import('../../dist/src/db/embedded.js' as string)) as Embedded;
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-test-'));
  const open = () => openEmbedded({ dataFolder, mode: 'own', log, settings });
  const isRestored = restoreTemplates(dataFolder);
  let server = await open();
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(dataFolder, { recursive: true, force: true });
    process.exit(0);
  };
  process.once('disconnect', () => void stop());
  if (!isRestored) {
    await createTemplates(server.url);
    // Files of a running server cannot be copied.
    await server.stop();
    saveTemplates(dataFolder);
    server = await open();
  }
  process.send?.(server.url);
}

// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const ownServer = process.env.TEST_DATABASE_URL;
await (ownServer ? useServer(ownServer) : serve());

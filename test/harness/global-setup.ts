import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { build, isStale } from '../../scripts/build.ts';
import { demoWorld } from '../../seeds/demo.ts';
import { openKeys } from '../../src/auth/keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { plantOnce } from '../../src/db/plant.ts';
import { workersOf } from '../../src/server/workers.ts';
import { running } from './running.ts';
import { testSecret } from './secret.ts';

const clock = (): Date => new Date('2026-10-01T08:00:00Z');

/** One PostgreSQL for the run, with two templates that test files clone: `empty` is migrated, `demo` is planted as well. */
export default async function setUp(): Promise<void> {
  // Some tests start the built program; once here, and not by each of them at the same time.
  if (isStale()) build();
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'));
  const log = {
    info() {},
    warn() {},
    error: (...told: unknown[]) => process.stderr.write(`${told.map(String).join(' ')}\n`),
  };
  // Nothing here outlives the run, so nothing needs to reach the disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };
  const server = await openEmbedded({ dataFolder: folder, mode: 'own', log, settings });
  running.server = server;
  running.folder = folder;
  // biome-ignore lint/style/noProcessEnv: the environment is Jest's only way from here to the test files.
  process.env.PORTICO_TEST_SERVER = server.url;
  const client = new pg.Client(server.url);
  await client.connect();
  for (const template of ['empty', 'demo'] as const) {
    await client.query(`create database template_${template}`);
    const url = server.url.replace(/[^/]*$/, `template_${template}`);
    const database = await openDatabase({ url, pool: 2, statementTimeout: 10_000 });
    await migrate(database);
    const config = readConfig({ SECRET_KEY: testSecret });
    const keys = openKeys(config);
    await workersOf({ config, database, keys, clock, url, logger: log }).prepare();
    if (template === 'demo') await plantOnce(database, demoWorld(keys, clock()));
    await database.close();
  }
  await client.end();
}

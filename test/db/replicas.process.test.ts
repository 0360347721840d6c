import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ReplicaState } from '../../src/db/replicas/replica.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../harness/hosting.ts';
import { fillDatabase } from '../harness/migrated-database.ts';
import { hasPostgresPrograms, PostgresServer } from '../harness/postgres-server.ts';

const now = '2026-11-01T12:00:00Z';

async function until(isMet: () => Promise<boolean> | boolean, timeoutMs = 20_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await isMet())) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${isMet}`);
    await delay(20);
  }
}

/** What a gateway sends to keep watch of the replicas is not counted. */
const watching = /pg_is_in_recovery|pg_last_wal_replay_lsn|pg_current_snapshot/;

async function servers() {
  const primary = await PostgresServer.primary();
  await fillDatabase(primary.url(), now);
  const standbys = [await PostgresServer.standbyOf(primary, 'one'), await PostgresServer.standbyOf(primary, 'two')];
  return { primary, standbys: standbys as [PostgresServer, PostgresServer] };
}

(hasPostgresPrograms ? describe : describe.skip)('Read replicas', () => {
  test('starts', async () => {
    const { primary, standbys } = await servers();
    const [standby] = standbys;
    const gateway = await testGateway({ databaseUrl: primary.url(), settings: { DATABASE_REPLICA_URLS: standby.url(), MAX_REPLICA_LAG_MS: '60000' } });
    await until(() => gateway.database.replicas?.choose('x', 0) !== undefined);
    const sent = (await gateway.sent(() => gateway.request('/organizations'))).filter(({ text }) => !watching.test(text));
    console.log(sent.map(({port,text})=>`${port===standby.port}${text.slice(0,60)}`));
    const demo = await demoOf(gateway);
    const { ask } = callsWithTokens(gateway);
    console.log(Object.keys(demo));
    await gateway.stop(); await gateway.database.close();
    await primary.remove(); for (const s of standbys) await s.remove();
  }, 120_000);
});

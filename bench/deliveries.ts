import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { benchSecret, loadBuild } from './load-build.ts';

/** Deliveries in the backlog when the workers start, and the rate and duration of the second part. */
const backlog = 2_000;
const load = { perSecond: 200, seconds: 10 };

/**
 * Events of a repository that are delivered to an app: each written in its own transaction, built into a payload, signed, and
 * sent by workers of this process to a receiver in this process.
 */
export const deliveries = {
  name: 'deliveries',
  about: 'deliveries to one receiver, and the time from the commit of an event to its arrival',
  bars: { perSecond: 200, p99: 2_000 },
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const [{ openDatabase, inTransaction, readConfig, deriveKeys }, { createJobRunner }, { recordHookEvent }] =
      await Promise.all([
        loadBuild(),
        import('../dist/src/server/job-runner.js' as string) as Promise<typeof import('../src/server/job-runner.ts')>,
        import('../dist/src/hosting/webhooks/record-hook-event.js' as string) as Promise<
          typeof import('../src/hosting/webhooks/record-hook-event.ts')
        >,
      ]);
    const arrivals: number[] = [];
    const latencies: number[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        const { at } = JSON.parse(Buffer.concat(chunks).toString()) as { at: number };
        arrivals.push(performance.now());
        latencies.push(performance.now() - at);
      });
    });
    await new Promise<void>(done => receiver.listen(0, '127.0.0.1', done));
    const { port } = receiver.address() as AddressInfo;
    const config = readConfig({ DATABASE_URL: url, SECRET_KEY: benchSecret, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' });
    const database = await openDatabase({ url, poolSize: config.DATABASE_POOL, statementTimeoutMs: 10_000 });
    const logger = { info() {}, warn: console.warn, error: console.error };
    const clock = (): Date => new Date();
    const workers = createJobRunner({ config, database, keys: deriveKeys(config), clock, url, logger });
    await workers.prepare();
    const repositoryId = await plant(database.sql, `http://127.0.0.1:${port}/`);
    const record = async (): Promise<void> => {
      await inTransaction(database, db =>
        recordHookEvent(db, {
          event: 'star',
          action: 'created',
          repositoryId,
          at: new Date(),
          own: { at: performance.now() },
        }),
      );
    };
    try {
      for (let at = 0; at < backlog; at += 8) await Promise.all(Array.from({ length: 8 }, record));
      await workers.start();
      await until(() => arrivals.length === backlog);
      const spent = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1000;
      latencies.length = 0;
      const before = process.cpuUsage();
      const from = performance.now();
      for (let sent = 0; sent < load.perSecond * load.seconds; ) {
        const due = Math.floor(((performance.now() - from) / 1000) * load.perSecond);
        const now = Math.min(due, load.perSecond * load.seconds) - sent;
        sent += now;
        await Promise.all([...Array.from({ length: now }, record), new Promise(next => setTimeout(next, 10))]);
      }
      await until(() => latencies.length === load.perSecond * load.seconds);
      const { user, system } = process.cpuUsage(before);
      const cpu = (user + system) / 1000 / latencies.length;
      return report(
        backlog / spent,
        cpu,
        latencies.toSorted((a, b) => a - b),
      );
    } finally {
      await workers.stop();
      await database.close();
      receiver.closeAllConnections();
      receiver.close();
    }
  },
};

function report(rate: number, cpu: number, sorted: number[]): { text: string; missed: string[] } {
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  const verdict = (reached: boolean): string => (reached ? 'reached' : 'MISSED');
  const { perSecond, p99 } = deliveries.bars;
  const lines = [
    `a backlog of ${backlog}: ${rate.toFixed(0)}/s; the bar is ≥ ${perSecond}/s: ${verdict(rate >= perSecond)}`,
    `at ${load.perSecond}/s: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, ${cpu.toFixed(1)} ms of CPU of this process for each, writing and receiving included; the bar is p99 < ${p99} ms: ${verdict(at(0.99) < p99)}`,
  ];
  return {
    text: [`\n${deliveries.name}: ${deliveries.about}\n`, ...lines.map(line => `  ${line}`)].join('\n'),
    missed: lines.filter(line => line.endsWith('MISSED')).map(line => `${deliveries.name}: ${line}`),
  };
}

/** Inserts an organization with a repository and an app subscribed to its stars. Returns the repository id. */
async function plant(db: Parameters<ReturnType<typeof sql>['execute']>[0], url: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with owner as (insert into account (kind, login, created_at, updated_at)
        values ('organization', 'deliveries-' || substr(md5(random()::text), 1, 8), now(), now()) returning id),
      made as (insert into repository (owner_id, name, created_at, updated_at)
        select id, 'subscribed', now(), now() from owner returning id),
      program as (insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, events, webhook_url,
          webhook_content_type, created_at, updated_at)
        select id, 'subscribed-' || id, 'Subscribed', 'Iv.subscribed-' || id, '', 'https://example.org', array['star'], ${url}, 'json', now(), now()
        from owner returning id, owner_id),
      installed as (insert into installation (app_id, account_id, repository_selection, created_at, updated_at)
        select id, owner_id, 'all', now(), now() from program)
    select id from made`.execute(db as never);
  return rows[0]?.id ?? 0;
}

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 120_000;
  while (!done()) {
    if (performance.now() > end) throw new Error('The deliveries did not arrive within two minutes.');
    await new Promise(next => setTimeout(next, 20));
  }
}

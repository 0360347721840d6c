import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loginLimits } from '../../src/limits/action-limits.ts';
import { contracts } from '../contract/contracts.ts';
import { healthCalls, healthWorld } from '../contract/health-calls.ts';
import { officialCalls } from '../contract/official-calls/official-calls.ts';
import { officialWorld } from '../contract/official-calls/official-world.ts';
import { PublishedSchema } from '../contract/published-schema.ts';
import { call } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { send } from '../harness/people.ts';
import { MixedLoad, readDemoWorld } from './mixed-load.ts';
import { makeNextVersion } from './next-version.ts';
import { randomKills } from './random-kills.ts';
import { testTopology, throughTopology } from './through-topology.ts';
import { missingPrograms, type Topology } from './topology.ts';

/** `npm run soak` kills more. */
const kills = 12;
const seed = 1;

const isPossible = missingPrograms.length === 0;
const mails = await mailbox();
const topology = isPossible
  ? await testTopology({ settings: { SMTP_URL: mails.url, SOURCE_IMPORTS: 'on' } })
  : (undefined as unknown as Topology);
const gateway = isPossible ? await throughTopology(topology) : undefined;

/** `name`: of the folder of its clones. */
function newLoad(name: string): MixedLoad {
  const folder = join(topology.folder, name);
  mkdirSync(folder);
  return new MixedLoad({ url: topology.url, demo: readDemoWorld(join(topology.folder, 'gateway-1')), folder });
}

const contractOf = (product: string) => {
  const found = contracts.find(one => one.product.name === product);
  if (!found) throw new Error(`There is no contract of ${product}.`);
  return found.endpoints.map(({ operation }) => operation);
};

(gateway ? describe : describe.skip)('two gateways behind HAProxy, on PgBouncer and three PostgreSQL servers', () => {
  if (!gateway) {
    test('needs programs that are not installed', () => undefined);
    return;
  }

  test('every operation of the health contract is answered as published', async () => {
    const world = await healthWorld(gateway, mails);
    for (const operation of contractOf('health')) {
      const made = await healthCalls[operation.name]?.(world);
      if (!made) throw new Error(`There is no call of ${operation.name}.`);
      // `send` compares the response with the published document.
      const answer = await send(gateway, operation.method, made.path, made.body, made.access);
      expect({ name: operation.name, status: answer.status, text: answer.status < 300 ? '' : answer.text }).toEqual({
        name: operation.name,
        status: operation.status,
        text: '',
      });
    }
  }, 240_000);

  test('every operation of the hosting contract is answered as published', async () => {
    const world = await officialWorld(gateway);
    const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
    for (const { name, method, path: template } of contractOf('hosting')) {
      const made = [(await officialCalls[name]?.(world)) ?? []].flat();
      expect({ name, calls: made.length > 0 }).toEqual({ name, calls: true });
      for (const { path, authorization, body, accept } of made) {
        const headers = accept === undefined ? {} : { accept };
        const { status, json, text } = await call(gateway, method, path, authorization, body, headers);
        expect({ name, path, text: status < 400 ? '' : text }).toEqual({ name, path, text: '' });
        const problems =
          json === undefined ? [] : schema.problems(method, template.replaceAll('{+', '{'), status, json);
        // Its document repeats `committer` as an object without properties.
        const unexpected = problems.filter(one => !(name === 'GetGitCommit' && one.startsWith('/committer')));
        expect({ name, unexpected }).toEqual({ name, unexpected: [] });
      }
    }
  }, 240_000);

  test('Prometheus reads the metrics of both gateways', async () => {
    for (const end = Date.now() + 20_000; ; ) {
      const response = await fetch(`${topology.prometheusUrl}/api/v1/query?query=up%7Bjob%3D%22portico%22%7D`);
      const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
      if (data.result.filter(({ value }) => value[1] === '1').length === 2) break;
      if (Date.now() > end) throw new Error(`Prometheus reports ${JSON.stringify(data.result)}.`);
    }
  });

  test('the replica has answered reads of both products', async () => {
    const replica = topology.postgres.at(-1);
    const scans = `select relname as name from pg_stat_user_tables
      where relname in ('article', 'repository') and seq_scan + coalesce(idx_scan, 0) > 0 order by 1`;
    // A connection reports its counts a second later.
    for (const end = Date.now() + 20_000; ; ) {
      const read = await replica?.query(scans, 'portico');
      if (read?.length === 2) break;
      if (Date.now() > end) throw new Error(`The replica has read ${JSON.stringify(read)}.`);
    }
  });

  test('a caller is admitted at most the limit for each gateway while Redis restarts without its counters', async () => {
    const email = `nobody-${Date.now()}@example.org`;
    /** Number of these attempts at which the gateway looked at the password. */
    const attempt = async (times: number): Promise<number> => {
      let admitted = 0;
      for (let at = 0; at < times; at++) {
        const answer = await send(gateway, 'POST', '/auth/login/', { email, password: `wrong ${at}` });
        expect([401, 429]).toContain(answer.status);
        if (answer.status === 401) admitted++;
      }
      return admitted;
    };
    const { limit } = loginLimits.run;
    let admitted = await attempt(limit - 2);
    expect(admitted).toBe(limit - 2);
    await topology.redis.kill();
    admitted += await attempt(3 * limit);
    await topology.redis.start();
    await topology.isWhole();
    admitted += await attempt(3 * limit);
    expect(admitted).toBeGreaterThanOrEqual(limit);
    expect(admitted).toBeLessThanOrEqual(topology.gateways.length * limit);
  }, 120_000);

  test('gateways are replaced by the next version and by the one before, one at a time under load, and no request fails', async () => {
    const next = join(topology.folder, 'next-version');
    makeNextVersion(next);
    const load = newLoad('upgrade');
    await load.start();
    const endings = [];
    for (const checkout of [next, undefined])
      for (const at of topology.gateways.keys()) {
        endings.push(await topology.replaceGateway(at, checkout));
        await topology.isWhole();
      }
    await load.stop();
    expect(endings).toEqual(['0', '0', '0', '0']);
    // The version before runs on the database of the next one.
    const migrations = await topology.primary.query(
      'select name from mikro_orm_migrations order by id desc limit 1',
      'portico',
    );
    expect(migrations).toEqual([{ name: '999-upgrade-notes' }]);
    // 503 of a gateway is a statement that took too long on a busy machine: the database was never away.
    const { noGateway, cut, answered } = load.http.counts;
    const failures = load.http.failures.filter(one => !one.includes(' unavailable: '));
    expect({ noGateway, cut, failures, defects: load.http.defects }).toEqual({
      noGateway: 0,
      cut: 0,
      failures: [],
      defects: [],
    });
    expect(answered).toBeGreaterThan(50);
    expect(await load.problems()).toEqual([]);
  }, 300_000);

  test('while any process is killed under load, no acknowledged write is lost and every error is 503 with Retry-After', async () => {
    const load = newLoad('kills');
    await load.start();
    const done = await randomKills({ topology, load: load.http, kills, seed });
    await load.stop();
    expect(await load.problems()).toEqual([]);
    expect(load.http.defects).toEqual([]);
    expect(done).toHaveLength(kills);
    expect(done.filter(({ recoveryMs }) => recoveryMs >= 10_000)).toEqual([]);
    for (const [name, count] of Object.entries(load.acknowledged))
      expect({ name, isSome: count > 3 }).toEqual({ name, isSome: true });
  }, 600_000);
});

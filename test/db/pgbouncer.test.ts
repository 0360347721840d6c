import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase, PoolerWithoutServerError } from '../../src/db/database.ts';
import { testDatabase, testGateway } from '../harness/gateway.ts';
import { hasPgBouncer, PgBouncer } from '../harness/pgbouncer.ts';

const url = await testDatabase('demo');
const pooler = hasPgBouncer ? await PgBouncer.start(url, 2) : undefined;
afterAll(() => pooler?.stop());
const pooledUrl = (): string => Object.assign(new URL(url), { host: `127.0.0.1:${pooler?.port}` }).href;

const gateway = await testGateway({
  databaseUrl: url,
  ...(pooler ? { poolerPort: pooler.port } : {}),
  settings: { DATABASE_POOL: '12' },
  workers: true,
});

(pooler ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  test('reads, writes and GraphQL are served on two server connections', async () => {
    const paths = ['/api/v1/articles/?page_size=2', '/versions', '/organizations', '/users'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => gateway.request(paths[at % paths.length] ?? '/')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const guests = await Promise.all(
      Array.from({ length: 20 }, () => gateway.request('/api/v1/auth/guest/', { method: 'POST' })),
    );
    expect(new Set(guests.map(({ status }) => status))).toEqual(new Set([201]));
    const headers = { authorization: `Bearer ${guests[0]?.json.access}`, 'content-type': 'application/json' };
    const [article] = answers[0]?.json.results ?? [];
    const saved = await gateway.request(`/api/v1/articles/${article.id}/`, { headers });
    expect(saved.status).toBe(200);
    const graph = await gateway.graphql('{ articleCategories { slug name } }');
    expect(graph.json.errors).toBeUndefined();
  });

  test('the time limit of a pool holds for its statements, and reaches no other client', async () => {
    const { anonymous, write } = gateway.database.pools;
    const setting = sql<{ timeout: string; zone: string }>`
      select current_setting('statement_timeout') as timeout, current_setting('timezone') as zone`;
    expect(await anonymous.read(setting)).toEqual([{ timeout: '1s', zone: 'UTC' }]);
    expect((await write.transaction(db => setting.execute(db))).rows).toEqual([{ timeout: '10s', zone: 'UTC' }]);
    expect(await write.pipeline()([setting])).toEqual([[{ timeout: '10s', zone: 'UTC' }]]);
    await expect(anonymous.read(sql`select pg_sleep(5)`)).rejects.toMatchObject({ code: '57014' });
    expect(await anonymous.read(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    const other = new pg.Client({ connectionString: pooledUrl() });
    await other.connect();
    for (let at = 0; at < 5; at++)
      expect((await other.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    await other.end();
  });

  test('a failed statement leaves its transaction undone and the connection usable', async () => {
    const { write } = gateway.database.pools;
    const before = (
      await gateway.database.read(sql<{ count: number }>`select count(*)::int as count from category`)
    )[0];
    const failed = write.transaction(async db => {
      await sql`delete from category where slug = 'none'`.execute(db);
      await sql`select 1 / 0`.execute(db);
    });
    await expect(failed).rejects.toThrow('division by zero');
    await expect(write.read(sql`select 1 / 0`)).rejects.toThrow('division by zero');
    expect(await gateway.database.read(sql`select count(*)::int as count from category`)).toEqual([before]);
  });

  test('is refused without the address of the server', async () => {
    const options = { url: pooledUrl(), poolSize: 2, statementTimeoutMs: 1_000 };
    await expect(openDatabase(options)).rejects.toThrow(PoolerWithoutServerError);
  });

  test('a pooler that stops makes requests and readiness fail with 503', async () => {
    expect((await gateway.request('/readyz')).status).toBe(200);
    await pooler?.stop();
    const statuses = [];
    for (const path of ['/api/v1/articles/', '/organizations']) statuses.push((await gateway.request(path)).status);
    expect(statuses).toEqual([503, 503]);
    // The result of the last check is reused for a moment.
    while ((await gateway.request('/readyz')).status !== 503);
    gateway.defects.length = 0;
  });
});

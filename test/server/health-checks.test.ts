import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { type Answer, type TestGateway, testGateway } from '../harness/gateway.ts';
import { requestToHost } from '../harness/request-to-host.ts';

const gateway = await testGateway({ logLevel: 'warn' });
const metricsToken = 'metrics-token-1b2c3d4e';
const scraped = await testGateway({ data: 'empty', settings: { METRICS_TOKEN: metricsToken } });
const untoken = await testGateway({ data: 'empty', settings: { METRICS_TOKEN: '' } });

/** Executes statements on the test database over a separate connection. */
async function withAdminConnection(work: (admin: pg.Client, name: string) => Promise<void>): Promise<void> {
  const url = new URL(gateway.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const admin = new pg.Client(url.href);
  await admin.connect();
  try {
    await work(admin, name);
  } finally {
    await admin.end();
  }
}

const terminateConnections = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';

/** Repeats the request until the response has the status. Returns the last response in any case. */
async function eventually(ask: () => Promise<Answer>, status: number): Promise<Answer> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (answer.status === status || Date.now() > deadline) return answer;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

const ready = (): Promise<Answer> => gateway.request('/readyz');

describe('/livez and /readyz', () => {
  test('are 200 in JSON with no-store while the database is reachable', async () => {
    for (const [path, status] of Object.entries({ '/livez': 'ok', '/readyz': 'ready' })) {
      const answer = await gateway.request(path);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ status });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const head = await gateway.request(path, { method: 'HEAD' });
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    }
  });

  test('an unreachable database makes it not ready but alive, and ready again when it is back', async () => {
    await withAdminConnection(async (admin, name) => {
      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query(terminateConnections, [name]);
    });
    const lines = gateway.lines.length;
    try {
      const away = await eventually(ready, 503);
      expect(away.status).toBe(503);
      expect(away.json).toEqual({ status: 'not ready' });
      expect((await gateway.request('/livez')).status).toBe(200);

      const health = await gateway.request('/api/v1/articles/');
      expect(health.status).toBe(503);
      expect(health.json).toEqual({ detail: expect.any(String), code: 'service_unavailable' });
      expect(Number(health.headers.get('retry-after'))).toBeGreaterThan(0);
      const graphql = await gateway.graphql('{ articleCategories { id } }');
      expect(graphql.json.errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
      // Endpoints without database access are served meanwhile.
      expect((await gateway.request('/versions')).status).toBe(200);
      // The operator sees the reason as a warning: it is not a defect of the program.
      const logged = gateway.lines.slice(lines).map(line => JSON.parse(line));
      expect(logged.length).toBeGreaterThan(0);
      expect(logged.filter(line => line.level !== 40)).toEqual([]);
      expect(logged[0].err.message).toContain('not currently accepting connections');
    } finally {
      await withAdminConnection(async (admin, name) => {
        await admin.query(`alter database ${name} allow_connections true`);
      });
    }
    expect((await eventually(ready, 200)).status).toBe(200);
    expect((await gateway.request('/api/v1/articles/')).status).toBe(200);
  });

  test('terminated connections are replaced', async () => {
    await Promise.all(Array.from({ length: 5 }, () => gateway.request('/api/v1/articles/')));
    await withAdminConnection(async (admin, name) => {
      await admin.query(terminateConnections, [name]);
    });
    expect((await eventually(() => gateway.request('/api/v1/articles/'), 200)).status).toBe(200);
  });

  test('a missing migration makes it not ready', async () => {
    await sql`update mikro_orm_migrations set name = name || ' (gone)'`.execute(gateway.database.sql);
    try {
      expect((await eventually(ready, 503)).status).toBe(503);
    } finally {
      await sql`update mikro_orm_migrations set name = replace(name, ' (gone)', '')`.execute(gateway.database.sql);
    }
    expect((await eventually(ready, 200)).status).toBe(200);
  });

  test('a database that does not respond is reported before a probe times out', async () => {
    const locker = new pg.Client(gateway.databaseUrl);
    await locker.connect();
    try {
      await locker.query('begin; lock table mikro_orm_migrations in access exclusive mode');
      const started = performance.now();
      expect((await eventually(ready, 503)).status).toBe(503);
      // Two seconds plus the delay of a busy machine; connecting alone may take five.
      expect(performance.now() - started).toBeLessThan(4_500);
    } finally {
      await locker.end();
    }
    expect((await eventually(ready, 200)).status).toBe(200);
  });

  test('concurrent probes share one database check', async () => {
    const started = performance.now();
    let answers: Answer[] = [];
    const statements = await gateway.statements(async () => {
      answers = await Promise.all(Array.from({ length: 100 }, ready));
    });
    const looks = Math.ceil((performance.now() - started) / 200) + 1;
    expect(answers.filter(response => response.status !== 200)).toEqual([]);
    expect(statements.length).toBeLessThanOrEqual(3 * looks);
    expect(3 * looks).toBeLessThan(100);
  });
});

describe('/metrics', () => {
  interface Sample {
    name: string;
    labels: Record<string, string>;
    value: number;
  }

  async function metrics(): Promise<{ text: string; samples: Sample[] }> {
    const { text } = await gateway.metrics();
    const samples = text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => {
        const [, name = '', , labels = '', value = ''] =
          /^([a-zA-Z_:][\w:]*)(\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? [];
        const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(found => [found[1], found[2]]);
        return { name, labels: Object.fromEntries(pairs), value: /^nan$/i.test(value) ? 0 : Number(value) };
      });
    return { text, samples };
  }

  async function countResponses(entryPoint: string, method: string, status: string): Promise<number> {
    const { samples } = await metrics();
    const found = samples.find(
      ({ name, labels }) =>
        name === 'portico_http_requests_total' &&
        labels.api === entryPoint &&
        labels.method === method &&
        labels.status === status,
    );
    return found?.value ?? 0;
  }

  test('is for the bearer of the token, and for no caller without one', async () => {
    const status = async (one: TestGateway, headers: Record<string, string>): Promise<number> =>
      (await one.request('/metrics', { headers })).status;
    expect(await status(gateway, {})).toBe(404);
    expect(await status(untoken, {})).toBe(404);
    expect(await status(untoken, { authorization: 'Bearer ' })).toBe(404);
    expect(await status(untoken, { authorization: 'Bearer undefined' })).toBe(404);
    expect(await status(scraped, {})).toBe(404);
    expect(await status(scraped, { authorization: 'Bearer metrics-token-00000000' })).toBe(404);
    expect(await status(scraped, { authorization: `Bearer ${metricsToken}`, 'x-forwarded-for': '203.0.113.1' })).toBe(
      200,
    );
    const inContainer = await requestToHost(scraped, '10.1.2.3:4000', '/metrics', {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    expect(inContainer.status).toBe(200);
  });

  test('is Prometheus text: every line a comment or a sample, every sample with help and type', async () => {
    const { headers } = await gateway.metrics();
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { text, samples } = await metrics();
    expect(text.endsWith('\n')).toBe(true);
    expect(samples.length).toBeGreaterThan(20);
    const announced = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram|summary)$/gm)].map(found =>
      String(found[1]),
    );
    expect([...text.matchAll(/^# HELP (\S+) /gm)].map(found => found[1])).toEqual(announced);
    for (const { name, value } of samples) {
      expect(Number.isFinite(value)).toBe(true);
      expect(announced).toContain(announced.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
    }
  });

  test.each([
    ['rest-health', 'GET', '200', '/api/v1/articles/?page_size=1'],
    ['rest-health', 'GET', '404', '/api/v1/nothing'],
    ['rest-hosting', 'GET', '200', '/versions'],
    ['rest-hosting', 'DELETE', '403', '/versions'],
    ['graphql', 'GET', '400', '/graphql?query=%7Bx'],
    ['other', 'HEAD', '200', '/livez'],
    ['rest-hosting', 'other', '405', '/versions'],
  ])('counts %s %s %s', async (entryPoint, method, status, path) => {
    const before = await countResponses(entryPoint, method, status);
    await gateway.request(path, { method: method === 'other' ? 'PURGE' : method });
    expect(await countResponses(entryPoint, method, status)).toBe(before + 1);
  });

  test('labels have few values: no path, no id, no search, no unknown method', async () => {
    await gateway.request('/api/v1/articles/4711/?search=mark4711', { headers: { 'X-Request-Id': 'mark4711' } });
    await gateway.request('/mark4711/mark4711', { method: 'SUBSCRIBE' });
    const { text, samples } = await metrics();
    expect(text).not.toMatch(/4711|SUBSCRIBE/);
    const requests = samples.filter(sample => sample.name.startsWith('portico_http_'));
    const allowed = new Set(['api', 'method', 'status', 'le']);
    expect(requests.flatMap(sample => Object.keys(sample.labels)).filter(label => !allowed.has(label))).toEqual([]);
    const entryPoints = new Set(requests.map(({ labels }) => labels.api));
    expect([...entryPoints].toSorted()).toEqual(['graphql', 'other', 'rest-health', 'rest-hosting']);
  });

  test('measures the time of every response', async () => {
    const { samples } = await metrics();
    const count = samples.filter(sample => sample.name === 'portico_http_request_duration_seconds_count');
    const total = samples.filter(sample => sample.name === 'portico_http_requests_total');
    const sum = (all: Sample[]): number => all.reduce((so, one) => so + one.value, 0);
    expect(sum(count)).toBe(sum(total));
  });
});

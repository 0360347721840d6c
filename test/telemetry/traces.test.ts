import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { defineJob } from '../../src/jobs/define-job.ts';
import { enqueue, enqueueAll } from '../../src/jobs/enqueue.ts';
import { createAddressGuard } from '../../src/outbound/address-guard.ts';
import { traceOutbound } from '../../src/outbound/trace-outbound.ts';
import { startTracing } from '../../src/telemetry/start-tracing.ts';
import { Clone } from '../git-http/git-client.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { registration, send } from '../harness/people.ts';
import { openReceiver } from '../hosting/webhooks/receiver.ts';
import { jobHarness, until } from '../jobs/job-harness.ts';
import { otlpReceiver, type ReceivedSpan, treeOf } from './otlp-receiver.ts';

const collector = await otlpReceiver();
const log: string[] = [];
const traces = await startTracing(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }), {
  info: (_facts, message) => void log.push(message),
  warn: (_facts, message) => void log.push(message),
});
afterAll(() => traces?.stop(2_000));
const receiver = await openReceiver();
afterAll(() => receiver.close());
const gateway = await testGateway({
  data: 'demo',
  workers: true,
  logLevel: 'info',
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10' },
});
const ownTraces = await testGateway({ beside: gateway, settings: { OTEL_PROPAGATORS: 'none' } });
const demo = await demoOf(gateway);
const tracedJob = defineJob<{ nth: number }>({
  name: 'traced-job',
  retry: { limit: 0, delaySeconds: 1, backoff: false },
  heartbeatSeconds: 10,
});
const jobs = await jobHarness(tracedJob);
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };

beforeEach(() => {
  collector.spans.length = 0;
});

/** The spans that have ended by now. */
async function ended(): Promise<ReceivedSpan[]> {
  await traces?.flush();
  return collector.spans;
}

const find = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find(one => one.name === name);
  if (!found) throw new Error(`There is no span ${name} among ${spans.map(one => one.name).join(', ')}.`);
  return found;
};

describe('a REST request', () => {
  test('has a span with its route, statements below it, and the trace of its caller', async () => {
    const tracestate = 'vendor=value';
    const answer = await gateway.request('/api/v1/articles/?search=sleep', { headers: { ...parent, tracestate } });
    const spans = await ended();
    const span = find(spans, 'GET /api/v1/articles/');
    expect(span).toMatchObject({
      traceId,
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'vendor=value',
      kind: 2,
      status: 0,
    });
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/api/v1/articles/',
      'network.protocol.version': '1.1',
      'portico.api': 'rest-health',
      'portico.operation': 'ListArticles',
      'url.scheme': 'http',
    });
    expect(answer.headers.get('traceresponse')).toBe(`00-${traceId}-${span.spanId}-01`);
    const statement = find(spans, 'SELECT article_text article article_category');
    expect(statement).toMatchObject({ traceId, parentSpanId: span.spanId, kind: 3 });
    expect(statement.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT article_text article article_category',
    });
    expect(spans.every(one => one.traceId === traceId)).toBe(true);
    expect(span.resource['service.name']).toBe('portico');
  });

  test('is named by the template of its path, and its log line has the id of the trace', async () => {
    await gateway.request('/repos/harbor-lab/compass', { headers: parent });
    await gateway.request('/repos/harbor-lab/no-such-repository');
    const [found, absent] = (await ended()).filter(one => one.name === 'GET /repos/{owner}/{repo}');
    expect([found?.attributes['http.response.status_code'], absent?.attributes['http.response.status_code']]).toEqual([
      200, 404,
    ]);
    expect(found?.traceId).toBe(traceId);
    expect(absent?.status).toBe(0);
    const line = gateway.lines.findLast(one => one.includes('"/repos/harbor-lab/compass"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ trace_id: traceId });
  });

  test('of a write has the transaction, and its jobs below it', async () => {
    const answer = await send(gateway, 'POST', '/auth/register/', registration());
    expect(answer.status).toBe(201);
    const spans = await until('the mail is sent', async () => {
      const all = await ended();
      return all.some(one => one.name === 'process mail') ? all : undefined;
    });
    const request = find(spans, 'POST /api/v1/auth/register/');
    const tree = treeOf(spans, request.traceId);
    expect(tree[0]).toBe('POST /api/v1/auth/register/');
    expect(tree).toEqual(expect.arrayContaining(['  BEGIN', '  INSERT users', '  COMMIT', '  process mail']));
    expect(find(spans, 'process mail')).toMatchObject({
      kind: 5,
      parentSpanId: request.spanId,
      attributes: { 'messaging.destination.name': 'mail', 'portico.job.attempt': 1 },
    });
  });
});

test('a GraphQL request has its operation between the request and the statements', async () => {
  const query = 'query Categories { articleCategories { slug } }';
  await gateway.request('/graphql', {
    method: 'POST',
    headers: { ...parent, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(treeOf(await ended(), traceId)).toEqual(['POST /graphql', '  query', '    SELECT category']);
  expect(find(collector.spans, 'query').attributes).toEqual({
    'graphql.operation.type': 'query',
    'graphql.operation.name': 'Categories',
  });
});

test('a failed GraphQL operation has the code of its error', async () => {
  await gateway.graphql('{ viewer { login } }');
  await gateway.graphql('{ noSuchField }');
  const codes = (await ended()).filter(one => one.kind === 1).map(one => [one.status, one.attributes['error.type']]);
  expect(codes).toEqual([
    [2, 'UNAUTHENTICATED'],
    [2, 'GRAPHQL_VALIDATION_FAILED'],
  ]);
});

test('a push over git has its delivery below it, and the receiver of the operator gets the trace', async () => {
  const token = demo.users.wren.classic_token;
  const asWren = (method: string, path: string, body: unknown) => call(gateway, method, path, `Bearer ${token}`, body);
  const config = { url: `${receiver.url}/hooks/secret-path`, content_type: 'json', secret: 'It is a secret' };
  expect((await asWren('POST', '/user/repos', { name: 'traced' })).status).toBe(201);
  expect((await asWren('POST', '/repos/wren/traced/hooks', { name: 'web', events: ['push'], config })).status).toBe(
    201,
  );
  receiver.received.length = 0;
  const clone = await Clone.empty();
  await clone.commit({ 'notes.txt': 'A private note' });
  const header = `Authorization: Basic ${Buffer.from(`wren:${token}`).toString('base64')}`;
  const trace = `traceparent: ${parent.traceparent}`;
  const url = `${gateway.url}/wren/traced.git`;
  await clone.run('-c', `http.extraHeader=${header}`, '-c', `http.extraHeader=${trace}`, 'push', '-q', url, 'main');
  const delivery = await until('the delivery is sent', () => receiver.of('push')[0]);
  const { spans, push, job } = await until('the span of its job has ended', async () => {
    const all = await ended();
    const pushed = all.find(one => one.name === 'POST /{owner}/{repo}/git-receive-pack');
    // Not that of the ping, which the creation of the hook has caused.
    const delivered = all.find(one => one.name === 'process webhook-delivery' && one.parentSpanId === pushed?.spanId);
    return pushed && delivered && { spans: all, push: pushed, job: delivered };
  });
  const request = spans.find(one => one.name === 'POST' && one.parentSpanId === job.spanId);
  expect(push).toMatchObject({
    traceId,
    attributes: { 'portico.api': 'git', 'portico.operation': 'git-receive-pack' },
  });
  expect(request).toMatchObject({
    traceId,
    kind: 3,
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  });
  expect(delivery.headers.traceparent).toBe(`00-${traceId}-${request?.spanId}-01`);
  expect(collector.text()).not.toMatch(/secret-path|It is a secret|A private note|notes\.txt|author@example|hostp_/);
});

test('a host that the operator has not listed gets no trace', async () => {
  const guard = createAddressGuard({ allow: ['10.1.0.0/16', 'receiver.internal'] });
  const headersTo = async (host: string): Promise<string[]> => {
    const options = { method: 'POST', headers: { own: '1' }, body: null } as never;
    let sent: string[] = [];
    await traceOutbound(new URL(`https://${host}/`), options, guard, async (_url, { headers }) => {
      sent = Object.keys(headers);
      return { statusCode: 200 };
    });
    return sent;
  };
  const span = traces?.tracing.open({ name: 'test', kind: 'internal', attributes: {} }, parent);
  await span?.run(async () => {
    expect(await headersTo('hooks.example.org')).toEqual(['own']);
    expect(await headersTo('93.184.216.34')).toEqual(['own']);
    expect(await headersTo('10.1.2.3')).toEqual(['own', 'traceparent']);
    expect(await headersTo('receiver.internal')).toEqual(['own', 'traceparent']);
  });
  span?.end();
});

describe('the trace of a caller', () => {
  test.each([
    '',
    'nonsense',
    `00-${traceId}-00f067aa0ba902b7`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-0000000000000000-01`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b7-01-more`,
    `00-${traceId}-00f067aa0ba902b7-01, 00-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b7-01${'0'.repeat(100)}`,
  ])('is ignored when it is invalid: %j', async traceparent => {
    const answer = await gateway.request('/api/v1/articles/', { headers: { traceparent, tracestate: 'vendor=value' } });
    expect(answer.status).toBe(200);
    const span = find(await ended(), 'GET /api/v1/articles/');
    expect(span.parentSpanId).toBe('');
    expect(span.traceId).not.toBe(traceId);
    expect(span.traceState).toBe('');
  });

  test('keeps at most 32 members and 512 characters of its state', async () => {
    const members = Array.from({ length: 40 }, (_, nth) => `v${nth}=1`);
    for (const tracestate of [members.join(','), `long=${'x'.repeat(300)},longer=${'y'.repeat(300)}`, '=,;;,é=1']) {
      await gateway.request('/api/v1/articles/', { headers: { ...parent, tracestate: encodeURI(tracestate) } });
    }
    const states = (await ended()).filter(one => one.kind === 2).map(one => one.traceState);
    expect(states[0]?.split(',')).toHaveLength(32);
    expect(states.every(state => state.length <= 512)).toBe(true);
    expect(states[2]).not.toContain(';;');
  });

  test('is not followed where OTEL_PROPAGATORS is none', async () => {
    await ownTraces.request('/api/v1/articles/', { headers: parent });
    expect(find(await ended(), 'GET /api/v1/articles/')).toMatchObject({ parentSpanId: '' });
  });
});

test('nothing of a user is sent', async () => {
  const secrets = ['s3cr3t-term', 's3cr3t-token', 's3cr3t-agent', 's3cr3t-variable', 's3cr3t-literal', 's3cr3t-path'];
  const [term = '', token = '', agent = '', variable = '', literal = '', path = ''] = secrets;
  const headers = {
    authorization: `Bearer ${token}`,
    'user-agent': agent,
    'x-request-id': agent,
    cookie: `a=${token}`,
  };
  await gateway.request(`/api/v1/articles/?search=${term}`, { headers: { 'user-agent': agent } });
  await gateway.request(`/users/${path}`, { headers });
  await gateway.request(`/${path}/${path}?${term}`, { headers });
  await gateway.request(`/raw/${path}/${path}`, { headers });
  await gateway.graphql(`query($l: String!) { user(login: $l) { login } other: user(login: "${literal}") { login } }`, {
    l: variable,
  });
  await send(gateway, 'POST', '/auth/login/', { email: `${variable}@example.org`, password: literal });
  expect((await ended()).length).toBeGreaterThan(6);
  const text = collector.text();
  expect(secrets.filter(one => text.includes(one))).toEqual([]);
  expect(text).not.toMatch(/@example\.org|127\.0\.0\.1:\d+\//);
});

test('health checks and metrics have no span', async () => {
  for (const path of ['/livez', '/readyz', '/metrics']) await gateway.request(path);
  // Jobs of pushes before go on.
  expect((await ended()).filter(({ kind, parentSpanId }) => kind === 2 || (kind === 3 && parentSpanId === ''))).toEqual(
    [],
  );
});

test('a receiver that refuses fails no request, and is reported once', async () => {
  collector.answer.status = 400;
  log.length = 0;
  for (let round = 0; round < 2; round++) {
    expect((await gateway.request('/api/v1/articles/')).status).toBe(200);
    await traces?.flush().catch(() => {});
  }
  expect(log).toEqual(['traces cannot be sent, and are dropped']);
  collector.answer.status = 200;
  await gateway.request('/api/v1/articles/');
  await ended();
  expect(log).toEqual(['traces cannot be sent, and are dropped', 'traces are sent again']);
});

describe('a job', () => {
  test('without a cause begins a trace, and one with a cause does not see it', async () => {
    const seen: object[] = [];
    const work = async (data: { nth: number }): Promise<void> => {
      seen.push(data);
      if (data.nth === 3) throw new TypeError('A message with values');
    };
    await jobs.start({ tasks: [{ job: tracedJob, concurrency: 1, work }] });
    await jobs.inTransaction(db => enqueue(db, tracedJob, { nth: 1 }));
    const cause = traces?.tracing.open({ name: 'cause', kind: 'internal', attributes: {} }, parent);
    await cause?.run(() =>
      jobs.inTransaction(async db => {
        await enqueue(db, tracedJob, { nth: 2 }, { singletonKey: 'one' });
        await enqueueAll(db, tracedJob, [{ data: { nth: 3 } }]);
      }),
    );
    cause?.end();
    const spans = await until('three jobs', async () => {
      const all = (await ended()).filter(one => one.name === 'process traced-job');
      return all.length === 3 ? all : undefined;
    });
    expect(seen).toEqual(expect.arrayContaining([{ nth: 1 }, { nth: 2 }, { nth: 3 }]));
    expect(spans.filter(one => one.parentSpanId === '')).toHaveLength(1);
    expect(spans.filter(one => one.traceId === traceId)).toHaveLength(2);
    expect(spans.map(one => one.attributes['error.type']).filter(Boolean)).toEqual(['TypeError']);
    expect(collector.text()).not.toContain('A message with values');
  });
});

describe('other settings', () => {
  afterAll(() => traces?.stop(1));

  test('traces that are not sampled are not sent, and JSON is sent as JSON', async () => {
    const open = async (settings: Record<string, string>) =>
      startTracing(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`, ...settings }), {
        info() {},
        warn() {},
      });
    const none = await open({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const answer = await gateway.request('/api/v1/articles/', { headers: parent });
    expect(answer.headers.get('traceresponse')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    await none?.stop(2_000);
    expect(collector.spans).toEqual([]);
    const json = await open({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    });
    await gateway.request('/api/v1/articles/');
    await gateway.request('/api/v1/articles/', { headers: parent });
    await json?.stop(2_000);
    expect(treeOf(collector.spans, traceId)[0]).toBe('GET /api/v1/articles/');
    expect(new Set(collector.spans.map(one => one.traceId))).toEqual(new Set([traceId]));
    const last = collector.requests.at(-1);
    expect([last?.path, last?.headers['content-type']]).toEqual(['/own/path', 'application/json']);
  });

  test('without an exporter there is no tracing', async () => {
    for (const settings of [
      {},
      { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    ])
      expect(await startTracing(readConfig(settings), { info() {}, warn() {} })).toBeUndefined();
    expect((await gateway.request('/api/v1/articles/', { headers: parent })).headers.has('traceresponse')).toBe(false);
  });

  test.each([
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_PROPAGATORS', 'b3'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'no value'],
    ['OTEL_SDK_DISABLED', 'maybe'],
  ])('%s=%s is refused', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
  });
});

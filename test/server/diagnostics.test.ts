import { expect, test } from '@jest/globals';
import { createVisibleAccounts } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info' });
const guarded = await testGateway({
  beside: gateway,
  settings: { METRICS_PORT: '0', METRICS_TOKEN: 'a token of sixteen' },
});
const open = await testGateway({ beside: gateway, settings: { METRICS_PORT: '0', METRICS_TOKEN: '' } });
const token = { authorization: 'Bearer metrics-token-of-tests' };

const lastLine = async (id: string): Promise<Record<string, unknown>> => {
  for (const end = Date.now() + 5_000; ; ) {
    const line = gateway.lines.map(one => JSON.parse(one)).find(one => one.id === id);
    if (line || Date.now() > end) return line ?? {};
    await new Promise(resolve => setTimeout(resolve, 10));
  }
};

test('a caller has one id in the log and among the callers of the last minutes, which names nobody', async () => {
  const [person] = await createVisibleAccounts(gateway, 1);
  const headers = { authorization: `Bearer ${person?.access}` };
  for (const id of ['first-request', 'second-request'])
    await gateway.request('/api/v1/auth/me/', { headers: { ...headers, 'X-Request-Id': id } });
  await gateway.request('/api/v1/articles/', { headers: { 'X-Request-Id': 'anonymous-request' } });
  const [first, second, anonymous] = await Promise.all(
    ['first-request', 'second-request', 'anonymous-request'].map(lastLine),
  );
  expect(first?.caller).toMatch(/^[\w-]{12}$/);
  expect(second?.caller).toBe(first?.caller);
  expect(anonymous?.caller).toMatch(/^[\w-]{12}$/);
  expect(anonymous?.caller).not.toBe(first?.caller);
  const { json, text } = await gateway.request('/metrics/top', { headers: token });
  expect(json.callers).toContainEqual({
    name: first?.caller,
    requests: 2,
    seconds: expect.any(Number),
    failures: 0,
  });
  expect(json.operations.map(({ name }: { name: string }) => name)).toContain('ListArticles');
  expect(text).not.toContain('127.0.0.1');
});

test.each(['/metrics/top', '/metrics/profile/cpu?seconds=1', '/metrics/profile/heap?seconds=1'])(
  '%s is there for the bearer of the token only',
  async path => {
    expect((await gateway.request(path)).status).toBe(404);
    expect((await gateway.request(path, { headers: { authorization: 'Bearer another' } })).status).toBe(404);
    expect((await gateway.request(path, { headers: token })).status).toBe(200);
    expect((await fetch(`${guarded.metricsUrl}${path}`)).status).toBe(404);
    const headers = { authorization: 'Bearer a token of sixteen' };
    expect((await fetch(`${guarded.metricsUrl}${path}`, { headers })).status).toBe(200);
    // Prometheus needs no token there; a profile does.
    expect((await fetch(`${open.metricsUrl}/metrics`)).status).toBe(200);
    expect((await fetch(`${open.metricsUrl}${path}`)).status).toBe(404);
  },
);

test('profiles are those of DevTools, one at a time', async () => {
  const cpu = gateway.request('/metrics/profile/cpu?seconds=1', { headers: token });
  const busy = await gateway.request('/metrics/profile/heap?seconds=1', { headers: token });
  expect([(await cpu).status, busy.status].sort()).toEqual([200, 503]);
  const { json } = await gateway.request('/metrics/profile/cpu?seconds=1', { headers: token });
  expect(json).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array), startTime: expect.any(Number) });
  const heap = await gateway.request('/metrics/profile/heap?seconds=1', { headers: token });
  expect(heap.json).toMatchObject({ head: { callFrame: expect.any(Object) } });
});

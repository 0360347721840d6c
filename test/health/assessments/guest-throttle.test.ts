import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty', settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const from = (ip: string) =>
  gateway.request('/api/v1/assessments/guest/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: '{"symptoms": "headache"}',
  });

test('20 guest assessments an hour per IP, then 429 with Retry-After', async () => {
  for (let count = 0; count < 20; count++) expect((await from('192.0.2.1')).status).toBe(201);
  const { status, json, headers } = await from('192.0.2.1');
  expect({ status, code: json.code, after: headers.get('retry-after') }).toEqual({
    status: 429,
    code: 'throttled',
    after: '3600',
  });
  expect((await from('192.0.2.2')).status).toBe(201);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
  expect((await from('192.0.2.1')).status).toBe(201);
});

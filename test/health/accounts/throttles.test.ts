import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { registration, send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty', settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const generous = await testGateway({ data: 'empty', settings: { RATE_LIMIT_FACTOR: '2' } });

/** A request with its own client IP, as a trusted proxy forwards it. */
const from = (ip: string, path: string, body: unknown) =>
  gateway.request(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  });

test('ten guests an hour per IP, then 429 with Retry-After', async () => {
  for (let guest = 0; guest < 10; guest++) expect((await from('192.0.2.1', '/auth/guest/', {})).status).toBe(201);
  const { status, json, headers } = await from('192.0.2.1', '/auth/guest/', {});
  expect(status).toBe(429);
  expect(json).toEqual({ detail: 'Request was throttled. Expected available in 3600 seconds.', code: 'throttled' });
  expect(headers.get('retry-after')).toBe('3600');
  expect((await from('192.0.2.2', '/auth/guest/', {})).status).toBe(201);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
  expect((await from('192.0.2.1', '/auth/guest/', {})).status).toBe(201);
});

test('ten wrong passwords lock out one IP for an address, and nobody else', async () => {
  const email = 'target@example.org';
  for (let attempt = 0; attempt < 10; attempt++) {
    expect((await from('192.0.2.10', '/auth/login/', { email, password: `guess ${attempt}` })).status).toBe(401);
  }
  expect((await from('192.0.2.10', '/auth/login/', { email: ' Target@Example.org', password: 'guess' })).status).toBe(
    429,
  );
  expect((await from('192.0.2.11', '/auth/login/', { email, password: 'guess' })).status).toBe(401);
  expect((await from('192.0.2.10', '/auth/login/', { email: 'other@example.org', password: 'guess' })).status).toBe(
    401,
  );
});

test('registrations and token attempts are limited; mails to one address stop silently', async () => {
  for (let count = 0; count < 10; count++) await from('192.0.2.20', '/auth/register/', {});
  expect((await from('192.0.2.20', '/auth/register/', registration())).status).toBe(201);
  for (let count = 0; count < 20; count++)
    expect((await from('192.0.2.21', '/auth/activate/', { token: 'x' })).status).toBe(400);
  expect((await from('192.0.2.21', '/auth/activate/', { token: 'x' })).status).toBe(429);
  for (let count = 0; count < 5; count++) {
    expect((await from('192.0.2.22', '/auth/password/reset/', { email: 'me@example.org' })).status).toBe(201);
  }
  const { rows } = await gateway.database.orm.em
    .fork()
    .getConnection()
    .execute('select 1 from jobs.job where name = ?', ['mail-request'])
    .then((found: unknown[]) => ({ rows: found }));
  expect(rows).toHaveLength(3);
});

test('sixty requests a minute without a credential, six hundred with one, counted separately', async () => {
  const tokens = (await from('192.0.2.30', '/auth/guest/', {})).json;
  const anonymous = (ip: string) => gateway.request('/api/v1/articles/', { headers: { 'x-forwarded-for': ip } });
  const signedIn = () => gateway.request('/api/v1/auth/me/', { headers: { authorization: `Bearer ${tokens.access}` } });
  const statuses = async (count: number, ask: () => Promise<{ status: number }>) => {
    const answers = await Promise.all(Array.from({ length: count }, ask));
    return answers.map(one => one.status);
  };
  // Creating the guest counts in the authentication window.
  const first = await statuses(62, () => anonymous('192.0.2.30'));
  expect([first.filter(one => one === 200).length, first.filter(one => one === 429).length]).toEqual([60, 2]);
  const refused = await anonymous('192.0.2.30');
  expect([refused.status, refused.headers.get('retry-after'), refused.json.code]).toEqual([429, '60', 'throttled']);
  expect((await anonymous('192.0.2.31')).status).toBe(200);
  const own = await statuses(603, signedIn);
  expect([own.filter(one => one === 200).length, own.filter(one => one === 429).length]).toEqual([600, 3]);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  expect((await anonymous('192.0.2.30')).status).toBe(200);
  expect((await signedIn()).status).toBe(200);
});

test('a factor multiplies the limits', async () => {
  const made = await Promise.all(Array.from({ length: 22 }, () => send(generous, 'POST', '/auth/guest/')));
  expect(made.map(one => one.status).filter(status => status === 429)).toHaveLength(2);
});

test('without trusted proxies the client IP is that of the connection', async () => {
  expect((await send(gateway, 'POST', '/auth/guest/')).status).toBe(201);
});

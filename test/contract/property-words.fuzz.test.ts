import { expect, test } from '@jest/globals';
import type { Endpoint } from 'operation-rest';
import { testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import { contracts } from './contracts.ts';
import { healthCalls, healthWorld } from './health-calls.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';
import { type ValidRequest, withPropertyWords } from './property-words.ts';

const settings = { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' };
const now = '2026-10-01T08:10:00Z';
const mails = await mailbox();
const health = await testGateway({ data: 'demo', now, workers: true, settings: { ...settings, SMTP_URL: mails.url } });
const hosting = await testGateway({ data: 'demo', now, settings });

const endpointsOf = (product: string): readonly Endpoint[] =>
  contracts.find(one => one.product.name === product)?.endpoints ?? [];

/** Sends all variants; returns those that are answered by a server error. */
async function failures(
  { operation }: Endpoint,
  gateway: typeof health,
  request: ValidRequest,
): Promise<{ operation: string; request: ValidRequest; answer: string }[]> {
  const found: { operation: string; request: ValidRequest; answer: string }[] = [];
  for (const variant of withPropertyWords(operation, request)) {
    const { method, path, headers, body } = variant;
    const answer = await gateway.request(path, {
      method,
      headers: {
        'user-agent': 'portico tests',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status >= 500) found.push({ operation: operation.name, request: variant, answer: answer.text });
  }
  return found;
}

test('names of inherited properties are texts like others in the health contract', async () => {
  const world = await healthWorld(health, mails);
  const found = [];
  for (const endpoint of endpointsOf('health')) {
    const call = await healthCalls[endpoint.operation.name]?.(world);
    if (!call) throw new Error(`Add a call of ${endpoint.operation.name} to test/contract/health-calls.ts.`);
    const headers = call.access === undefined ? {} : { authorization: `Bearer ${call.access}` };
    const { method } = endpoint.operation;
    found.push(
      ...(await failures(endpoint, health, { method, path: `/api/v1${call.path}`, body: call.body, headers })),
    );
  }
  expect(found).toEqual([]);
}, 300_000);

test('names of inherited properties are texts like others in the hosting contract', async () => {
  const world = await officialWorld(hosting);
  const found = [];
  for (const endpoint of endpointsOf('hosting')) {
    const calls = await officialCalls[endpoint.operation.name]?.(world);
    const call = calls && [calls].flat()[0];
    if (!call) throw new Error(`Add a call of ${endpoint.operation.name} to test/contract/official-calls.`);
    const headers = call.authorization === undefined ? {} : { authorization: call.authorization };
    const { method } = endpoint.operation;
    found.push(...(await failures(endpoint, hosting, { method, path: call.path, body: call.body, headers })));
  }
  expect(found).toEqual([]);
}, 600_000);

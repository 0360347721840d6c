import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { send } from '../harness/people.ts';
import { type Contract, contracts } from './contracts.ts';
import { healthCalls, healthWorld } from './health-calls.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';

const settings = { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' };
const now = '2026-10-01T08:10:00Z';
const mails = await mailbox();
const health = await testGateway({ data: 'demo', now, workers: true, settings: { ...settings, SMTP_URL: mails.url } });
const hosting = await testGateway({ data: 'demo', now, settings });

interface Published {
  requestBody?: { required: boolean };
}

/** Operations whose body is published, with whether it is required. */
async function withBodies(product: string): Promise<{ name: string; method: string; required: boolean }[]> {
  const contract = contracts.find(one => one.product.name === product) as Contract;
  const gateway = product === 'health' ? health : hosting;
  const { paths } = (await gateway.request(`/openapi/${product}.json`)).json as {
    paths: Record<string, Record<string, Published>>;
  };
  return contract.endpoints.flatMap(({ operation: { name, method, path } }) => {
    const body = paths[path.replaceAll('{+', '{')]?.[method.toLowerCase()]?.requestBody;
    return body ? [{ name, method, required: body.required }] : [];
  });
}

test('a body of the health contract that is published as optional may be left out, and a required one may not', async () => {
  const world = await healthWorld(health, mails);
  const answers: string[] = [];
  for (const { name, method, required } of await withBodies('health')) {
    const { path, access } = (await healthCalls[name]?.(world)) ?? { path: '' };
    const { status } = await send(health, method, path, undefined, access);
    if (required ? status < 400 : status >= 400)
      answers.push(`${name} ${required ? 'required' : 'optional'}: ${status}`);
  }
  expect(answers).toEqual([]);
});

test('and of the hosting contract', async () => {
  const world = await officialWorld(hosting);
  const answers: string[] = [];
  for (const { name, method, required } of await withBodies('hosting')) {
    for (const { path, authorization } of [(await officialCalls[name]?.(world)) ?? []].flat()) {
      const { status } = await call(hosting, method, path, authorization);
      if (required ? status < 400 : status >= 400)
        answers.push(`${name} ${required ? 'required' : 'optional'}: ${status}`);
    }
  }
  expect(answers).toEqual([]);
});

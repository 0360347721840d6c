import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { send } from '../harness/people.ts';
import { type Contract, contracts } from './contracts.ts';
import { exampleOf } from './example-values.ts';
import { healthCalls, healthWorld } from './health-calls.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';
import { PublishedSchema } from './published-schema.ts';

/** By the name of the operation. */
type Examples = Record<string, { request?: unknown; responses?: Record<string, unknown> }>;

// biome-ignore lint/style/noProcessEnv: `npm run print-examples` sets it.
const isPrinting = process.env.PRINT_EXAMPLES !== undefined;
const settings = { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' };
const now = '2026-10-01T08:10:00Z';

const mails = await mailbox();
const health = await testGateway({ data: 'demo', now, workers: true, settings: { ...settings, SMTP_URL: mails.url } });
const hosting = await testGateway({ data: 'demo', now, settings });

function contractOf(product: string): Contract {
  const found = contracts.find(one => one.product.name === product);
  if (!found) throw new Error(`There is no contract of ${product}.`);
  return found;
}

function fileOf({ product }: Contract): { path: string; examples: Examples } {
  const path = join(import.meta.dirname, '..', '..', 'rest-facade', product.name, 'examples.json');
  return { path, examples: isPrinting ? {} : JSON.parse(readFileSync(path, 'utf8')) };
}

function note(examples: Examples, name: string, origin: string, body: unknown, answer: Answer): void {
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  const found = {
    ...(body === undefined ? {} : { request: exampleOf(body, origin) }),
    ...(isJson && answer.status < 300 && answer.text !== ''
      ? { responses: { [answer.status]: exampleOf(answer.json, origin) } }
      : {}),
  };
  if (Object.keys(found).length > 0) examples[name] = found;
}

/** Compares with the committed file, or writes it. */
function settle(contract: Contract, document: Record<string, unknown>, asked: Examples): void {
  const { path, examples } = fileOf(contract);
  const schema = new PublishedSchema(document);
  const problems: string[] = [];
  const judged = isPrinting ? asked : examples;
  for (const { operation } of contract.endpoints) {
    for (const [status, example] of Object.entries(judged[operation.name]?.responses ?? {}))
      for (const one of schema.problems(
        operation.method,
        operation.path.replaceAll('{+', '{'),
        Number(status),
        example,
      ))
        problems.push(`${operation.name}: ${one}`);
  }
  expect(problems).toEqual([]);
  if (isPrinting) writeFileSync(path, `${JSON.stringify(asked, null, 1)}\n`);
  else {
    expect(shapeOf(examples)).toEqual(shapeOf(asked));
    expect(JSON.stringify(examples)).not.toMatch(/127\.0\.0\.1|localhost|hostp_|"eyJ/);
  }
}

/** Which operations have examples, of bodies and of answers. */
const shapeOf = (examples: Examples): unknown =>
  Object.fromEntries(
    Object.entries(examples).map(([name, { request, responses }]) => [
      name,
      { hasRequest: request !== undefined, statuses: Object.keys(responses ?? {}) },
    ]),
  );

test('operations of the health contract have examples that the demo world answers', async () => {
  const world = await healthWorld(health, mails);
  const contract = contractOf('health');
  const asked: Examples = {};
  for (const { operation } of contract.endpoints) {
    const make = healthCalls[operation.name];
    if (!make) throw new Error(`${operation.file}: add a call of ${operation.name} to test/contract/health-calls.ts.`);
    const { path, body, access } = await make(world);
    const answer = await send(health, operation.method, path, body, access);
    expect({ path, status: answer.status, text: answer.status < 300 ? '' : answer.text }).toEqual({
      path,
      status: operation.status,
      text: '',
    });
    note(asked, operation.name, health.url, body, answer);
  }
  settle(contract, (await health.request('/openapi/health.json')).json, asked);
}, 180_000);

test('operations of the hosting contract have examples that the demo world answers', async () => {
  const world = await officialWorld(hosting);
  const contract = contractOf('hosting');
  const asked: Examples = {};
  for (const { operation } of contract.endpoints) {
    const made = await officialCalls[operation.name]?.(world);
    // The call that shows most of the operation is the first one.
    const first = made && [made].flat()[0];
    if (!first) throw new Error(`${operation.file}: add a call of ${operation.name} to test/contract/official-calls.`);
    const headers = first.accept === undefined ? {} : { accept: first.accept };
    const answer = await call(hosting, operation.method, first.path, first.authorization, first.body, headers);
    expect({ path: first.path, status: answer.status, isAnswer: answer.status < 400 }).toMatchObject({
      isAnswer: true,
    });
    note(asked, operation.name, hosting.url, first.body, answer);
  }
  settle(contract, (await hosting.request('/openapi/hosting.json')).json, asked);
}, 180_000);

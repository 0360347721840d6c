import { describe, expect, test } from '@jest/globals';
import { pathParameterNames } from 'operation-rest';
import { githubDescription, operationKey } from '../../scripts/github-description.ts';
import { githubDifferences } from '../../scripts/github-differences.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { contracts } from './contracts.ts';
import { GithubSchema, valueAt } from './github-schema.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';

const description = githubDescription();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' },
});
const world = await officialWorld(gateway);
const schema = description && new GithubSchema(description);
const endpoints = contracts.find(({ product }) => product.name === 'hosting')?.endpoints ?? [];

// `npm run fetch-github-description` fetches the description.
(schema ? describe : describe.skip).each(
  endpoints.map(({ operation, plan }) => ({ operation, plan, name: operation.name, path: operation.path })),
)('$name, $path', ({ operation, plan }) => {
  const official = description?.operations.get(operationKey(operation.method, operation.path));

  const difference = githubDifferences[operation.name];

  test('is an operation of the description', () => {
    expect(official === undefined).toBe(difference?.isAddition === true);
  });

  test('takes the parameters of the description', () => {
    const inPath = new Set(pathParameterNames(operation.path));
    const ours = operation.parameters.map(({ name }) => name).filter(name => !inPath.has(name));
    const body = bodyProperties(official?.requestBody);
    const theirs = (official?.parameters ?? [])
      .map(parameter => resolved(parameter))
      .filter(parameter => parameter.in === 'query')
      .map(({ name }) => String(name));
    // What the product does not have is an empty list, whatever is asked.
    if (plan.bodyConstant) return;
    const missing = [...theirs, ...body].filter(name => !ours.includes(name));
    expect(missing).toEqual(difference?.parameters ?? []);
  });

  test('answers with the required keys and types of the description', async () => {
    const make = officialCalls[operation.name];
    if (!make) throw new Error(`${operation.file}: add a call of ${operation.name} to test/contract/official-calls.`);
    const made = await make(world);
    for (const { path, authorization, body, accept } of [made].flat()) {
      const headers = accept === undefined ? {} : { accept };
      const answer: Answer = await call(gateway, operation.method, path, authorization, body, headers);
      expect({ path, status: answer.status, text: answer.status < 400 ? '' : answer.text }).toEqual({
        path,
        status: expect.any(Number),
        text: '',
      });
      const problems = (official && schema?.problems(official, answer.status, answer.json)) ?? [];
      const expected = difference?.answers ?? [];
      const unexpected = problems.filter(problem => !expected.some(one => one.test(problem)));
      expect({ path, unexpected }).toEqual({ path, unexpected: [] });
    }
  });
});

function resolved(value: Record<string, unknown>): Record<string, unknown> {
  const pointer = value.$ref as string | undefined;
  if (pointer === undefined || !description) return value;
  return valueAt(description.document, pointer.slice(2)) ?? {};
}

/** Names of the properties of a JSON body; none where it is an array or a choice. */
function bodyProperties(body: Record<string, unknown> | undefined): string[] {
  const content = body && (resolved(body).content as Record<string, { schema?: Record<string, unknown> }>);
  const properties = content?.['application/json']?.schema;
  return Object.keys((properties && (resolved(properties).properties as object)) ?? {});
}

if (!schema) test.skip('the description of GitHub was not fetched', () => undefined);

import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo' });
const { wren } = (await demoOf(gateway)).users;

const bodies: [what: string, body: string][] = [
  ['brackets', `{"a":${'['.repeat(120_000)}${']'.repeat(120_000)}}`],
  ['brackets that are never closed', `{"a":${'['.repeat(240_000)}`],
  ['equal keys', `{${Array(10_000).fill('"query":""').join(',')}}`],
  ['equal keys in variables', `{"query":"{__typename}","variables":{"a":[{"b":1,"b":2}]}}`],
  ['items', `{"a":[${'0,'.repeat(110_000)}0]}`],
];

test.each(bodies)('a body of many %s is refused before it is parsed, at every entry point', async (_what, body) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${wren.classic_token}` };
  const send = (path: string) =>
    gateway.request(path, { method: 'POST', body, headers: { ...headers, 'user-agent': 'portico tests' } });
  const statuses = [(await send('/graphql')).status, (await send('/api/v1/auth/login/')).status];
  expect(statuses).toEqual([400, 400]);
});

test('brackets inside a string do not count', async () => {
  const { status, json } = await gateway.graphql(
    'query($text: String) { articles(search: $text, first: 1) { nodes { id } } }',
    {
      text: `\\"${'[{'.repeat(150)}`,
    },
  );
  expect({ status, errors: json.errors }).toEqual({ status: 200, errors: undefined });
});

import { expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema('type Query { get: String! }', { Query: { get: () => 'here' } });
const operation = (dates: string): Record<string, string> => ({
  'a/old.graphql': `query Old @rest(method: GET, path: "/old", docs: "/rest/old" ${dates}) { get @body }`,
});
const dates = 'deprecatedAt: "2023-10-12T00:00:00Z", retiredAt: "2024-04-12T00:00:00Z"';
const facade = (more: Partial<Parameters<typeof startTestFacade>[0]>) =>
  startTestFacade({ graph, product: 'hosting-like', operations: operation(dates), ...more });
const before = await facade({ server: { clock: () => new Date('2024-04-11T23:59:59Z') } });
const after = await facade({
  server: {
    clock: () => new Date('2024-04-12T00:00:00Z'),
    authorize() {
      throw new Error('Nobody is asked who they are.');
    },
  },
});
const kept = await facade({ overrides: { servesRetired: true } });

test('an endpoint is served until it is retired, then is 503 for every caller, as the contract says', async () => {
  expect((await before.request('/old')).status).toBe(200);
  const { status, json, headers } = await after.request('/old');
  expect([status, json]).toEqual([
    503,
    {
      message:
        'Source imports were retired on 2024-04-12. An operator makes them available with the setting SOURCE_IMPORTS=on.',
      documentation_url: 'https://docs.example.org/rest/old',
      status: '503',
    },
  ]);
  expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
    'Thu, 12 Oct 2023 00:00:00 GMT',
    'Fri, 12 Apr 2024 00:00:00 GMT',
    '<https://docs.example.org/rest/old>; rel="deprecation"; type="text/html"',
  ]);
});

test('a product may still serve it; the document says deprecated', async () => {
  expect((await kept.request('/old')).json).toBe('here');
  expect(kept.document()).toMatchObject({
    paths: {
      '/old': { get: { deprecated: true, responses: { 503: { $ref: '#/components/responses/ServiceUnavailable' } } } },
    },
    components: { responses: { ServiceUnavailable: { description: expect.stringContaining('retired') } } },
  });
});

test('a single date or an invalid one stops the boot', () => {
  for (const wrong of ['retiredAt: "2024-04-12T00:00:00Z"', dates.replace('2023-10-12T', 'soon ')]) {
    expect(bootError({ graph, operations: operation(wrong) })).toBe(
      'test/a/old.graphql:1: deprecatedAt and retiredAt must both be set, as ISO 8601.',
    );
  }
});

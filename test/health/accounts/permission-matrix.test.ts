import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/config/config.ts';
import { compileGateway } from '../../../src/server/compile-gateway.ts';
import { operationFacts } from '../../../src/server/operation-facts.ts';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const { graph, health } = compileGateway(readConfig({}));
const factsOf = operationFacts(graph);

/** Every operation of the health contract with method, path and the access scope that decides: the innermost one. */
function operations(): { name: string; method: string; path: string; word: string }[] {
  return health.endpoints.map(({ operation }) => ({
    name: operation.file,
    method: operation.method,
    path: operation.path.replace(/\{\+?\w+\}/g, '1'),
    word: [...factsOf(operation).scopes.required][0] ?? 'no scope',
  }));
}

/**
 * Expected status per caller and access scope. `passes`: the rule admits the caller, and the operation decides the
 * rest.
 */
const outcomes: Record<string, { anonymous: string; guest: string; verified: string }> = {
  public: { anonymous: 'passes', guest: 'passes', verified: 'passes' },
  open: { anonymous: 'passes', guest: 'passes', verified: 'passes' },
  account: { anonymous: 'not_authenticated', guest: 'passes', verified: 'passes' },
  verified: { anonymous: 'not_authenticated', guest: 'not_verified', verified: 'passes' },
  // Guests only with AI_GUESTS=on, which is not the default.
  companion: { anonymous: 'not_authenticated', guest: 'not_verified', verified: 'passes' },
};

async function caller(kind: 'anonymous' | 'guest' | 'verified'): Promise<string | undefined> {
  if (kind === 'anonymous') return undefined;
  // A new caller for each operation: one may delete the account.
  if (kind === 'verified') return (await createAccounts(gateway, 1))[0]?.access;
  return (await send(gateway, 'POST', '/auth/guest/')).json.access;
}

describe.each(operations())('$method $path ($word)', ({ method, path, word }) => {
  test.each(['anonymous', 'guest', 'verified'] as const)('%s', async kind => {
    const expected = outcomes[word]?.[kind];
    expect(expected).toBeDefined();
    const { status, json } = await send(gateway, method, path, method === 'GET' ? undefined : {}, await caller(kind));
    if (expected === 'not_authenticated') {
      expect({ status, code: json?.code }).toEqual({ status: 401, code: 'not_authenticated' });
      expect(json.detail).toBe('Authentication credentials were not provided.');
    } else if (expected === 'not_verified') {
      expect({ status, json }).toEqual({
        status: 403,
        json: { detail: 'A verified account is required for this action.', code: 'not_verified' },
      });
    } else expect([200, 201, 204, 400, 404]).toContain(status);
  });
});

const wordsByPath = Map.groupBy(operations(), one => one.path);

describe.each([...wordsByPath].map(([path, there]) => ({ path, there: there.map(one => one.word) })))(
  'a method that $path has not',
  ({ path, there }) => {
    test.each(['anonymous', 'guest', 'verified'] as const)('%s', async kind => {
      const { status } = await send(gateway, 'PURGE', path, undefined, await caller(kind));
      const verdicts = there.map(word => outcomes[word]?.[kind]);
      const refused = { not_authenticated: 401, not_verified: 403 } as Record<string, number>;
      // A caller without any permission gets that error, not the list of methods.
      expect(status).toBe(verdicts.includes('passes') ? 405 : refused[verdicts[0] ?? '']);
    });
  },
);

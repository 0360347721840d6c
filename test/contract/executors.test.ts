import { expect, test } from '@jest/globals';
import { execute } from 'graphql';
import type { Execute, GraphQLResult } from 'operation-rest';
import { CredentialStore } from '../../src/auth/credentials/credential-store.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { readConfig } from '../../src/config/config.ts';
import { PublicOrigin } from '../../src/config/public-origin.ts';
import { createContext } from '../../src/context/context.ts';
import { mapDatabaseError } from '../../src/db/map-database-error.ts';
import { openRateLimiter } from '../../src/limits/open-rate-limiter.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { readList } from '../../src/server/read-list.ts';
import { testGateway } from '../harness/gateway.ts';
import { testSecret } from '../harness/secret.ts';
import { contracts, createTestFacade, publicReads, serve } from './contracts.ts';
import { findSamples, missingCalls, sampleCalls } from './samples.ts';

const gateway = await testGateway();
const samples = await findSamples(gateway);
const config = readConfig({ SECRET_KEY: testSecret });
const keys = deriveKeys(config);
const clock = () => gateway.clock.now;
const source = {
  config,
  database: gateway.database,
  clock,
  keys,
  tokens: new SessionTokens(keys.sessionTokens),
  rateLimiter: await openRateLimiter({ config, clock, log: console, read: gateway.database.read }),
  credentials: new CredentialStore(gateway.database.read),
  publicOrigin: new PublicOrigin(config),
};

/** Contexts: with a database, and with an unavailable one. */
const contexts: Record<string, () => unknown> = {
  'with a database': () => createContext(source, { kind: 'anonymous', ip: '127.0.0.1' }, 'http://origin.test'),
  'with an unavailable database': () => {
    const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const context = createContext(source, { kind: 'anonymous', ip: '127.0.0.1' }, 'http://origin.test');
    for (const way of ['sql', 'read']) {
      Object.defineProperty(context, way, {
        get() {
          throw away;
        },
      });
    }
    return context;
  },
};

const graph = buildGraph(config);
const byGraphqlJs: Execute = ({ document, operationName, variables, context }) =>
  execute({
    schema: graph,
    document,
    operationName,
    variableValues: variables,
    contextValue: context,
  }) as GraphQLResult;

for (const { product, endpoints } of contracts) {
  for (const [name, context] of Object.entries(contexts)) {
    const hooks = { context, explain: mapDatabaseError, readList };
    const origins = await Promise.all(
      [hooks, { ...hooks, execute: byGraphqlJs }].map(all => serve(createTestFacade(product, all))),
    );
    for (const endpoint of publicReads(endpoints)) {
      const { operation } = endpoint;
      test(`${operation.name} gives the same bytes by its plan and by graphql-js, ${name}`, async () => {
        const calls = [...sampleCalls(endpoint, samples), ...missingCalls(endpoint, samples)];
        for (const { path } of calls) {
          const address = `${product.basePaths[0]}${path}`;
          const [one, other] = await Promise.all(
            origins.map(async origin => {
              const response = await fetch(`${origin}${address}`, { method: operation.method });
              const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
              const headers = [...response.headers].filter(([header]) => header !== 'date');
              return { status: response.status, headers, bytes };
            }),
          );
          expect(one).toEqual(other);
          expect(one?.bytes.length === 0).toBe(one?.status === 204);
        }
      });
    }
  }
}

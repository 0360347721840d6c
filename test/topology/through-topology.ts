import { afterAll } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import { testSecret } from '../harness/secret.ts';
import { Topology, type TopologyOptions } from './topology.ts';

/** Starts a topology with the demo data for a test file. */
export async function testTopology(options: Omit<TopologyOptions, 'secretKey'> = {}): Promise<Topology> {
  const topology = await Topology.start({
    secretKey: testSecret,
    ...options,
    settings: { SEED: 'demo', RATE_LIMIT_FACTOR: '100000', ...options.settings },
  });
  afterAll(() => topology.close());
  return topology;
}

/** The part of `TestGateway` that the calls of the contracts use, for requests through HAProxy. */
export async function throughTopology(topology: Topology): Promise<TestGateway> {
  const database = await openDatabase({ url: topology.databaseUrl, poolSize: 3, statementTimeoutMs: 10_000 });
  afterAll(() => database.close());
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    const response = await fetch(`${topology.url}${path}`, { redirect: 'manual', ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const used = {
    url: topology.url,
    database,
    request,
    databaseUrl: topology.databaseUrl,
    clock: {
      get now() {
        return new Date();
      },
    },
    graphql: (query: string, variables?: Record<string, unknown>) =>
      request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
  };
  return used as unknown as TestGateway;
}

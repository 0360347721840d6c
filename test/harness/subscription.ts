import { afterAll } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestGateway } from './gateway.ts';

/** One event of a subscription. */
export interface SubscriptionEvent<Data> {
  data?: Data | null;
  errors?: readonly { extensions?: { code?: unknown } }[];
}

const clients: Client[] = [];
// Registered at import, before the hooks that stop the gateways.
afterAll(async () => {
  for (const client of clients) await client.dispose();
});

/** Starts a subscription over WebSocket with a hosting credential. Its connection is closed after the file. */
export function subscribe<Data>(
  at: TestGateway,
  token: string,
  query: string,
  variables: Record<string, unknown>,
): AsyncIterableIterator<SubscriptionEvent<Data>> {
  const client = createClient({
    url: `${at.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { Authorization: `Bearer ${token}` },
  });
  clients.push(client);
  return client.iterate({ query, variables }) as AsyncIterableIterator<SubscriptionEvent<Data>>;
}

/** The refusal of a subscription as text, which has the code of the error. */
export async function refusalOf(events: AsyncIterableIterator<unknown>): Promise<string> {
  return JSON.stringify(await events.next().catch((error: unknown) => ({ error })));
}

import type { IncomingMessage } from 'node:http';
import type { Actor } from '../auth/actor.ts';
import { authenticateHosting, isHostingCredential } from '../auth/credentials/hosting-credential.ts';
import { authenticateHealth } from '../auth/health-credential.ts';
import type { ContextDependencies } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';

/** Callers of subscriptions: persons of the health product, users and installed apps of the code hosting product. */
export type WebSocketActor = Extract<Actor, { kind: 'person' | 'user' | 'installation' }>;

/** Verifies the Authorization value of a connection. @throws GraphQLError of an invalid credential, or of one of another kind */
export async function webSocketCaller(
  { credentials, rateLimiter, database, tokens, clock }: ContextDependencies,
  authorization: string | undefined,
  ip: string,
): Promise<WebSocketActor> {
  const request = { headers: { authorization } } as IncomingMessage;
  const actor = isHostingCredential(authorization ?? '')
    ? await authenticateHosting(request, ip, { credentials, rateLimiter, now: clock() })
    : await authenticateHealth(request, ip, { read: database.pools.authentication.read, tokens, now: clock() });
  if (actor.kind === 'person' || actor.kind === 'user' || actor.kind === 'installation') return actor;
  throw unauthenticated();
}

/** Key of the callers' connections: the numbers of the products are independent. */
export function slotKey(actor: WebSocketActor): string {
  if (actor.kind === 'person') return `person ${actor.userId}`;
  return actor.kind === 'user' ? `user ${actor.accountId}` : `installation ${actor.installationId}`;
}

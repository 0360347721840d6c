import type { IncomingMessage } from 'node:http';
import { bodyMethods, type Operation } from 'operation-rest';
import type { Context } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';

/**
 * Base URL of links in responses of the code hosting API: clients of the self-hosted edition use the prefix `/api/v3`, and
 * their links have it, too.
 */
export function hostingBaseUrl(request: IncomingMessage, origin: string): string {
  return /^\/api\/v3(?:[/?]|$)/.test(request.url ?? '') ? `${origin}/api/v3` : origin;
}

/** A path without the method is 404 for an authenticated caller; a write without a credential is refused first. */
export function assertMethodAllowed(
  context: Context,
  request: IncomingMessage,
  operation: Operation | undefined,
): void {
  const writes = bodyMethods.has(request.method ?? '');
  if (!operation && writes && context.actor.kind === 'anonymous') throw unauthenticated();
}

/**
 * Whether a response is private to the caller. Not for an app as itself, as the contract has it: `Vary` names `Authorization`, so that a
 * shared cache gives the response of one app to no other.
 */
export function isPersonal(context: Context): boolean {
  return context.actor.kind !== 'anonymous' && context.actor.kind !== 'app';
}

/** Equal keys get equal responses: everything about the caller except the IP address, which only rate limits use. */
export const callerKey = ({ actor }: Context): string => JSON.stringify({ ...actor, ip: undefined });

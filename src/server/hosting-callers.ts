import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { Context } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';

/**
 * Address that the paths of the code hosting API stand under for a request: clients of the self-hosted edition ask below
 * `/api/v3`, and what they are told leads there as well.
 */
export function hostingBaseUrl(request: IncomingMessage, origin: string): string {
  return /^\/api\/v3(?:[/?]|$)/.test(request.url ?? '') ? `${origin}/api/v3` : origin;
}

/** A method that a known path does not have is absent for callers with a name; without one, a write needs one first. */
export function assertMethodAllowed(
  context: Context,
  request: IncomingMessage,
  operation: Operation | undefined,
): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!operation && !reads && context.actor.kind === 'anonymous') throw unauthenticated();
}

/**
 * Whether an answer is for the caller alone. What an app gets as itself is, too: marked public, as elsewhere, a shared cache
 * would give one app's answer to another.
 */
export function isPersonal(context: Context): boolean {
  return context.actor.kind !== 'anonymous';
}

/** Equal texts are callers who are shown the same: all that is known of one but the address, which only limits go by. */
export const callerKey = ({ actor }: Context): string => JSON.stringify({ ...actor, ip: undefined });

import type { Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { RestHooks } from '../../rest-facade/engine/rest-hooks.ts';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import { type ActionName, actionLimits } from '../limits/action-limits.ts';
import type { RateLimitWindow } from '../limits/admitted-request.ts';
import { tooManyRequests } from '../limits/rate-limiter.ts';
import type { RequestCost, RequestLimiter } from '../limits/request-limiter.ts';
import { countBytes } from './count-bytes.ts';
import { ignoresCredential, rootScopes } from './root-scopes.ts';

type WindowName = 'anonymous' | 'user' | 'authentication' | 'bad credential';

const actionOfWindow: Record<WindowName, ActionName> = {
  anonymous: 'anonymous',
  user: 'user',
  authentication: 'authentication',
  // As much as without one, in a window of its own: a program that repeats an old token takes nothing from its neighbours.
  'bad credential': 'anonymous',
};

/**
 * Counts requests of the health contract in the minute of the address or the person, together with their slot and the
 * resources that are left, in one step. What logs in, renews a session or registers has a window of its own for each address,
 * with or without a credential. An unknown path counts for the address.
 */
export function healthCharges(graph: GraphQLSchema, limits: RequestLimiter): NonNullable<RestHooks['charge']> {
  const known = new WeakMap<Operation, boolean>();
  const authenticates = (operation: Operation): boolean => {
    const found =
      known.get(operation) ?? ignoresCredential(rootScopes(graph, operation.definition, operation.fragments));
    known.set(operation, found);
    return found;
  };
  return async (context, { request, response, operation, events }) => {
    const { actor, usage } = (context ?? {}) as Partial<Pick<Context, 'actor' | 'usage'>>;
    // Of an unknown path: nobody has looked at the credential.
    const isUnread = !context && request.headers.authorization !== undefined;
    const isForAddress = actor?.kind !== 'person' || (operation !== undefined && authenticates(operation));
    const name = windowNameOf(isForAddress, operation !== undefined && authenticates(operation), isUnread);
    const caller: Actor = isForAddress ? anonymous(request as Request) : actor;
    const open = await admit(limits, caller, name, { usage, door: events ? 'events' : 'health' });
    if (usage) countBytes(request, response, usage);
    return { headers: () => ({}), release: () => open.release() };
  };
}

/** Counts a request whose credential is no good. Throws `throttled` where the address has sent too many. */
export async function chargeBadCredential(limits: RequestLimiter, request: Request): Promise<void> {
  (await admit(limits, anonymous(request), 'bad credential')).release();
}

function windowNameOf(isForAddress: boolean, authenticates: boolean, isUnread: boolean): WindowName {
  if (isUnread) return 'bad credential';
  if (authenticates) return 'authentication';
  return isForAddress ? 'anonymous' : 'user';
}

interface ChargeOptions {
  usage?: Context['usage'] | undefined;
  door?: 'health' | 'events';
}

async function admit(
  limits: RequestLimiter,
  actor: Actor,
  name: WindowName,
  { usage, door = 'health' }: ChargeOptions = {},
) {
  const [allowance] = actionLimits[actionOfWindow[name]].limits;
  const limit = limits.scaled(allowance?.limit ?? 0);
  const window: RateLimitWindow = {
    resource: name,
    key: `primary/health ${name}`,
    limit,
    seconds: allowance?.seconds ?? 60,
  };
  const cost: RequestCost = { door, endpoint: '', points: 0, content: 0, primary: { window, cost: 1 } };
  const open = await limits.admit(await limits.quotaOf(actor), cost, usage);
  if ('refused' in open) throw tooManyRequests(open.retryAfter);
  return open;
}

const anonymous = ({ ip = '' }: Request): Actor => ({ kind: 'anonymous', ip });

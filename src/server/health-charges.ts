import type { Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { DoorOptions } from '../../rest-facade/engine/door-options.ts';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import type { Window } from '../limits/open-request.ts';
import type { RequestCost, RequestLimits } from '../limits/request-limits.ts';
import { throttled } from '../limits/throttle.ts';
import { type BudgetName, budgets } from '../limits/throttle-budgets.ts';
import { countBytes } from './count-bytes.ts';
import { isOpen, rootWords } from './root-words.ts';

type WindowName = 'anonymous' | 'user' | 'authentication' | 'bad credential';

const budgetOf: Record<WindowName, BudgetName> = {
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
export function healthCharges(graph: GraphQLSchema, limits: RequestLimits): NonNullable<DoorOptions['charge']> {
  const known = new WeakMap<Operation, boolean>();
  const authenticates = (operation: Operation): boolean => {
    const found = known.get(operation) ?? isOpen(rootWords(graph, operation.definition, operation.fragments));
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
    return { headers: () => ({}), settle: () => open.settle() };
  };
}

/** Counts a request whose credential is no good. Throws `throttled` where the address has sent too many. */
export async function chargeBadCredential(limits: RequestLimits, request: Request): Promise<void> {
  (await admit(limits, anonymous(request), 'bad credential')).settle();
}

function windowNameOf(isForAddress: boolean, authenticates: boolean, isUnread: boolean): WindowName {
  if (isUnread) return 'bad credential';
  if (authenticates) return 'authentication';
  return isForAddress ? 'anonymous' : 'user';
}

interface Details {
  usage?: Context['usage'] | undefined;
  door?: 'health' | 'events';
}

async function admit(limits: RequestLimits, actor: Actor, name: WindowName, { usage, door = 'health' }: Details = {}) {
  const [allowance] = budgets[budgetOf[name]].allowances;
  const limit = limits.times(allowance?.limit ?? 0);
  const window: Window = { resource: name, key: `primary/health ${name}`, limit, seconds: allowance?.seconds ?? 60 };
  const cost: RequestCost = { door, endpoint: '', points: 0, content: 0, primary: { window, cost: 1 } };
  const open = await limits.admit(await limits.allowanceOf(actor), cost, usage);
  if ('refused' in open) throw throttled(open.retryAfter);
  return open;
}

const anonymous = ({ ip = '' }: Request): Actor => ({ kind: 'anonymous', ip });

import type { Request } from 'express';
import { type GraphQLSchema, Kind } from 'graphql';
import type { DoorOptions } from '../../rest-facade/engine/door-options.ts';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import { type Resource, resourceOf } from '../limits/primary-limits.ts';
import type { RequestCost, RequestLimits } from '../limits/request-limits.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { contentOf } from './content-generating.ts';
import { countBytes } from './count-bytes.ts';
import { rateLimited, standingHeaders } from './rate-limit-errors.ts';

/** What is told of windows is counted in none of them, or nobody could find out when to go on. */
const uncounted = '/rate_limit';

/** What every request of an operation is counted by; worked out once. */
interface Weighed {
  resource: Resource;
  cost: 0 | 1;
  points: number;
  content: number;
}

/** What no operation answers: an unknown path, or a method that it does not have. */
const unserved: Weighed = { resource: 'core', cost: 1, points: 1, content: 0 };

/**
 * Counts requests of the code hosting contract once it is known who asks: good credentials, whatever they are answered. Bad
 * ones count in `Throttle`, and an unknown path in the hour only where no credential was sent, which nobody has looked at then.
 */
export function restCharges(graph: GraphQLSchema, limits: RequestLimits): NonNullable<DoorOptions['charge']> {
  const known = new WeakMap<Operation, Weighed>();
  const weigh = (operation: Operation | undefined): Weighed => {
    if (!operation) return unserved;
    const found = known.get(operation) ?? {
      resource: resourceOf(operation.path),
      cost: operation.path === uncounted ? 0 : 1,
      points: operation.points,
      content: contentOf(graph, { kind: Kind.DOCUMENT, definitions: operation.fragments }, operation.definition),
    };
    known.set(operation, found);
    return found;
  };
  return async (context, { request, response, operation }) => {
    const stranger = request.headers.authorization === undefined;
    const ip = (request as Request).ip ?? '';
    const actor: Actor = context ? (context as Context).actor : { kind: 'anonymous', ip };
    const { resource, cost, points, content } = weigh(operation);
    const allowance = await limits.allowanceOf(actor);
    // Of an unknown path nobody has looked at the credential: it counts in no hour, and for the address beside it.
    const counted = allowance.perHour !== undefined && (context !== undefined || stranger);
    const weighed: RequestCost = {
      door: 'rest',
      endpoint: operation?.name ?? '',
      points,
      content,
      primary: counted ? { window: limits.windowOf(allowance, resource), cost } : undefined,
    };
    const usage = context ? (context as Context).usage : new RequestUsage();
    const open = await limits.admit(allowance, weighed, usage);
    if ('refused' in open) throw rateLimited(open, 403);
    countBytes(request, response, usage);
    // What somebody with a name has already is not worth a request.
    const given = (status: number): number => (status === 304 && !allowance.isAnonymous ? cost : 0);
    return {
      headers: status => standingHeaders(open.standing(given(status))),
      settle: status => open.settle(given(status)),
    };
  };
}

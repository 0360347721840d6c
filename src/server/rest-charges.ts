import type { Request } from 'express';
import { type GraphQLSchema, Kind } from 'graphql';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { RestHooks } from '../../rest-facade/engine/rest-hooks.ts';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import { type Resource, resourceOfPath } from '../limits/request-limit-tables.ts';
import type { RequestCost, RequestLimiter } from '../limits/request-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { countContentMutations } from './content-mutations.ts';
import { countBytes } from './count-bytes.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';

/** What is told of windows is counted in none of them, or nobody could find out when to go on. */
const rateLimitPath = '/rate_limit';

/** What every request of an operation is counted by; worked out once. */
interface OperationWeight {
  resource: Resource;
  cost: 0 | 1;
  points: number;
  content: number;
}

/** What no operation answers: an unknown path, or a method that it does not have. */
const unknownPathWeight: OperationWeight = { resource: 'core', cost: 1, points: 1, content: 0 };

/**
 * Counts requests of the code hosting contract once it is known who asks: good credentials, whatever they are answered. Bad
 * ones count in `Throttle`, and an unknown path in the hour only where no credential was sent, which nobody has looked at then.
 */
export function restCharges(graph: GraphQLSchema, limits: RequestLimiter): NonNullable<RestHooks['charge']> {
  const known = new WeakMap<Operation, OperationWeight>();
  const weigh = (operation: Operation | undefined): OperationWeight => {
    if (!operation) return unknownPathWeight;
    const found = known.get(operation) ?? {
      resource: resourceOfPath(operation.path),
      cost: operation.path === rateLimitPath ? 0 : 1,
      points: operation.points,
      content: countContentMutations(
        graph,
        { kind: Kind.DOCUMENT, definitions: operation.fragments },
        operation.definition,
      ),
    };
    known.set(operation, found);
    return found;
  };
  return async (context, { request, response, operation }) => {
    const hasNoCredential = request.headers.authorization === undefined;
    const ip = (request as Request).ip ?? '';
    const actor: Actor = context ? (context as Context).actor : { kind: 'anonymous', ip };
    const { resource, cost, points, content } = weigh(operation);
    const allowance = await limits.quotaOf(actor);
    // Of an unknown path nobody has looked at the credential: it counts in no hour, and for the address beside it.
    const counted = allowance.perHour !== undefined && (context !== undefined || hasNoCredential);
    const weighed: RequestCost = {
      door: 'rest',
      endpoint: operation?.name ?? '',
      points,
      content,
      primary: counted ? { window: limits.windowOf(allowance, resource), cost } : undefined,
    };
    const usage = context ? (context as Context).usage : new RequestUsage();
    const open = await limits.admit(allowance, weighed, usage);
    if ('refused' in open) throw rateLimitExceeded(open, 403);
    countBytes(request, response, usage);
    // What somebody with a name has already is not worth a request.
    const refundFor = (status: number): number => (status === 304 && !allowance.isAnonymous ? cost : 0);
    return {
      headers: status => rateLimitHeaders(open.state(refundFor(status))),
      release: status => open.release(refundFor(status)),
    };
  };
}

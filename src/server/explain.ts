import type { GraphQLError } from 'graphql';
import { failureOfDatabase } from '../errors/errors.ts';
import type { Logger } from './logger.ts';

/** The coded failure that an unexpected error amounts to, or undefined for a defect. */
export type Explain = (error: unknown) => GraphQLError | undefined;

/** While the database is away every request fails alike; the operator needs to read it once a second at most. */
const quiet = 1_000;

/** `failureOfDatabase`, which also warns the operator when the database is away or too slow: callers are told no reason. */
export function explainer(logger: Logger): Explain {
  let warned = Number.NEGATIVE_INFINITY;
  return error => {
    const known = failureOfDatabase(error);
    if (known?.extensions.code !== 'SERVICE_UNAVAILABLE' || hungUp(error)) return known;
    const now = performance.now();
    if (now - warned < quiet) return known;
    warned = now;
    logger.warn({ err: error }, 'the database is away or too slow');
    return known;
  };
}

/** A client that hangs up while it sends gives an error with the code of a lost connection, too. */
function hungUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'aborted';
}

import type { GraphQLError } from 'graphql';
import { mapDatabaseError } from '../db/map-database-error.ts';
import type { Logger } from './logger.ts';

/** The coded failure that an unexpected error amounts to, or undefined for a defect. */
export type TranslateError = (error: unknown) => GraphQLError | undefined;

/** While the database is away every request fails alike; the operator needs to read it once a second at most. */
const warnIntervalMs = 1_000;

/** `mapDatabaseError`, which also warns the operator when the database is away or too slow: callers are told no reason. */
export function errorTranslator(logger: Logger): TranslateError {
  let warned = Number.NEGATIVE_INFINITY;
  return error => {
    const known = mapDatabaseError(error);
    if (known?.extensions.code !== 'SERVICE_UNAVAILABLE' || isClientAbort(error)) return known;
    const now = performance.now();
    if (now - warned < warnIntervalMs) return known;
    warned = now;
    logger.warn({ err: error }, 'the database is away or too slow');
    return known;
  };
}

/** A client that hangs up while it sends gives an error with the code of a lost connection, too. */
function isClientAbort(error: unknown): boolean {
  return error instanceof Error && error.message === 'aborted';
}

import type { GraphQLError } from 'graphql';
import { mapDatabaseError } from '../db/map-database-error.ts';
import { serviceUnavailable, workLimitExceeded } from '../errors/errors.ts';
import { isShortage } from '../errors/shortage.ts';
import { WorkBudgetError } from '../workers/work-budget.ts';
import type { Logger } from './logger.ts';

/** Maps an unexpected error to an error with a code; undefined for a defect. */
export type TranslateError = (error: unknown) => GraphQLError | undefined;

/** Minimum interval of warnings. While the database is unavailable, every request fails with the same error. */
const warnIntervalMs = 1_000;

/**
 * Translates spent budgets, errors of the database, and lack of descriptors, processes and memory. Warns the operator of the latter and of a
 * database that is unavailable or too slow, because clients get no reason.
 */
export function errorTranslator(logger: Logger): TranslateError {
  let warned = Number.NEGATIVE_INFINITY;
  const warn = (error: unknown, message: string): void => {
    const now = performance.now();
    if (now - warned < warnIntervalMs) return;
    warned = now;
    logger.warn({ err: error }, message);
  };
  return error => {
    if (error instanceof WorkBudgetError) return workLimitExceeded({ limit: error.limit }, error.message);
    if (isShortage(error)) {
      warn(error, 'descriptors, processes or memory are used up');
      return serviceUnavailable({ reason: 'resources' });
    }
    const known = mapDatabaseError(error);
    if (known?.extensions.code !== 'SERVICE_UNAVAILABLE' || isClientAbort(error)) return known;
    warn(error, 'the database is away or too slow');
    return known;
  };
}

/** A client that disconnects while sending causes an error with the code of a lost connection, too. */
function isClientAbort(error: unknown): boolean {
  return error instanceof Error && error.message === 'aborted';
}

import type { GraphQLError } from 'graphql';
import { invalidInput, notFound, serviceUnavailable, wholeInput } from '../errors/errors.ts';
import { sqlState } from './sql-state.ts';

/**
 * The coded error that answers an error of PostgreSQL, or undefined for a defect of this program. Class 22 is a value that no
 * column accepts (NUL in a text, a number out of range), which any entry point may have passed on from the caller.
 */
export function mapDatabaseError(error: unknown): GraphQLError | undefined {
  const state = sqlState(error);
  if (state === undefined) return undefined;
  if (state.startsWith('22')) return invalidInput({ [wholeInput]: ['A value cannot be stored or compared.'] });
  // Foreign key: the referenced row was deleted between its lookup and the write.
  if (state === '23503') return notFound();
  if (state === '57014') return serviceUnavailable({ reason: 'statement_timeout' });
  // Deadlock or lock timeout: nothing was written, and another attempt may succeed.
  if (state === '40P01' || state === '55P03') return serviceUnavailable({ reason: 'database_busy' });
  // The time limit of the request: see `WriteDeadline`.
  if (state === 'REQUEST_EXPIRED') return serviceUnavailable({ reason: 'request_timeout' });
  // The queue in front of a connection pool: see `PoolBusyError`.
  if (state.startsWith('POOL_')) return serviceUnavailable({ reason: 'database_busy' });
  // 08 connection lost, 53 out of resources, 57P0x shutdown, 25006 a server that became a standby, and the codes of Node.js for
  // an unreachable server.
  if (/^(08|53|57P|25006|ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(state))
    return serviceUnavailable({ reason: 'database_away' });
  // Any other state that ends or refuses the session: connections not allowed, no such database, a changed password.
  if ((error as { severity?: unknown }).severity === 'FATAL') return serviceUnavailable({ reason: 'database_away' });
  return undefined;
}

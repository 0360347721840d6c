/**
 * The members of an error of `pg` that the predicates read. `code` is a SQLSTATE, or a code of Node.js such as `ECONNREFUSED`.
 */
interface DatabaseErrorFields {
  code?: unknown;
  constraint?: unknown;
  message?: unknown;
  routine?: unknown;
  syscall?: unknown;
  cause?: unknown;
}

/** Errors are wrapped once or twice (by the ORM, by a write function); the bound ends a cycle of causes. */
const maxDepth = 5;

/**
 * Codes of connection errors: 08 connection exception, 53300 too many connections, 57P0x shutdown or startup, 25006 a server that
 * is no longer the primary, and those of Node.js.
 */
const connectionCodes =
  /^(08|53300|57P0|25006|ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;

/** Messages of connection errors for which `pg` has no code. */
const connectionMessages =
  /^Connection terminated|is not queryable$|timeout exceeded when trying to connect|^timeout expired$|^Query read timeout/;

/**
 * The error and its causes, outermost first. Tested by shape and not by `instanceof Error`: under Jest, errors of Node's own
 * modules come from another realm.
 */
function causesOf(error: unknown): DatabaseErrorFields[] {
  const causes: DatabaseErrorFields[] = [];
  let cause = error;
  while (typeof cause === 'object' && cause !== null && causes.length < maxDepth) {
    causes.push(cause);
    cause = (cause as DatabaseErrorFields).cause;
  }
  return causes;
}

const hasState = (error: unknown, pattern: RegExp): boolean =>
  causesOf(error).some(({ code }) => typeof code === 'string' && pattern.test(code));

const isConnectionMessage = ({ message }: DatabaseErrorFields): boolean =>
  typeof message === 'string' && connectionMessages.test(message);

/**
 * The code of the outermost error in the chain of causes that has one: a SQLSTATE, a code of Node.js, or one of PoolBusyError.
 * `08006` (connection failure) for a broken connection that `pg` reports without a code. Undefined when no error has a code.
 */
export function sqlState(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    // Of a file: only a socket that does not exist is a server that is away.
    if (cause.code === 'ENOENT' && cause.syscall !== 'connect') return undefined;
    if (typeof cause.code === 'string') return cause.code;
    if (isConnectionMessage(cause)) return '08006';
  }
  return undefined;
}

/** 23505 of the unique index or constraint with this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return causesOf(error).find(({ code }) => code === '23505')?.constraint === constraint;
}

/** The connection broke or could not be opened. The statement may succeed on another one. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && (connectionCodes.test(state) || causesOf(error).some(isConnectionMessage));
}

/** 55P03 lock_not_available (lock timeout), 40P01 deadlock_detected. */
export function isLockConflict(error: unknown): boolean {
  return hasState(error, /^(55P03|40P01)$/);
}

/** 40P01 deadlock_detected: the transaction that PostgreSQL chose was rolled back. */
export function isDeadlock(error: unknown): boolean {
  return hasState(error, /^40P01$/);
}

/**
 * The database can be read but not written now, or not in time: 25006 read-only (a standby, a full disk), 53 out of resources,
 * 57014 statement timeout, 55P03 lock timeout, 40 serialization failure or deadlock.
 */
export function isWriteUnavailable(error: unknown): boolean {
  return hasState(error, /^(25006|53|57014|55P03|40)/);
}

/** 57014: PostgreSQL has canceled the statement at its timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return hasState(error, /^57014$/);
}

/** 28P01: the server does not accept the password. */
export function isInvalidPassword(error: unknown): boolean {
  return hasState(error, /^28P01$/);
}

/** 42P04 duplicate_database, or 23505 when another process created it at the same time. */
export function isDuplicateDatabase(error: unknown): boolean {
  return hasState(error, /^(42P04|23505)$/);
}

/** 23514 «no partition of relation … found for row»: nothing of the statement was written. */
export function isMissingPartition(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, message }) => code === '23514' && String(message).includes('no partition of relation'),
  );
}

/** 0A000 «cached plan must not change result type»: a migration ran after the statement was prepared. Nothing was read. */
export function isStalePlan(error: unknown): boolean {
  return causesOf(error).some(({ code, routine }) => code === '0A000' && routine === 'RevalidateCachedQuery');
}

/**
 * Whether the connection can be reused: an error of severity ERROR ends the statement and not the session. `pool.query` of `pg`
 * would close the connection, so that each request that provokes an error would make PostgreSQL fork a process. A connection to a
 * server that is no longer the primary is not reused, or it would fail every write until it is idle for long enough.
 */
export function isSessionIntact(error: unknown): boolean {
  return (error as { severity?: unknown } | undefined)?.severity === 'ERROR' && !isReadOnlyServer(error);
}

/** 25006 read_only_sql_transaction: no transaction of this program is read-only, so the server is a standby or was made one. */
export function isReadOnlyServer(error: unknown): boolean {
  return hasState(error, /^25006$/);
}

/** 42501: the role lacks a right. */
export const isPermissionDenied = (error: unknown): boolean => hasState(error, /^42501$/);

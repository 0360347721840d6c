import { isNativeError } from 'node:util/types';
import { OperationError } from 'operation-rest';
import { ConfigError } from './config/config.ts';
import { PoolerWithoutServerError } from './db/database.ts';
import { EmbeddedInUseError } from './db/embedded.ts';
import { hasCode } from './db/embedded-error.ts';
import { mapDatabaseError } from './db/map-database-error.ts';
import { MigrationFailedError, MigrationLockError } from './db/migrate.ts';
import { UnsuitableServerError } from './db/server-report.ts';
import { isPermissionDenied } from './db/sql-state.ts';
import { ListenError } from './server/http-server.ts';

/** Errors whose message says what to do. */
const explained = [
  ConfigError,
  EmbeddedInUseError,
  ListenError,
  MigrationFailedError,
  MigrationLockError,
  OperationError,
  PoolerWithoutServerError,
  UnsuitableServerError,
];

/** Codes of Node.js for a folder or file that cannot be written. */
const fileCodes = ['EACCES', 'EDQUOT', 'EISDIR', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'];

/** The text of an error that ends a start: one sentence if the operator can correct it, the stack of a defect. */
export function describeStartError(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  if (explained.some(kind => error instanceof kind)) return error.message;
  if (fileCodes.some(code => hasCode(error.cause, code))) return error.message;
  if (fileCodes.some(code => hasCode(error, code)))
    return `${error.message}. Set PORTICO_DATA to a folder that this user may write, on a file system with free space.`;
  if (isPermissionDenied(error))
    return `The database refuses a statement: ${error.message}. Make the role of DATABASE_URL the owner of the database.`;
  if (mapDatabaseError(error)?.extensions.code === 'SERVICE_UNAVAILABLE') {
    // A connection error of a host name with several addresses is an AggregateError without a message.
    const reason = error.message || String((error as { code?: unknown }).code);
    return `The database cannot be used: ${reason}. Check DATABASE_URL, and that the server runs.`;
  }
  return error.stack ?? error.message;
}

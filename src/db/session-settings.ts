import type pg from 'pg';

/**
 * Configures a new connection with SET statements, because PgBouncer rejects the startup parameter `options`. `pg.Pool` awaits
 * this before it hands the connection out, and closes a connection on which it fails. Without jit: PostgreSQL compiles a statement
 * whose cost it overestimates for seconds, and every statement here is meant to take milliseconds.
 */
export async function configureSession(
  client: pg.ClientBase,
  statementTimeoutMs: number,
  isReadOnly = false,
): Promise<void> {
  await client.query(
    [...sessionSettings(statementTimeoutMs), ...(isReadOnly ? ['default_transaction_read_only = on'] : [])]
      .map(setting => `set ${setting}`)
      .join('; '),
  );
}

const sessionSettings = (statementTimeoutMs: number): string[] => [
  "timezone = 'UTC'",
  'jit = off',
  `statement_timeout = ${statementTimeoutMs}`,
  'idle_in_transaction_session_timeout = 60000',
];

/**
 * Begins a transaction with the settings of `configureSession`. A pooler in transaction mode runs each transaction on any server
 * connection, which belongs to other clients before and after: a setting of the session would reach them and not the next
 * statement, and a prepared statement would not be there. So every statement runs in a transaction of one round trip, without a name.
 */
export function pooledBegin(statementTimeoutMs: number, isReadOnly = false): string {
  const settings = sessionSettings(statementTimeoutMs).map(setting => `set local ${setting}`);
  return [isReadOnly ? 'begin read only' : 'begin', ...settings].join('; ');
}

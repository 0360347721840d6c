import { ConnectionPool, type DatabaseAddress } from './connection-pool.ts';
import { PreparedStatements, type Read } from './read.ts';

/** Connections of one process: it runs one computation at a time, whose statements follow each other. */
const maxConnections = 2;

/** Reads of a child process, on connections of its own on which PostgreSQL refuses every write. They open at the first statement. */
export function openReadPool({
  database: { url, isBehindPooler },
  statementTimeoutMs,
}: {
  database: DatabaseAddress;
  statementTimeoutMs: number;
}): Read {
  return new ConnectionPool({
    name: 'work',
    connection: { connectionString: url },
    isBehindPooler,
    isReadOnly: true,
    database: {},
    statements: new PreparedStatements(),
    max: maxConnections,
    statementTimeoutMs,
    waitTimeoutMs: 5_000,
    maxWaiting: 100,
  }).read;
}

import { ConnectionPool, type DatabaseAddress } from './connection-pool.ts';
import { poolLimits } from './pool-limits.ts';
import { PreparedStatements } from './read.ts';

/** The pool `jobs` of a child process that runs a long task of a job. `database`: of a server with sessions. */
export function openJobPool({
  database: { url, isBehindPooler },
  statementTimeoutMs,
}: {
  database: DatabaseAddress;
  statementTimeoutMs: number;
}): ConnectionPool {
  return new ConnectionPool({
    ...poolLimits(1, statementTimeoutMs).jobs,
    name: 'jobs',
    connection: { connectionString: url },
    isBehindPooler,
    database: {},
    statements: new PreparedStatements(),
  });
}

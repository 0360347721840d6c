import type { RawBuilder } from 'kysely';
import type { ConnectionPool } from '../connection-pool.ts';
import type { DatabaseUsage } from '../kysely-client.ts';
import type { Read } from '../read.ts';
import { isStatementTimeout } from '../sql-state.ts';
import type { Replica, ReplicaPools } from './replica.ts';
import type { ReplicaSession } from './replica-session.ts';

export interface ReplicatedReadOptions {
  session: ReplicaSession;
  /** The replica that reads the next statement; undefined for the primary. */
  replica(): Promise<Replica | undefined>;
  poolName: keyof ReplicaPools;
  /** Pool of the primary. */
  primary: ConnectionPool;
  usage: DatabaseUsage;
}

/**
 * Reads on a replica or on the primary. What a replica fails is repeated once on the primary, whatever the error: a recovery conflict,
 * a lost connection, a full queue, a table that it does not have yet. Except a statement timeout: the statement would take as long there.
 */
export function replicatedRead({ session, replica, poolName, primary, usage }: ReplicatedReadOptions): Read {
  const { counts } = session;
  const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    const chosen = await replica();
    if (chosen) {
      try {
        counts.replica++;
        return await chosen.pools[poolName].reader(usage)(query);
      } catch (error) {
        if (isStatementTimeout(error)) throw error;
        counts.repeated++;
        session.leaveReplica();
      }
    }
    counts.primary++;
    return primary.reader(usage, session.onRead)(query);
  };
  const { database } = primary.read;
  return Object.defineProperty(Object.assign(read, database && { database }), 'replica', {
    get: () => session.current,
  });
}

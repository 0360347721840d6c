import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Read } from './read.ts';
import type { Replica } from './replicas/replica.ts';

/** The server that a request reads. */
interface Reader {
  /** Undefined for the primary. */
  replica(): Promise<Replica | undefined>;
}

/**
 * Returns a function that reads the version of the data that a request will see; equal versions mean equal data.
 *
 * Of the primary it is the current snapshot, which changes whenever a transaction in any database of the server ends. Rejected: the last
 * event id, which a transaction takes before others can see it. Of a replica it is the position that was replayed, because a snapshot
 * of a standby does not list the transactions that run on the primary.
 */
export function dataVersionReader({ read }: Pick<Database, 'read'>): (reader: Reader) => Promise<string> {
  const ofPrimary = sharedReader(read, sql`select pg_current_snapshot()::text as state`);
  const ofReplicas = new WeakMap<Replica, () => Promise<string>>();
  const readerOf = (replica: Replica): (() => Promise<string>) => {
    const known = ofReplicas.get(replica);
    if (known) return known;
    const created = sharedReader(replica.pools.signedIn.read, sql`select pg_last_wal_replay_lsn()::text as state`);
    ofReplicas.set(replica, created);
    return created;
  };
  return async reader => {
    const replica = await reader.replica();
    if (!replica) return ofPrimary();
    // One that fails now fails the request as well, which is then answered by the primary: its version is never seen again.
    return `${replica.name} ${await readerOf(replica)().catch(() => performance.now())}`;
  };
}

/** One query runs at a time. Concurrent callers share the next one, because the running one may be older than what they have seen. */
function sharedReader(read: Read, query: RawBuilder<unknown>): () => Promise<string> {
  const readState = async (): Promise<string> => {
    const [row] = await read(query as RawBuilder<{ state: string }>);
    if (!row) throw new Error('PostgreSQL did not say which version it reads.');
    return row.state;
  };
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<string> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const state = readState();
      running = state.catch(() => {});
      return state;
    });
    return next;
  };
}

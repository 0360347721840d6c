import { sql } from 'kysely';
import type { Read } from './read.ts';

/**
 * Returns a function that reads the current snapshot (`pg_current_snapshot()` as text). It changes whenever a transaction in any
 * database of the server ends, so data read under equal snapshots is equal. Rejected: the last event id, which a transaction
 * takes before others can see it.
 *
 * One query runs at a time. Concurrent callers share the next query, because the running one may be older than what they have
 * already seen.
 */
export function snapshotReader(read: Read): () => Promise<string> {
  const querySnapshot = async (): Promise<string> => {
    const [row] = await read(sql<{ state: string }>`select pg_current_snapshot()::text as state`);
    if (!row) throw new Error('PostgreSQL did not say which snapshot it reads.');
    return row.state;
  };
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<string> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const snapshot = querySnapshot();
      running = snapshot.catch(() => {});
      return snapshot;
    });
    return next;
  };
}

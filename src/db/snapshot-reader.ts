import { sql } from 'kysely';
import type { Read } from './read.ts';

/**
 * Names which transactions have ended, in whatever database of the server and aborted ones as well: data that were read under
 * one name are all the same. Rejected: the last id of an event, which a transaction takes before others can see it.
 *
 * PostgreSQL is asked once at a time. Who comes meanwhile shares the next question, as the answer under way may be older than
 * what they have seen.
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

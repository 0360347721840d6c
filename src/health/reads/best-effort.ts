import { isWriteUnavailable } from '../../db/sql-state.ts';

/**
 * Awaits a write that is a side effect of a read, and ignores that the database cannot write: this must not fail a
 * read. Other errors are rethrown.
 */
export async function bestEffort(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isWriteUnavailable(error)) throw error;
  }
}

import { isWriteUnavailable } from '../../db/sql-state.ts';

/**
 * Awaits a write that a read makes on the side and drops it while the database cannot write: that is no reason to fail the
 * read. Any other error is thrown.
 */
export async function bestEffort(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isWriteUnavailable(error)) throw error;
  }
}

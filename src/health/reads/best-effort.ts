/**
 * SQLSTATEs of a database that cannot write now: read-only (a standby, a full disk), out of resources, statement
 * timeout, lock timeout, serialization failure.
 */
const unwritableStates = /^(25006|53|57014|55P03|40)/;

/**
 * Awaits a write that is a side effect of a read, and ignores the errors above: a database that cannot write must not
 * fail a read. Other errors are rethrown.
 */
export async function bestEffort(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      const { code } = cause as { code?: unknown };
      if (typeof code === 'string' && unwritableStates.test(code)) return;
    }
    throw error;
  }
}

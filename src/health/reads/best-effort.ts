/**
 * SQLSTATEs of a database that reads and does not write now, or not in time: read-only (a standby, a full disk), out of
 * resources, a statement cut off, a lock not had, a lost race.
 */
const unwritableStates = /^(25006|53|57014|55P03|40)/;

/**
 * What a read writes on the side. The caller asked to read, so a database that cannot write at the moment is no reason to
 * answer nothing; what was to be written is left out. Any other failure is the caller's to see.
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

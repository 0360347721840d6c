import type { Context } from '../../context/context.ts';
import { isWriteUnavailable } from '../../db/sql-state.ts';

/**
 * Awaits a write that is a side effect of a read, unless the request is HEAD, which is safe and shows nothing to anybody. That the database
 * cannot write is ignored: this must not fail a read. Other errors are rethrown.
 */
export async function readEffect(
  { appliesReadEffects }: Pick<Context, 'appliesReadEffects'>,
  write: () => Promise<unknown>,
): Promise<void> {
  if (!appliesReadEffects) return;
  try {
    await write();
  } catch (error) {
    if (!isWriteUnavailable(error)) throw error;
  }
}

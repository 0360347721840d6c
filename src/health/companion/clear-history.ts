import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { eraseCompanionHistory } from './erase-history.ts';

/** Deletes the caller's companion history permanently. Idempotent. */
export async function clearHistory(context: Pick<Context, 'actor' | 'transaction'>): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(db => eraseCompanionHistory(db, [userId]));
}

import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { eraseCompanionHistory } from './erase-history.ts';

/** Deletes the caller's conversations with the companion for good; with none there it is done already. */
export async function clearHistory(context: Pick<Context, 'actor' | 'transaction'>): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(db => eraseCompanionHistory(db, [userId]));
}

import type { Context } from '../../context/context.ts';
import { personOf } from '../accounts/person.ts';
import { eraseCompanion } from './erase-history.ts';

/** Deletes the caller's conversations with the companion for good; with none there it is done already. */
export async function clearHistory(context: Pick<Context, 'actor' | 'transaction'>): Promise<void> {
  const { userId } = personOf(context.actor);
  await context.transaction(db => eraseCompanion(db, [userId]));
}

import type { Context } from '../../context/context.ts';
import { personOf } from '../accounts/person.ts';
import { eraseCompanion } from './erase-history.ts';

/** Deletes the caller's conversations with the companion for good; with none there it is done already. */
export async function clearHistory({ actor, transaction }: Pick<Context, 'actor' | 'transaction'>): Promise<void> {
  const { userId } = personOf(actor);
  await transaction(db => eraseCompanion(db, [userId]));
}

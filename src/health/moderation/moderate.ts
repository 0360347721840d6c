import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { assertModerator } from './moderation.queries.ts';
import type { Moderation } from './suspend-person.ts';

/** Runs a measure of the caller in one transaction. @throws forbidden for no moderator */
export const moderate = (context: Context, action: (moderation: Moderation) => Promise<void>): Promise<void> =>
  context.transaction(async db => {
    const { userId } = requirePerson(context.actor);
    await assertModerator(db, userId);
    await action({ db, keys: context.keys, now: context.now(), moderatorId: userId });
  });

import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith } from '../community/blocks.ts';
import { explainByAge, recordRefusedContact } from '../community/refuse-contact.ts';
import { isReachable } from '../people/person-card.ts';
import { notConnectedError } from './conversations.ts';
import { ensurePrivateChat } from './ensure-private-chat.ts';

/**
 * Returns the id of the private chat with a connected user, creating it if missing.
 * @throws a field error for the caller's own id; notFound; forbidden `not_connected`, also when the reason is a block, or
 *   `date_of_birth_needed`
 */
export async function startPrivateChat(
  context: Pick<Context, 'actor' | 'now' | 'read' | 'transaction'>,
  otherId: number,
): Promise<string> {
  const { userId } = requirePerson(context.actor);
  if (otherId === userId) throw invalidInput({ personId: ['You cannot start a chat with yourself.'] });
  const work = context.transaction(async db => {
    const found = await sql<{ connected: boolean }>`
      select ${connectedWith(userId, 'u.id')} as connected from users u where u.id = ${otherId} and ${isReachable('u')}`.execute(
      db,
    );
    const [person] = found.rows;
    if (!person) throw notFound();
    if (!person.connected) throw notConnectedError();
    return ensurePrivateChat(db, userId, otherId, context.now());
  });
  return work.catch(async (error: unknown) => {
    await recordRefusedContact(context, { personId: userId, otherId, kind: 'message' });
    throw await explainByAge(context, userId, error);
  });
}

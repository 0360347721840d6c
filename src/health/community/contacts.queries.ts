import { sql } from 'kysely';
import type { Contact } from '../../../schema/health/contact.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { tablePage } from '../lists/table-page.ts';
import { fullName, isReachable, maskedEmail, personCard } from '../people/person-card.ts';
import { differInAge } from './blocks.ts';

/** A person whom the caller can write to. All columns: they are few. */
export type ContactRow = Contact;

/** Accounts with an accepted connection to the caller, by name. */
export function contacts(
  { actor, origin, read }: Pick<Context, 'actor' | 'origin' | 'read'>,
  search: string | null | undefined,
): ListSource<ContactRow> {
  const { userId } = requirePerson(actor);
  const columns = sql`${personCard('u', origin)} as person, ${maskedEmail('u')} as "maskedEmail", p.id as "peerLinkDatabaseId",
    (select c.id from private_chat c where c.low_id = least(u.id, ${userId}::bigint)
      and c.high_id = greatest(u.id, ${userId}::bigint)) as "chatUuid"`;
  return tablePage(read, {
    select: () => columns,
    from: sql`(
      select id, asked_id as other_id from peer_connection where asker_id = ${userId} and status = 'accepted'
      union all
      select id, asker_id from peer_connection where asked_id = ${userId} and status = 'accepted') p
      join users u on u.id = p.other_id`,
    where: [isReachable('u'), sql`not ${differInAge(userId, 'u.id')}`, ...containsTerms(fullName('u'), search)],
    order: sql`lower(${fullName('u')}), u.id`,
  });
}

import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { notKeptApart } from '../community/blocks.ts';
import { type PersonCardRow, personCardColumns } from '../people/person-card.ts';

/** Members of chat groups of the caller, ordered by time of joining, without blocked ones; none of other groups. */
export function chatMembers({
  actor,
  origin,
  read,
}: Pick<Context, 'actor' | 'origin' | 'read'>): BatchedSource<string, PersonCardRow> {
  const { userId } = requirePerson(actor);
  return batchedTable(read, {
    keyType: 'uuid',
    select: () => personCardColumns(userId, 'u', origin),
    from: sql`chat_membership m join users u on u.id = m.user_id`,
    where: group => [
      sql`m.group_id = ${group}`,
      notKeptApart(userId, 'm.user_id'),
      sql`exists (select 1 from chat_membership own where own.group_id = m.group_id and own.user_id = ${userId})`,
    ],
    order: sql`m.joined_at, m.user_id`,
  });
}

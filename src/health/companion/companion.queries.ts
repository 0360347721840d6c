import { sql } from 'kysely';
import { CompanionMessage } from '../../../schema/health/companion.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';

/** A message of a conversation, as returned to its owner. */
export type TurnRow = Pick<CompanionMessage, 'id' | 'role' | 'content' | 'createdAt'>;

const turnSelectList = columnsOf(CompanionMessage, 'last');

/** Messages kept per user; older ones are deleted. */
export const maxTurns = 1_000;

/** The last `limit` messages of a user, the oldest first. */
export function loadHistory({ read }: Pick<Context, 'read'>, userId: number, limit: number): Promise<TurnRow[]> {
  return read(sql<TurnRow>`
    select ${turnSelectList('all')}
    from (select * from companion_message where user_id = ${userId} order by id desc limit ${limit}) last
    order by id`);
}

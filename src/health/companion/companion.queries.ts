import { sql } from 'kysely';
import { CompanionMessage } from '../../../schema/health/companion.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';

/** A turn as its owner sees it. */
export type TurnRow = Pick<CompanionMessage, 'id' | 'role' | 'content' | 'createdAt'>;

const turnSelectList = columnsOf(CompanionMessage, 'last');

/** Turns that are kept of one person; the oldest go when there are more. */
export const maxTurns = 1_000;

/** The last `limit` turns of somebody, the oldest of them first. */
export function loadHistory({ read }: Pick<Context, 'read'>, userId: number, limit: number): Promise<TurnRow[]> {
  return read(sql<TurnRow>`
    select ${turnSelectList('all')}
    from (select * from companion_message where user_id = ${userId} order by id desc limit ${limit}) last
    order by id`);
}

import { sql } from 'kysely';
import { CompanionMessage } from '../../../schema/health/companion.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { tablePage } from '../lists/table-page.ts';

/** A message of a conversation, as returned to its owner. */
export type TurnRow = Pick<CompanionMessage, 'id' | 'role' | 'text' | 'createdAt'>;

const turnSelectList = columnsOf(CompanionMessage, 'last');

const ownSelectList = columnsOf(CompanionMessage, 'm', { always: ['id'] });

/** Pages of a user's messages, the oldest first. */
export function companionMessages({ read }: Pick<Context, 'read'>, userId: number): ListSource<TurnRow> {
  return tablePage(read, {
    select: wanted => ownSelectList(wanted),
    from: sql.raw('companion_message m'),
    where: [sql`m.user_id = ${userId}`],
    order: sql.raw('m.id'),
  });
}

/** The selected fields of a user's messages with these ids, in their order; null for the other ids. */
export async function findTurns(
  { read }: Pick<Context, 'read'>,
  userId: number,
  ids: readonly number[],
  wanted: Selection,
): Promise<(TurnRow | null)[]> {
  const found = await read(sql<TurnRow>`select ${ownSelectList(wanted)} from companion_message m
    where m.id = any(${[...ids]}::bigint[]) and m.user_id = ${userId}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Messages kept per user; older ones are deleted. */
export const maxTurns = 1_000;

/** The last `limit` messages of a user, the oldest first. */
export function loadHistory({ read }: Pick<Context, 'read'>, userId: number, limit: number): Promise<TurnRow[]> {
  return read(sql<TurnRow>`
    select ${turnSelectList('all')}
    from (select * from companion_message where user_id = ${userId} order by id desc limit ${limit}) last
    order by id`);
}

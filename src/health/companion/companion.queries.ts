import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/** A message of a conversation, as returned to its owner. */
export interface TurnRow {
  id: number;
  role: string;
  content: string;
  createdAt: string;
}

/** Messages kept per user; older ones are deleted. */
export const maxTurns = 1_000;

/** The last `limit` messages of a user, the oldest first. */
export function loadHistory({ read }: Pick<Context, 'read'>, userId: number, limit: number): Promise<TurnRow[]> {
  return read(sql<TurnRow>`
    select id, role, content, created_at as "createdAt"
    from (select * from companion_message where user_id = ${userId} order by id desc limit ${limit}) last
    order by id`);
}

import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/** A turn as its owner sees it. */
export interface TurnRow {
  id: number;
  role: string;
  content: string;
  createdAt: string;
}

/** Turns that are kept of one person; the oldest go when there are more. */
export const maxTurns = 1_000;

/** The last `limit` turns of somebody, the oldest of them first. */
export function loadHistory({ read }: Pick<Context, 'read'>, userId: number, limit: number): Promise<TurnRow[]> {
  return read(sql<TurnRow>`
    select id, role, content, created_at as "createdAt"
    from (select * from companion_message where user_id = ${userId} order by id desc limit ${limit}) last
    order by id`);
}

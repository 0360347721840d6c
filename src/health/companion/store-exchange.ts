import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { maxTurns } from './companion.queries.ts';

/** A question and its answer. */
export interface Exchange {
  question: string;
  askedAt: Date;
  answer: string;
  answeredAt: Date;
  safety: string;
}

/**
 * Stores question and answer and deletes messages beyond `maxTurns`. Locks the account row, so that exchanges of one
 * user do not interleave and nothing is stored for an account deleted meanwhile. Returns the ids of both messages.
 * @throws notFound for a deleted account
 */
export function storeExchange(
  context: Pick<Context, 'transaction'>,
  userId: number,
  { question, askedAt, answer, answeredAt, safety }: Exchange,
): Promise<{ question: number; answer: number }> {
  return context.transaction(async db => {
    const held = await sql`select from users where id = ${userId} and deleted_at is null for no key update`.execute(db);
    if (held.rows.length === 0) throw notFound();
    // The delete sees the snapshot before the insert, hence `maxTurns - 2`.
    const { rows } = await sql<{ id: number }>`
      with dropped as (
        delete from companion_message where id in (
          select id from companion_message where user_id = ${userId} order by id desc offset ${maxTurns - 2})
      )
      insert into companion_message (user_id, role, content, safety, created_at)
      select ${userId}::bigint, turn.role, turn.content, ${safety}, turn.at
      from (values (1, 'user', ${question}, ${askedAt.toISOString()}::timestamptz),
        (2, 'assistant', ${answer}, ${answeredAt.toISOString()}::timestamptz)) as turn (no, role, content, at)
      order by turn.no returning id`.execute(db);
    const [first, second] = rows;
    if (!first || !second) throw new Error('The exchange was not inserted.');
    return { question: first.id, answer: second.id };
  });
}

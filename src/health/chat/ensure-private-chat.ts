import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/** Returns the id of the private chat of two users, creating it if missing. Safe for concurrent calls. */
export async function ensurePrivateChat(
  db: Kysely<unknown>,
  userId: number,
  otherId: number,
  now: Date,
): Promise<string> {
  const at = now.toISOString();
  const [low, high] = userId < otherId ? [userId, otherId] : [otherId, userId];
  await sql`
    with made as (
      insert into private_chat (id, low_id, high_id, created_at) values (${randomUUID()}, ${low}, ${high}, ${at})
      on conflict (low_id, high_id) do nothing returning id, low_id, high_id)
    insert into private_chat_reader (chat_id, user_id, read_at)
    select id, unnest(array[low_id, high_id]), 'epoch'::timestamptz from made`.execute(db);
  const found = await sql<{ id: string }>`
    select id from private_chat where low_id = ${low} and high_id = ${high}`.execute(db);
  const id = found.rows[0]?.id;
  if (id === undefined) throw new Error('The private chat was not inserted.');
  return id;
}

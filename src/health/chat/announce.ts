import { type Kysely, sql } from 'kysely';
import type { Room } from './rooms.ts';

/** Where PostgreSQL tells every gateway that something is new in a room. */
export const chatChannel = 'portico_chat';

/** The text that is told: which room, and nothing of what is in it. Every reader then asks for what they may read. */
export const topicOf = ({ kind, id }: Room): string => `${kind}:${id}`;

/** Tells it when the transaction commits, and not when it is rolled back. */
export async function announce(db: Kysely<unknown>, room: Room): Promise<void> {
  await sql`select pg_notify(${chatChannel}, ${topicOf(room)})`.execute(db);
}

import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { addMembers } from '../../src/health/chat/chat-membership.ts';
import { ensurePrivateChat } from '../../src/health/chat/ensure-private-chat.ts';
import { uuidV7 } from '../../src/health/chat/uuid-v7.ts';
import { memberAddition } from '../../src/health/community/change-membership.ts';
import { countTermFrequencies, refreshMatchingTerms } from '../../src/health/profiles/matching-terms.ts';

/** Demo community groups; the first member is the creator. */
const demoGroups = [
  {
    name: 'Type 2 diabetes, day by day',
    slug: 'type-2-diabetes-day-by-day',
    description: 'Meals, numbers, shoes and setbacks. Nobody here sells anything.',
    tags: ['type 2 diabetes', 'diabetes'],
    members: ['amira', 'benedikt'],
    inChat: ['amira'],
  },
  {
    name: 'Living with high blood pressure',
    slug: 'living-with-high-blood-pressure',
    description: 'Cuffs, salt and patience.',
    tags: ['hypertension'],
    members: ['benedikt'],
    inChat: ['benedikt'],
  },
];

/** Messages between amira and benedikt, the oldest first, with the minutes since they connected. */
const demoMessages: [from: string, minutes: number, content: string][] = [
  ['amira', 12, 'Hello Benedikt! You mentioned walking in the group. How far do you go with the knee?'],
  ['benedikt', 31, 'To the allotments and back, twenty minutes. Slowly. The dog decides.'],
  ['amira', 38, 'That is my after-dinner round, too. It does more for my evening numbers than I had thought.'],
  ['benedikt', 55, 'Then we walk together, each in our own town.'],
];

/** Amira and benedikt are connected; chiara has a pending request to amira and has not opted in to the community. */
export async function seedCommunity(em: EntityManager, now: Date): Promise<void> {
  const db = em.getKysely() as unknown as Kysely<unknown>;
  const at = now.toISOString();
  const found = await sql<{ id: number; name: string }>`select id, lower(first_name) as name from users
    where email like '%@example.org' order by id`.execute(db);
  const people = new Map(found.rows.map(row => [row.name, row.id]));
  const idOf = (name: string): number => {
    const id = people.get(name);
    if (id === undefined) throw new Error(`The demo data has no person ${name}.`);
    return id;
  };
  for (const { name, slug, description, tags, members, inChat } of demoGroups) {
    const founder = idOf(members[0] ?? '');
    const made = await sql<{ id: number }>`
      insert into community_group (name, slug, description, condition_tags, creator_id, created_at)
      values (${name}, ${slug}, ${description}, ${tags}, ${founder}, ${at}) returning id`.execute(db);
    const id = made.rows[0]?.id ?? 0;
    const chat = randomUUID();
    await sql`insert into chat_group (id, name, description, community_id, creator_id, created_at)
      values (${chat}, ${name}, ${`Chat of the community group ${name}.`}, ${id}, ${founder}, ${at})`.execute(db);
    for (const member of members) await memberAddition(id, idOf(member), at, sql`true`).execute(db);
    await addMembers(db, chat, inChat.map(idOf), { now: at, isAdmin: true });
  }
  const [amira, benedikt, chiara] = ['amira', 'benedikt', 'chiara'].map(idOf) as [number, number, number];
  await sql`insert into peer_connection (asker_id, asked_id, status, match_reason, tries, created_at, responded_at)
    values (${benedikt}, ${amira}, 'accepted', 'We are in the same group.', 0, ${at}, ${at}),
      (${chiara}, ${amira}, 'pending', 'Your knee-friendly recipes!', 1, ${at}, null)`.execute(db);
  const chat = await ensurePrivateChat(db, amira, benedikt, now);
  for (const [from, minutes, content] of demoMessages) {
    const sent = new Date(now.getTime() + minutes * 60_000 - 24 * 3_600_000);
    await sql`insert into chat_message (id, chat_id, author_id, content, sent_at)
      values (${uuidV7(sent)}, ${chat}, ${idOf(from)}, ${content}, ${sent.toISOString()})`.execute(db);
  }
  await sql`update private_chat set message_count = ${demoMessages.length},
    last_message_at = (select max(sent_at) from chat_message where chat_id = ${chat}) where id = ${chat}`.execute(db);
  await refreshMatchingTerms(db, [...people.values()]);
  await countTermFrequencies(db);
}

import { type RawBuilder, sql } from 'kysely';
import { createAccounts, createVisibleAccounts } from '../harness/accounts.ts';
import type { TestGateway } from '../harness/gateway.ts';

/** Authorization headers of three people, and the keys of the first one's rows. */
interface PrivatePerson {
  person: string;
  other: string;
  /** Has a chat with the person and reads its messages. */
  friend: string;
  keys: Map<string, number | string>;
  article: number;
}

/** A person with a row of each kind in the health half. */
export async function privatePerson(gateway: TestGateway, marked: (noun: string) => string): Promise<PrivatePerson> {
  const db = gateway.database.sql;
  const at = sql`${gateway.clock.now.toISOString()}::timestamptz`;
  const profile = {
    email: marked('person@example.org'),
    first_name: marked('first-name'),
    about_me: marked('about'),
    allergies: marked('allergies'),
    conditions: [marked('condition')],
    symptoms: [marked('symptom')],
    mobile_no: marked('phone'),
  };
  const [person, friend] = await createAccounts(gateway, [profile, {}]);
  const [other] = await createVisibleAccounts(gateway, 1);
  if (!person || !friend || !other) throw new Error('No people were made.');
  const me = person.id;
  const keys = new Map<string, number | string>([['Person', me]]);
  const add = async (type: string, statement: RawBuilder<{ id: number | string }>): Promise<number | string> => {
    const id = (await statement.execute(db)).rows[0]?.id ?? 0;
    keys.set(type, id);
    return id;
  };
  const category = await add(
    'Category',
    sql`insert into category (name, slug, description) values ('Sleep', 'sleep', 'Sleep') returning id`,
  );
  const article = await add(
    'Article',
    sql`insert into article (headline, summary, author, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
      values ('Sleep', 'Sleep', 'A', 'other', 'Sleep', '<p>Sleep</p>', '{sleep}', 1, ${at}, ${at}) returning id`,
  );
  await sql`insert into article_category values (${article}, ${category})`.execute(db);
  await sql`insert into article_bookmark values (${me}, ${article}, ${at})`.execute(db);
  await add(
    'ArticleComment',
    sql`insert into article_comment (article_id, user_id, text, created_at) values (${article}, ${friend.id}, 'Public remark', ${at}) returning id`,
  );
  await add(
    'Recommendation',
    sql`insert into article_recommendation (user_id, article_id, score, reason, status, created_at)
      values (${me}, ${article}, 0.5, ${marked('reason')}, 'pending', ${at}) returning id`,
  );
  await add(
    'HealthGoal',
    sql`insert into health_goal (user_id, goal_type, target_value, unit, description, start_date, created_at, updated_at)
      values (${me}, 'weight', 60, 'kg', ${marked('goal')}, '2026-01-01', ${at}, ${at}) returning id`,
  );
  await add(
    'SymptomLog',
    sql`insert into symptom_log (user_id, symptom_name, severity, description, logged_at, created_at)
      values (${me}, ${marked('log')}, 3, ${marked('log-text')}, ${at}, ${at}) returning id`,
  );
  await add(
    'VitalReading',
    sql`insert into vital_reading (user_id, heart_rate, notes, measured_at, created_at) values (${me}, 61, ${marked('reading')}, ${at}, ${at}) returning id`,
  );
  await add(
    'Assessment',
    sql`insert into assessment (id, user_id, symptoms, reported, severity, additional_notes, status, triage_level, urgency, created_at)
      values (gen_random_uuid(), ${me}, array[${marked('assessed')}], array[${marked('assessed')}], 4, ${marked('assessment')}, 'completed', 'routine', 'medium', ${at}) returning id`,
  );
  await add(
    'CompanionMessage',
    sql`insert into companion_message (user_id, role, content, safety, created_at) values (${me}, 'user', ${marked('companion')}, 'none', ${at}) returning id`,
  );
  const session = await add(
    'HealthSession',
    sql`insert into session (id, user_id, device, created_at, last_used_at, expires_at)
      values (gen_random_uuid(), ${me}, ${marked('device')}, ${at}, ${at}, ${at} + interval '9 days') returning id`,
  );
  await sql`insert into refresh_token (id, session_id, issued_at, expires_at)
    values (gen_random_uuid(), ${session}, ${at}, ${at} + interval '9 days')`.execute(db);
  await add(
    'DataAccess',
    sql`insert into data_access (user_id, subject, read_on, read_count, last_read_at) values (${me}, 'export', ${at}::date, 1, ${at}) returning id`,
  );
  await add(
    'PeerLink',
    sql`insert into peer_connection (asker_id, asked_id, status, match_reason, created_at, responded_at)
      values (${friend.id}, ${me}, 'accepted', ${marked('match')}, ${at}, ${at}) returning id`,
  );
  const chat = await add(
    'PrivateChat',
    sql`insert into private_chat (id, low_id, high_id, created_at, message_count, last_message_at)
      values (gen_random_uuid(), ${Math.min(me, friend.id)}, ${Math.max(me, friend.id)}, ${at}, 1, ${at}) returning id`,
  );
  await add(
    'ChatMessage',
    sql`insert into chat_message (id, chat_id, author_id, content, sent_at) values (gen_random_uuid(), ${chat}, ${friend.id}, ${marked('chat')}, ${at}) returning id`,
  );
  await add(
    'CommunityGroup',
    sql`insert into community_group (name, slug, created_at, creator_id, member_count) values ('Circle', 'circle', ${at}, ${friend.id}, 1) returning id`,
  );
  const group = await add(
    'ChatGroup',
    sql`insert into chat_group (id, name, created_at, creator_id, participant_count, message_count, last_message_at)
      values (gen_random_uuid(), 'Talk', ${at}, ${me}, 1, 1, ${at}) returning id`,
  );
  await sql`insert into community_membership select id, ${me}, ${at} from community_group`.execute(db);
  await sql`insert into chat_membership values (${group}, ${me}, true, ${at}, ${at})`.execute(db);
  await sql`insert into chat_message (id, group_id, author_id, content, sent_at)
    values (gen_random_uuid(), ${group}, ${me}, ${marked('group-chat')}, ${at})`.execute(db);
  const header = ({ access }: { access: string }): string => `Bearer ${access}`;
  return { person: header(person), other: header(other), friend: header(friend), keys, article: Number(article) };
}

import { randomInt, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { hashPassword } from '../../../src/auth/passwords/hash.ts';
import { addMembers } from '../../../src/health/chat/chat-membership.ts';
import { ensurePrivateChat } from '../../../src/health/chat/ensure-private-chat.ts';
import { chatNotifyChannel, conversationTopic } from '../../../src/health/chat/notify-conversation.ts';
import { refreshMatchingTerms } from '../../../src/health/profiles/matching-terms.ts';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import type { TestGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { send } from '../../harness/people.ts';
import type { PersonKind, Relation } from './people-rules.ts';

/** A person of a kind, with words that occur in no other profile. */
export interface Actor {
  kind: PersonKind;
  /** 0 for a caller without an account. */
  id: number;
  email: string;
  /** '' for nobody. */
  access: string;
  firstName: string;
  lastName: string;
  /** Shown to accepted peers. */
  peerCondition: string;
  /** What nobody else may read, the date of birth as it stands now included. */
  secrets: string[];
}

export const password = 'correct horse people battery';
let hash: string | undefined;

const born = { adult: '1990-05-04', minor: '2010-03-01' };
const bornOn: Partial<Record<PersonKind, string | null>> = {
  minor: born.minor,
  'minor under review': born.minor,
  unknown: null,
};
const changedTo: Partial<Record<PersonKind, string>> = {
  'adult under review': born.minor,
  'minor under review': born.adult,
};

/** A person with an account, or a caller without one. All people with an account show `condition` to suggestions. */
export async function makeActor(gateway: TestGateway, kind: PersonKind, condition: string): Promise<Actor> {
  // Letters: strangers see no number of six digits or more in a name.
  const mark = randomUUID()
    .slice(0, 8)
    .replace(/\d/g, digit => 'ghijklmnop'.charAt(Number(digit)));
  const caller = { kind, id: 0, email: '', firstName: '', lastName: '', peerCondition: '', secrets: [] };
  if (kind === 'nobody') return { ...caller, access: '' };
  if (kind === 'service credential') return { ...caller, access: (await demoOf(gateway)).tokens.service };
  if (kind === 'guest') {
    const { access, user } = (await send(gateway, 'POST', '/auth/guest/')).json;
    return { ...caller, id: user.id, access };
  }
  hash ??= await hashPassword(password);
  const [firstName, lastName, peerCondition] = [`Given${mark}`, `Family${mark}`, `shown ${mark}`];
  const secrets = [`private ${mark}`, `+49${randomInt(10_000_000_000, 99_999_999_999)}`];
  const [account] = (await createAccounts(gateway, [
    {
      first_name: firstName,
      last_name: lastName,
      password_hash: hash,
      date_of_birth: bornOn[kind] === undefined ? born.adult : bornOn[kind],
      mobile_no: secrets[1],
      conditions: [condition, peerCondition, secrets[0]],
      conditions_for_peers: [peerCondition],
      conditions_for_suggestions: [condition],
      is_visible_in_community: kind !== 'unlisted adult',
      is_moderator: kind === 'moderator',
    },
  ])) as [TestAccount];
  const { id, email, access } = account;
  const db = gateway.database.sql;
  const later = changedTo[kind];
  if (later) await sql`update users set date_of_birth = ${later} where id = ${id}`.execute(db);
  await refreshMatchingTerms(db, [id]);
  const day = later ?? (bornOn[kind] === undefined ? born.adult : bornOn[kind]);
  return {
    ...{ kind, id, email, access, firstName, lastName, peerCondition },
    secrets: [...secrets, email, ...(day ? [day] : [])],
  };
}

/** Two people in a relation, and where they can meet. */
export interface Meeting {
  me: Actor;
  other: Actor;
  relation: Relation;
  /** Number of the link between the two, if there is one. */
  link(): number | undefined;
  /** Puts the relation back, after what a deed has changed of it. */
  restore(): Promise<void>;
  /** Ids of chats that exist whatever the relation is: other people's, if the two have none. */
  chat: string;
  group: string;
  /** Of an open group that the other has made. */
  otherGroup: string;
  /** Of a group that `me` has made. */
  ownGroup: string;
  article: number;
  /** A comment of the other, with its text. */
  comment: { id: number; text: string };
}

const withChat: readonly Relation[] = ['peer', 'former', 'blocking', 'blocked'];

export async function setRelation(
  db: Kysely<unknown>,
  now: Date,
  [me, other]: readonly [number, number],
  relation: Relation,
): Promise<number | undefined> {
  await sql`delete from peer_connection where least(asker_id, asked_id) = least(${me}::bigint, ${other}::bigint)
    and greatest(asker_id, asked_id) = greatest(${me}::bigint, ${other}::bigint)`.execute(db);
  if (relation === 'stranger' || relation === 'group member') return undefined;
  const status = { asked: 'pending', asking: 'pending', peer: 'accepted', former: 'declined' }[relation as string];
  const [asker, asked] = relation === 'asking' ? [other, me] : [me, other];
  const blocker = { blocking: me, blocked: other }[relation as string] ?? null;
  const { rows } = await sql<{ id: number }>`
    insert into peer_connection (asker_id, asked_id, status, blocked_by_id, declined_by_id, created_at, responded_at)
    values (${asker}, ${asked}, ${status ?? 'blocked'}, ${blocker}, ${relation === 'former' ? me : null}, ${now},
      ${status === 'pending' ? null : now}) returning id`.execute(db);
  return rows[0]?.id;
}

/** Stores an open group whose newcomers read all of it: also with members whom it would refuse today. */
export async function insertGroup(
  db: Kysely<unknown>,
  now: Date,
  owner: number,
  members: readonly number[],
): Promise<string> {
  const id = randomUUID();
  await sql`insert into chat_group (id, name, description, visibility, shares_history, creator_id, created_at)
    values (${id}, 'Talk', '', 'open', true, ${owner || null}, ${now})`.execute(db);
  if (owner) await addMembers(db, id, [owner], { now: now.toISOString(), isAdmin: true });
  if (members.length > 0) await addMembers(db, id, members, { now: now.toISOString(), isAdmin: false });
  return id;
}

/** Stores a message of the author, and notifies, as a gateway does. */
export async function say(
  gateway: TestGateway,
  { kind, id }: { kind: 'chat' | 'group'; id: string },
  author: number,
  text: string,
): Promise<void> {
  const [table, column] = kind === 'chat' ? ['private_chat', 'chat_id'] : ['chat_group', 'group_id'];
  await sql`
    with counted as (
      update ${sql.table(table)} set message_count = message_count + 1,
        last_message_at = greatest(${gateway.clock.now}::timestamptz, last_message_at + interval '1 microsecond')
      where id = ${id} returning id, message_count, last_message_at),
    said as (
      insert into chat_message (id, ${sql.ref(column)}, author_id, content, ordinal, sent_at)
      select gen_random_uuid(), id, ${author}, ${text}, message_count, last_message_at from counted returning 1)
    select pg_notify(${chatNotifyChannel}, ${conversationTopic({ kind, id })}) from said`.execute(gateway.database.sql);
}

/** `me` and one other person for each relation. The members of the group have each said a word there. */
export async function meetings(
  gateway: TestGateway,
  kinds: Readonly<{ me: PersonKind; other: PersonKind }>,
  wanted: readonly Relation[],
): Promise<Meeting[]> {
  const { clock, database } = gateway;
  const db = database.sql;
  const condition = `ailment ${randomUUID()}`;
  const me = await makeActor(gateway, kinds.me, condition);
  const others: Actor[] = [];
  for (const _ of wanted) others.push(await makeActor(gateway, kinds.other, condition));
  const members = others.filter((_, at) => wanted[at] !== 'stranger').map(({ id }) => id);
  const hasAccount = kinds.me !== 'guest' && me.id !== 0;
  const group = await insertGroup(db, clock.now, hasAccount ? me.id : 0, members);
  const ownGroup = await insertGroup(db, clock.now, hasAccount ? me.id : 0, []);
  const [{ id: article } = { id: 0 }] = (
    await sql<{ id: number }>`select id from article order by comment_count, random() limit 1`.execute(db)
  ).rows;
  const all: Meeting[] = [];
  for (const [at, relation] of wanted.entries()) {
    const other = others[at] as Actor;
    const partner = withChat.includes(relation) ? me.id : (others[(at + 1) % others.length]?.id ?? 0);
    const chat =
      partner && partner !== other.id ? await ensurePrivateChat(db, partner, other.id, clock.now) : randomUUID();
    await say(gateway, { kind: 'chat', id: chat }, other.id, `letter of ${other.firstName}`);
    if (relation !== 'stranger')
      await say(gateway, { kind: 'group', id: group }, other.id, `word of ${other.firstName}`);
    const text = `remark ${randomUUID()}`;
    const { rows } = await sql<{ id: number }>`insert into article_comment (article_id, user_id, text, created_at)
      values (${article}, ${other.id}, ${text}, ${clock.now}) returning id`.execute(db);
    await sql`insert into report (reporter_id, kind, accused_id, reason, text, created_at)
      values (${others[(at + 1) % others.length]?.id ?? other.id}, 'person', ${other.id}, 'harassment', ${text}, ${clock.now})`.execute(
      db,
    );
    let link: number | undefined;
    const restore = async (): Promise<void> => {
      link = me.id === 0 ? undefined : await setRelation(db, clock.now, [me.id, other.id], relation);
    };
    await restore();
    all.push({
      ...{ me, other, relation, chat, group, ownGroup, article, restore },
      link: () => link,
      otherGroup: await insertGroup(db, clock.now, other.id, []),
      comment: { id: rows[0]?.id ?? 0, text },
    });
  }
  return all;
}

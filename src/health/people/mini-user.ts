import { type RawBuilder, sql } from 'kysely';
import { blockedBetween } from '../community/blocks.ts';

/** What the graph calls `MiniUser`. */
export interface MiniUserRow {
  id: number;
  fullName: string;
  profilePicture: string | null;
}

/** Name of the account in the row `u` of `users`; of no row, or a deleted account, that it is deleted. */
export function fullName(u: string): RawBuilder<string> {
  const at = sql.raw(u);
  return sql`case when ${at}.id is null or ${at}.deleted_at is not null then 'Deleted user'
    when ${at}.is_guest then 'Guest' else trim(${at}.first_name || ' ' || ${at}.last_name) end`;
}

/** Absolute address of the picture of the account in the row `u`, or NULL. */
export function profilePicture(u: string, origin: string): RawBuilder<string | null> {
  const at = sql.raw(u);
  return sql`case when ${at}.deleted_at is null then ${`${origin}/media/`}::text || ${at}.picture end`;
}

/** `a…@example.org`: which mailbox it is can be told apart by its owner's friends, and not written to. */
export function maskedEmail(u: string): RawBuilder<string> {
  const at = sql.raw(u);
  return sql`case when ${at}.deleted_at is not null or ${at}.email is null then ''
    else left(${at}.email, 1) || '…' || substring(${at}.email from '@[^@]*$') end`;
}

/** The account in the row `u` as JSON of a `MiniUser`. Of no row: a deleted user without a number. */
export function miniUser(u: string, origin: string): RawBuilder<MiniUserRow> {
  const at = sql.raw(u);
  return sql`json_build_object('id', coalesce(${at}.id, 0), 'fullName', ${fullName(u)},
    'profilePicture', ${profilePicture(u, origin)})`;
}

/** `miniUser`, and `Blocked user` without a number where `viewer` and the account have a block between them. */
export function miniUserFor(viewer: number, u: string, origin: string): RawBuilder<MiniUserRow> {
  return sql`case when ${blockedBetween(viewer, `${u}.id`)}
    then json_build_object('id', 0, 'fullName', 'Blocked user', 'profilePicture', null) else ${miniUser(u, origin)} end`;
}

/** The account in the row `u` as JSON of a `ChatParticipant`. */
export function participant(u: string, origin: string): RawBuilder<MiniUserRow & { email: string }> {
  const at = sql.raw(u);
  return sql`json_build_object('id', ${at}.id, 'fullName', ${fullName(u)}, 'email', ${maskedEmail(u)},
    'profilePicture', ${profilePicture(u, origin)})`;
}

/** Whether the account in the row `u` is one that others may deal with: live, activated, no guest. */
export function isReachable(u: string): RawBuilder<boolean> {
  const at = sql.raw(u);
  return sql`(${at}.is_active and ${at}.deleted_at is null and not ${at}.is_guest)`;
}

import { type RawBuilder, sql } from 'kysely';
import type { MiniUser } from '../../../schema/health/mini-user.ts';
import { blockedBetween } from '../community/blocks.ts';

/** Row of a `MiniUser`. */
export type MiniUserRow = MiniUser;

/** Display name of the `users` row `alias`; `Deleted user` for a deleted account and for no row. */
export function fullName(alias: string): RawBuilder<string> {
  const user = sql.raw(alias);
  return sql`case when ${user}.id is null or ${user}.deleted_at is not null then 'Deleted user'
    when ${user}.is_guest then 'Guest' else trim(${user}.first_name || ' ' || ${user}.last_name) end`;
}

/** URL of the profile picture of the row `alias`, or NULL. */
export function profilePicture(alias: string, origin: string): RawBuilder<string | null> {
  const user = sql.raw(alias);
  return sql`case when ${user}.deleted_at is null then ${`${origin}/media/`}::text || ${user}.picture end`;
}

/** `a…@example.org`: recognizable for acquaintances, unusable for mail. */
export function maskedEmail(alias: string): RawBuilder<string> {
  const user = sql.raw(alias);
  return sql`case when ${user}.deleted_at is not null or ${user}.email is null then ''
    else left(${user}.email, 1) || '…' || substring(${user}.email from '@[^@]*$') end`;
}

/** The row `alias` as JSON of a `MiniUser`; a deleted user with id 0 for no row. */
export function miniUser(alias: string, origin: string): RawBuilder<MiniUserRow> {
  const user = sql.raw(alias);
  return sql`json_build_object('id', coalesce(${user}.id, 0), 'fullName', ${fullName(alias)},
    'profilePicture', ${profilePicture(alias, origin)})`;
}

/** `miniUser`, or `Blocked user` with id 0 when a block exists between the viewer and the account. */
export function miniUserFor(viewer: number, alias: string, origin: string): RawBuilder<MiniUserRow> {
  return sql`case when ${blockedBetween(viewer, `${alias}.id`)}
    then json_build_object('id', 0, 'fullName', 'Blocked user', 'profilePicture', null) else ${miniUser(alias, origin)} end`;
}

/** The row `alias` as JSON of a `ChatParticipant`. */
export function participant(alias: string, origin: string): RawBuilder<MiniUserRow & { email: string }> {
  const user = sql.raw(alias);
  return sql`json_build_object('id', ${user}.id, 'fullName', ${fullName(alias)}, 'email', ${maskedEmail(alias)},
    'profilePicture', ${profilePicture(alias, origin)})`;
}

/** Condition: the account is active, not deleted and not a guest. */
export function isReachable(alias: string): RawBuilder<boolean> {
  const user = sql.raw(alias);
  return sql`(${user}.is_active and ${user}.deleted_at is null and not ${user}.is_guest)`;
}

import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';

const lifetimeDays = 7;

/** Invitations before this time are expired. */
export const oldestOpen = ({ now }: Pick<Context, 'now'>): Date =>
  new Date(now().getTime() - lifetimeDays * 86_400_000);

/** SQL text over `n`: time at which an invitation expires. */
export const expirySql = `(n.invited_at + interval '${lifetimeDays} days')`;

/**
 * SQL over `n`: the inviter administers the organization. An invitation ends with that, so that a removed administrator adds no members.
 */
export const isInviterStillAdmin = sql<boolean>`(n.inviter_id is null or exists (select 1 from membership by
  where by.organization_id = n.organization_id and by.account_id = n.inviter_id and by.role = 'admin'))`;

/** SQL over `n`: the invitation can be accepted. */
export const isOpen = (context: Pick<Context, 'now'>): RawBuilder<boolean> =>
  sql<boolean>`(n.invited_at > ${oldestOpen(context)}::timestamptz and ${isInviterStillAdmin})`;

/** SQL over `n`: the invitation is for this user, or for an address that the user has verified. */
export const isInvitationOf = (accountId: number | RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`n.id in (select own.id from membership_invitation own where own.account_id = ${accountId}
    union all select mailed.id from account_email e
      join membership_invitation mailed on lower(mailed.email) = lower(e.email) and mailed.email is not null
      where e.account_id = ${accountId} and e.verified_at is not null)`;

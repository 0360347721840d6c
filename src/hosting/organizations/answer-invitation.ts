import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { invitationColumns, lockOrganization, type MembershipRow, membershipColumns } from './set-membership.ts';

/**
 * An invitation is valid only while its sender administers the organization, so that a removed administrator adds no
 * members.
 */
const isInviterStillAdmin = sql`(inviter_id is null or exists (select 1 from membership by
  where by.organization_id = n.organization_id and by.account_id = n.inviter_id and by.role = 'admin'))`;

/** Invitations of users, oldest first. */
export function invitationsOf({ read }: Pick<Context, 'read'>): BatchedSource<number, MembershipRow> {
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => invitationColumns,
    from: sql`membership_invitation n`,
    where: key => [sql`account_id = ${key}`, isInviterStillAdmin],
    order: sql`invited_at, organization_id`,
  });
}

/**
 * Accepts an invitation: the caller becomes a member in the role that was offered last.
 *
 * @throws 404 when there is no invitation.
 */
export async function acceptMembership(context: Context, organizationId: number): Promise<MembershipRow> {
  return answerInvitation(context, organizationId, async (db, { accountId, role }) => {
    const inserted = await sql<MembershipRow>`insert into membership (organization_id, account_id, role, since)
      values (${organizationId}, ${accountId}, ${role}, ${context.now()})
      on conflict (organization_id, account_id) do update set role = membership.role
      returning ${membershipColumns}`.execute(db);
    return inserted.rows[0] as MembershipRow;
  });
}

/**
 * Declines an invitation of the caller.
 *
 * @throws 404 when there is no invitation.
 */
export async function declineMembership(context: Context, organizationId: number): Promise<void> {
  await answerInvitation(context, organizationId, async () => {});
}

/**
 * Deletes the invitation and runs `work` in the same transaction.
 *
 * @throws 404 when there is no invitation.
 */
async function answerInvitation<T>(
  context: Context,
  organizationId: number,
  work: (db: Kysely<unknown>, invitation: MembershipRow) => Promise<T>,
): Promise<T> {
  const { accountId } = callingUser(context.actor);
  return context.transaction(async db => {
    await lockOrganization(db, organizationId);
    const taken = await sql<MembershipRow>`delete from membership_invitation n
      where organization_id = ${organizationId} and account_id = ${accountId} and ${isInviterStillAdmin}
      returning ${invitationColumns}`.execute(db);
    const [invitation] = taken.rows;
    if (!invitation) throw notFound();
    return work(db, invitation);
  });
}

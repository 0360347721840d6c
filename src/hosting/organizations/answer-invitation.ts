import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { invitationColumns, type MembershipRow, membershipColumns } from './membership-rows.ts';
import { isInvitationOf, isOpen } from './open-invitations.ts';
import { recordMembershipEvent } from './record-membership-event.ts';
import { lockOrganization } from './set-membership.ts';

/** Invitations of the caller, oldest first. */
export function invitationsOf(context: Context): BatchedSource<number, MembershipRow> {
  const { accountId } = callingUser(context.actor);
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: () => invitationColumns(accountId),
    from: sql`membership_invitation n`,
    where: key => [isInvitationOf(key), isOpen(context)],
    order: sql`n.invited_at, n.organization_id`,
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
    const membership = inserted.rows[0] as MembershipRow;
    await recordMembershipEvent(context, db, 'member_added', membership);
    return membership;
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
 * Deletes the invitations of the caller, of which there may be one for each verified address, and runs `work` with the newest in the same
 * transaction.
 *
 * @throws 404 when there is none.
 */
async function answerInvitation<T>(
  context: Context,
  organizationId: number,
  work: (db: Kysely<unknown>, invitation: MembershipRow) => Promise<T>,
): Promise<T> {
  const { accountId } = callingUser(context.actor);
  return context.transaction(async db => {
    await lockOrganization(db, organizationId);
    const taken = await sql<MembershipRow>`with taken as (delete from membership_invitation n
        where n.organization_id = ${organizationId} and ${isInvitationOf(accountId)} and ${isOpen(context)} returning n.*)
      select ${invitationColumns(accountId)} from taken n order by n.invited_at desc, n.id desc`.execute(db);
    const [invitation] = taken.rows;
    if (!invitation) throw notFound();
    return work(db, invitation);
  });
}

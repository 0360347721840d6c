import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';
import { invitationColumns, lockOrganization, type MembershipRow, membershipColumns } from './set-membership.ts';

/**
 * An invitation is valid only while its sender administers the organization, so that a removed administrator adds no
 * members.
 */
const isInviterStillAdmin = sql`(inviter_id is null or exists (select 1 from membership by
  where by.organization_id = n.organization_id and by.account_id = n.inviter_id and by.role = 'admin'))`;

/** Invitations of the caller, oldest first. */
export function invitationsOf(context: Pick<Context, 'actor' | 'read'>): Promise<MembershipRow[]> {
  const { accountId } = callingUser(context.actor);
  return context.read(sql<MembershipRow>`select ${invitationColumns} from membership_invitation n
    where account_id = ${accountId} and ${isInviterStillAdmin} order by invited_at, organization_id`);
}

/**
 * Accepts an invitation: the caller becomes a member in the role that was offered last.
 *
 * @throws 404 when there is no invitation.
 */
export async function acceptMembership(context: Context, organization: string): Promise<MembershipRow> {
  return answerInvitation(context, organization, async (db, { organizationId, accountId, role }) => {
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
export async function declineMembership(context: Context, organization: string): Promise<void> {
  await answerInvitation(context, organization, async () => {});
}

/**
 * Deletes the invitation and runs `work` in the same transaction.
 *
 * @throws 404 when there is no invitation.
 */
async function answerInvitation<T>(
  context: Context,
  organization: string,
  work: (db: Kysely<unknown>, invitation: MembershipRow) => Promise<T>,
): Promise<T> {
  const { accountId } = callingUser(context.actor);
  const found = await accountByLogin(context, organization, new Map(), 'organization');
  if (!found) throw notFound();
  return context.transaction(async db => {
    await lockOrganization(db, found.databaseId);
    const taken = await sql<MembershipRow>`delete from membership_invitation n
      where organization_id = ${found.databaseId} and account_id = ${accountId} and ${isInviterStillAdmin}
      returning ${invitationColumns}`.execute(db);
    const [invitation] = taken.rows;
    if (!invitation) throw notFound();
    return work(db, invitation);
  });
}

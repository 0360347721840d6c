import { type Kysely, sql } from 'kysely';
import type { MemberRole } from '../../../schema/hosting/membership.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { inviterOf } from '../accounts/inviter.ts';
import { formatPayloadTime } from '../webhooks/payload-time.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';

/** Invitations that an organization sends within 24 hours. */
export const maxInvitationsPerDay = 50;

/** The error of one more. */
export function tooManyInvitations(): Error {
  const message = `An organization invites at most ${maxInvitationsPerDay} people within 24 hours.`;
  return validationFailed([{ resource: 'OrganizationInvitation', code: 'custom', message }]);
}

/** Who is invited, and the offered role. */
export type NewInvitation = { organizationId: number; role: MemberRole } & ({ accountId: number } | { email: string });

/**
 * Inserts an invitation, or replaces role, sender and time of that for the same user or address. Returns its number. The caller holds the
 * lock of the organization.
 *
 * @throws 422 for too many invitations in a day
 */
export async function storeInvitation(
  context: Context,
  db: Kysely<unknown>,
  invitation: NewInvitation,
): Promise<number> {
  const { organizationId, role } = invitation;
  const [accountId, email] = 'email' in invitation ? [null, invitation.email] : [invitation.accountId, null];
  const at = context.now();
  const inviterId = inviterOf(context.actor);
  const target =
    email === null ? sql`(organization_id, account_id)` : sql`(lower(email), organization_id) where email is not null`;
  const { rows } = await sql<{ id: number; login: string | null; organizationLogin: string }>`
    insert into membership_invitation (organization_id, account_id, email, role, inviter_id, invited_at)
    values (${organizationId}, ${accountId}, ${email}, ${role}, ${inviterId}, ${at})
    on conflict ${target} do update
      set role = excluded.role, inviter_id = excluded.inviter_id, invited_at = excluded.invited_at
    returning id, (select login from account where id = account_id) as login,
      (select login from account where id = organization_id) as "organizationLogin"`.execute(db);
  const recent = await sql<{ count: number }>`select count(*)::int as count from membership_invitation
    where organization_id = ${organizationId} and invited_at > ${new Date(at.getTime() - 86_400_000)}::timestamptz`.execute(
    db,
  );
  if ((recent.rows[0]?.count ?? 0) > maxInvitationsPerDay) throw tooManyInvitations();
  const { id = 0, login = null, organizationLogin = '' } = rows[0] ?? {};
  const invitationsUrl = `${context.publicOrigin}/api/v3/orgs/${organizationLogin}/invitations`;
  await recordHookEvent(db, {
    ...eventMetadata(context),
    event: 'organization',
    action: 'member_invited',
    organizationId,
    own: {
      invitation: {
        id,
        node_id: encodeGlobalId('OrganizationInvitation', id),
        login,
        email,
        role: role === 'member' ? 'direct_member' : role,
        created_at: formatPayloadTime(at),
        failed_at: null,
        failed_reason: null,
        team_count: 0,
        invitation_teams_url: `${invitationsUrl}/${id}/teams`,
      },
    },
    objects: { ...(accountId !== null && { user: accountId }), ...(inviterId !== null && { inviter: inviterId }) },
  });
  return id;
}

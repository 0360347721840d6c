import { sql } from 'kysely';
import type { OrganizationInvitationRole } from '../../../schema/hosting/organization-invitation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { tryChargeMail } from '../../limits/mail-limits.ts';
import { canonicalAddress, InvalidMailAddressError, parseMailAddress } from '../../mail/mail-address.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { organizationFor } from './organization-access.ts';
import { assertStillAdministers, lockOrganization } from './set-membership.ts';
import { maxInvitationsPerDay, storeInvitation, tooManyInvitations } from './store-invitation.ts';

/** One of the two is given. */
export interface Invitee {
  accountId?: number | null | undefined;
  email?: string | null | undefined;
}

const problem = (field: string, message: string): ValidationEntry => ({
  resource: 'OrganizationInvitation',
  field,
  code: 'custom',
  message,
});

/**
 * Invites a user, or an e-mail address, to an organization. An address gets a mail, and whoever has verified it may accept. A repeated
 * invitation replaces role, sender and time of the last one. Returns the number of the invitation.
 *
 * @throws 404 for an unknown organization or user; 422 for a member, an invalid address, and too many invitations in a day
 */
export async function inviteMember(
  context: Context,
  organization: string | number,
  { accountId, email, role }: Invitee & { role: OrganizationInvitationRole },
): Promise<number> {
  const found = await organizationFor(context, organization, 'members:write');
  if (!found) throw notFound();
  if ((accountId == null) === (email == null)) {
    throw validationFailed([problem('invitee_id', 'Send either invitee_id or email.')]);
  }
  const invitee = email == null ? { accountId: accountId ?? 0 } : { email: requireAddress(email) };
  if ('accountId' in invitee && !(await accountById(context, invitee.accountId, new Map(), 'user'))) throw notFound();
  const maySend = 'email' in invitee && (await chargeMail(context, found.id, invitee.email));
  return context.transaction(async db => {
    await lockOrganization(db, found.id);
    await assertStillAdministers(context, db, found.id);
    if ('accountId' in invitee) {
      const held = await sql`select 1 from membership
        where organization_id = ${found.id} and account_id = ${invitee.accountId}`.execute(db);
      if (held.rows.length > 0) {
        throw validationFailed([problem('invitee_id', 'The user is a member of the organization already.')]);
      }
    }
    const id = await storeInvitation(context, db, {
      organizationId: found.id,
      role: role === 'direct_member' ? 'member' : role,
      ...invitee,
    });
    if (maySend && 'email' in invitee) {
      const link = `${context.publicOrigin}/orgs/${found.login}/invitation`;
      const facts = { name: '', organization: found.login, link };
      await queueMail(db, context.keys, {
        to: invitee.email,
        template: 'organization-invitation',
        facts,
        at: context.now(),
      });
    }
    return id;
  });
}

/**
 * Whether the mail may be sent; the invitation is valid without it. Mails are counted beside the invitations, because one that is
 * withdrawn has sent its mail.
 *
 * @throws 422 for too many mails of the organization in a day
 */
async function chargeMail({ rateLimiter, actor }: Context, organizationId: number, email: string): Promise<boolean> {
  const limit = rateLimiter.scaled(maxInvitationsPerDay);
  const key = `mails of organization ${organizationId}`;
  const { ok } = await rateLimiter.tryCharge([{ key, limit, seconds: 86_400 }]);
  if (!ok) throw tooManyInvitations();
  return tryChargeMail(rateLimiter, 'organization-invitation', email, actor.ip);
}

/** The canonical spelling of an address that mail can be sent to. @throws 422 for any other text */
function requireAddress(text: string): string {
  const address = canonicalAddress(text.trim());
  try {
    parseMailAddress(address);
  } catch (error) {
    if (error instanceof InvalidMailAddressError) {
      throw validationFailed([{ resource: 'OrganizationInvitation', field: 'email', code: 'invalid' }]);
    }
    throw error;
  }
  return address;
}

/** Withdraws an invitation, expired or not. @throws 404 when the organization has no such invitation */
export async function cancelInvitation(context: Context, organization: string | number, id: number): Promise<void> {
  const found = await organizationFor(context, organization, 'members:write');
  if (!found) throw notFound();
  await context.transaction(async db => {
    const { rows } = await sql`delete from membership_invitation
      where id = ${id} and organization_id = ${found.id} returning 1`.execute(db);
    if (rows.length === 0) throw notFound();
  });
}

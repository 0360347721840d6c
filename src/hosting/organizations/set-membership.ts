import { type Kysely, sql } from 'kysely';
import type { MemberRole } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import type { Read } from '../../db/read.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { invitationColumns, type MembershipRow, membershipColumns } from './membership-rows.ts';
import { organizationFor } from './organization-access.ts';
import { recordMembershipEvent } from './record-membership-event.ts';
import { storeInvitation } from './store-invitation.ts';

const lastAdminError = (): Error =>
  validationFailed([
    { resource: 'Membership', field: 'role', code: 'custom', message: 'An organization keeps one administrator.' },
  ]);

/**
 * Changes the role of a member, or invites a user: nobody becomes a member without accepting. A repeated invitation
 * changes the offered role.
 *
 * @throws 404 for an unknown organization or user; 422 when the last administrator would be demoted.
 */
export async function setMembership(
  context: Context,
  { organizationId, accountId, role }: { organizationId: number; accountId: number; role: MemberRole },
): Promise<MembershipRow> {
  await assertOrganizationAndUser(context, organizationId, accountId);
  return context.transaction(async db => {
    await lockOrganization(db, organizationId);
    await assertStillAdministers(context, db, organizationId);
    const changed = await sql<MembershipRow>`update membership set role = ${role}
      where organization_id = ${organizationId} and account_id = ${accountId} returning ${membershipColumns}`.execute(
      db,
    );
    const [member] = changed.rows;
    if (member) {
      await assertAdminRemains(db, organizationId);
      return member;
    }
    const id = await storeInvitation(context, db, { organizationId, role, accountId });
    const invited = await sql<MembershipRow>`
      select ${invitationColumns(accountId)} from membership_invitation n where n.id = ${id}`.execute(db);
    return invited.rows[0] as MembershipRow;
  });
}

/**
 * Removes a member, with the member's collaborations and single sign-on authorizations in the organization, or
 * withdraws an invitation. Forks of private repositories close by themselves: see `roleOfUser`.
 *
 * @throws 404 when there is nothing to remove; 422 for the last administrator.
 */
export async function removeMembership(context: Context, organizationId: number, accountId: number): Promise<void> {
  await assertOrganizationAndUser(context, organizationId, accountId);
  await context.transaction(async db => {
    await lockOrganization(db, organizationId);
    await assertStillAdministers(context, db, organizationId);
    const invited = await sql`delete from membership_invitation
      where organization_id = ${organizationId} and account_id = ${accountId} returning 1`.execute(db);
    const deleted = await sql<MembershipRow>`delete from membership
      where organization_id = ${organizationId} and account_id = ${accountId} returning ${membershipColumns}`.execute(
      db,
    );
    if (deleted.rows.length + invited.rows.length === 0) throw notFound();
    const [member] = deleted.rows;
    if (!member) return;
    await assertAdminRemains(db, organizationId);
    await sql`delete from sso_authorization s using host_credential c
      where s.credential_id = c.id and s.organization_id = ${organizationId} and c.account_id = ${accountId}`.execute(
      db,
    );
    await endCollaborations(db, context, organizationId, accountId);
    await recordMembershipEvent(context, db, 'member_removed', member);
  });
  context.credentials.invalidate();
}

/** Removes a user from all repositories of an organization. */
async function endCollaborations(
  db: Kysely<unknown>,
  context: Context,
  organizationId: number,
  member: number,
): Promise<void> {
  const left = await sql<{ repositoryId: number }>`delete from collaborator c using repository r
    where r.id = c.repository_id and r.owner_id = ${organizationId} and c.account_id = ${member}
    returning r.id as "repositoryId"`.execute(db);
  for (const { repositoryId } of left.rows) {
    await recordHookEvent(db, {
      ...eventMetadata(context),
      event: 'member',
      action: 'removed',
      repositoryId,
      objects: { member },
    });
  }
}

async function assertOrganizationAndUser(context: Context, organizationId: number, accountId: number): Promise<void> {
  const found = await organizationFor(context, organizationId, 'members:write');
  const user = found && (await accountById(context, accountId, new Map(), 'user'));
  if (!user) throw notFound();
}

/** Serializes membership changes of an organization, so that two administrators cannot leave at once. */
export async function lockOrganization(db: Kysely<unknown>, organizationId: number): Promise<void> {
  await sql`select 1 from account where id = ${organizationId} for no key update`.execute(db);
}

/** Checks access again under the lock: the caller may have been removed or demoted while waiting for it. */
export async function assertStillAdministers(
  context: Context,
  db: Kysely<unknown>,
  organizationId: number,
): Promise<void> {
  const { actor, config, keys, now, origin } = context;
  const read: Read = async query => (await query.execute(db)).rows;
  const found = await organizationFor({ actor, config, keys, now, origin, read }, organizationId, 'members:write');
  if (!found) throw notFound();
}

async function assertAdminRemains(db: Kysely<unknown>, organizationId: number): Promise<void> {
  const left =
    await sql`select 1 from membership where organization_id = ${organizationId} and role = 'admin' limit 1`.execute(
      db,
    );
  if (left.rows.length === 0) throw lastAdminError();
}

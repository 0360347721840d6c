import { type Kysely, sql } from 'kysely';
import { type MemberRole, Membership } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Read } from '../../db/read.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { inviterOf } from '../accounts/inviter.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { organizationFor } from './organization-access.ts';

export type MembershipRow = Pick<
  Membership,
  'organizationId' | 'accountId' | 'role' | 'isPublic' | 'state' | 'startedAt'
>;

const lastAdminError = (): Error =>
  validationFailed([
    { resource: 'Membership', field: 'role', code: 'custom', message: 'An organization keeps one administrator.' },
  ]);

/** Select list of a membership, for statements that return one. */
export const membershipColumns = columnsOf(Membership, null, {
  always: ['organizationId', 'accountId'],
  computed: { state: "'active'", startedAt: 'since' },
})('all');
/** The same columns of an invitation, in the same order. */
export const invitationColumns = sql.raw(`organization_id as "organizationId", account_id as "accountId", role,
  false as "isPublic", 'pending' as state, invited_at as "startedAt"`);

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
  const { actor } = context;
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
    const invited = await sql<MembershipRow>`
      insert into membership_invitation (organization_id, account_id, role, inviter_id, invited_at)
      values (${organizationId}, ${accountId}, ${role}, ${inviterOf(actor)}, ${context.now()})
      on conflict (organization_id, account_id) do update set role = excluded.role, inviter_id = excluded.inviter_id
      returning ${invitationColumns}`.execute(db);
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
    const deleted = await sql`
      delete from membership where organization_id = ${organizationId} and account_id = ${accountId} returning 1`.execute(
      db,
    );
    if (deleted.rows.length + invited.rows.length === 0) throw notFound();
    if (deleted.rows.length === 0) return;
    await assertAdminRemains(db, organizationId);
    await sql`delete from sso_authorization s using host_credential c
      where s.credential_id = c.id and s.organization_id = ${organizationId} and c.account_id = ${accountId}`.execute(
      db,
    );
    await endCollaborations(db, context, organizationId, accountId);
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
async function assertStillAdministers(context: Context, db: Kysely<unknown>, organizationId: number): Promise<void> {
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

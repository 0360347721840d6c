import { sql } from 'kysely';
import type { MembershipState } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { callingUser } from '../accounts/caller.ts';
import { isMembershipVisible } from './members.queries.ts';
import { invitationColumns, type MembershipRow, membershipColumns } from './membership-rows.ts';
import { isInvitationOf, isOpen } from './open-invitations.ts';

/** Whether a user is a member of an organization, as far as the caller can see. */
export async function isMember(
  context: Context,
  { organizationId, userId, publicOnly }: { organizationId: number; userId: number; publicOnly: boolean },
): Promise<boolean> {
  const isShown = publicOnly ? sql`m.is_public` : isMembershipVisible(context, sql`${organizationId}`);
  const rows = await context.read(sql`select 1 from membership m
    where m.organization_id = ${organizationId} and m.account_id = ${userId} and ${isShown}`);
  return rows.length > 0;
}

/** DataLoader batch function: memberships or invitations of the caller by the number of the organization; null without one. */
export async function ownMembershipsIn(
  context: Context,
  organizationIds: readonly number[],
): Promise<(MembershipRow | null)[]> {
  const { accountId } = callingUser(context.actor);
  const ids = sql`${[...organizationIds]}::bigint[]`;
  const found = await context.read(sql<MembershipRow>`
    select ${membershipColumns} from membership where organization_id = any(${ids}) and account_id = ${accountId}
    union all select ${invitationColumns(accountId)} from membership_invitation n
      where n.organization_id = any(${ids}) and ${isInvitationOf(accountId)} and ${isOpen(context)}`);
  // A member may have been invited at another address.
  const ordered = found.toSorted((a, b) => Number(a.state === 'active') - Number(b.state === 'active'));
  const byId = new Map(ordered.map(row => [row.organizationId, row]));
  return organizationIds.map(id => byId.get(id) ?? null);
}

/** Membership or invitation of a user; null without one. Access is checked by the caller. */
export async function membershipOf(
  context: Context,
  organizationId: number,
  accountId: number,
): Promise<MembershipRow | null> {
  const both = sql`organization_id = ${organizationId} and account_id = ${accountId}`;
  const [found] = await context.read(sql<MembershipRow>`select ${membershipColumns} from membership where ${both}
    union all select ${invitationColumns(accountId)} from membership_invitation n
      where n.organization_id = ${organizationId} and ${isInvitationOf(accountId)} and ${isOpen(context)} limit 1`);
  return found ?? null;
}

/** Memberships and invitations of the caller, by the number of the organization. */
export function ownMemberships(context: Context, state: MembershipState | null | undefined): ListSource<MembershipRow> {
  const { actor, read } = context;
  const { accountId } = callingUser(actor);
  const active = sql`select ${membershipColumns} from membership where account_id = ${accountId}`;
  const pending = sql`select ${invitationColumns(accountId)} from membership_invitation n
    where ${isInvitationOf(accountId)} and ${isOpen(context)}`;
  const all = state === 'active' ? active : state === 'pending' ? pending : sql`${active} union all ${pending}`;
  return {
    rows: ({ limit, offset }) =>
      read(sql<MembershipRow>`select * from (${all}) m order by "organizationId" limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from (${all}) m`);
      return found?.total ?? 0;
    },
  };
}

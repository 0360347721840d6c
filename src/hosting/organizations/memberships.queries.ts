import { sql } from 'kysely';
import type { MembershipState } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
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

/** Membership or invitation of the caller; null without one. */
export async function ownMembership(context: Context, organization: string): Promise<MembershipRow | null> {
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  return found && membershipOf(context, found.databaseId, callingUser(context.actor).accountId);
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

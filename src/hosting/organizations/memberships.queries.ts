import { sql } from 'kysely';
import type { MembershipState } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { callingUser } from '../accounts/caller.ts';
import { isMembershipVisible } from './members.queries.ts';
import { invitationColumns, type MembershipRow, membershipColumns } from './membership-rows.ts';
import { isInvitationOf, isOpen } from './open-invitations.ts';

interface MembershipKey {
  organizationId: number;
  accountId: number;
}

interface MemberKey extends MembershipKey {
  /** Whether only a public membership counts. */
  publicOnly: boolean;
}

/** DataLoader batch function: whether users are members of organizations, as far as the caller can see, in one statement. */
export async function areMembers(context: Context, keys: readonly MemberKey[]): Promise<boolean[]> {
  const organizationIds = keys.map(({ organizationId }) => organizationId);
  const rows = await context.read(sql<{ place: number }>`select w.place::int as place
    from unnest(${organizationIds}::bigint[], ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ publicOnly }) => publicOnly)}::boolean[]) with ordinality as w (organization_id, account_id, public_only, place)
    join membership m on m.organization_id = w.organization_id and m.account_id = w.account_id
    where m.organization_id = any(${organizationIds}::bigint[])
      and (m.is_public or not w.public_only and ${isMembershipVisible(context, sql.ref('m.organization_id'))})`);
  const found = new Set(rows.map(({ place }) => place));
  return keys.map((_, index) => found.has(index + 1));
}

/**
 * DataLoader batch function: memberships or invitations of users, in one statement for each user; null without one. Access is checked
 * by the caller.
 */
export async function membershipsOf(
  context: Context,
  keys: readonly MembershipKey[],
): Promise<(MembershipRow | null)[]> {
  const byAccount = Map.groupBy(keys, ({ accountId }) => accountId);
  const found = await Promise.all(
    [...byAccount].map(([accountId, same]) => {
      const ids = sql`${same.map(({ organizationId }) => organizationId)}::bigint[]`;
      return context.read(sql<MembershipRow>`
        select ${membershipColumns} from membership where organization_id = any(${ids}) and account_id = ${accountId}
        union all select ${invitationColumns(accountId)} from membership_invitation n
          where n.organization_id = any(${ids}) and ${isInvitationOf(accountId)} and ${isOpen(context)}`);
    }),
  );
  // A member may have been invited at another address.
  const ordered = found.flat().toSorted((a, b) => Number(a.state === 'active') - Number(b.state === 'active'));
  const byKey = new Map(ordered.map(row => [`${row.organizationId} ${row.accountId}`, row]));
  return keys.map(({ organizationId, accountId }) => byKey.get(`${organizationId} ${accountId}`) ?? null);
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

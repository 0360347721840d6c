import { type RawBuilder, sql } from 'kysely';
import type { MemberRole } from '../../../schema/hosting/membership.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { type AccountRow, accountSelectList } from '../accounts/accounts.queries.ts';
import { organizationAccessDecision } from './organization-access.ts';
import { sayingWhatIsWithheld } from './withheld-organizations.ts';

/** A member, with the role that the edge publishes. */
export type MemberRow = AccountRow & { role: MemberRole };

/**
 * SQL: the membership `m` is public, or the caller may read the members of its organization. `organizationId` is a constant where it
 * can be, so that PostgreSQL decides once and not for each membership.
 */
export const isMembershipVisible = (
  { actor }: Pick<Context, 'actor'>,
  organizationId: RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`(m.is_public or exists (
  select 1 from account a where a.id = ${organizationId} and ${organizationAccessDecision(actor, 'org:read')} = 'allowed'))`;

export interface MemberFilter {
  /** All by default. */
  role?: MemberRole | null | undefined;
  /** Only public memberships. */
  publicOnly?: boolean;
}

/** Members of organizations by login, as far as the caller can see them. */
export function membersOf(
  context: Context,
  { role, publicOnly = false }: MemberFilter = {},
): BatchedSource<number, MemberRow> {
  const lists = batchedTable<number, MemberRow>(context.read, {
    keyType: 'bigint',
    select: wanted => sql`${accountSelectList(wanted, context)}, m.role as "role"`,
    from: sql`membership m`,
    readFrom: sql`membership m join account a on a.id = m.account_id`,
    where: key => [
      sql`m.organization_id = ${key}`,
      publicOnly ? sql`m.is_public` : isMembershipVisible(context, key),
      ...(role == null ? [] : [sql`m.role = ${role}`]),
    ],
    order: sql`lower(a.login)`,
  });
  if (publicOnly) return lists;
  const ofRole = role == null ? sql`` : sql`and m.role = ${role}`;
  return sayingWhatIsWithheld(context, lists, (keys: readonly number[]) => ({
    of: 'memberships',
    where: sql`m.organization_id = any(${[...keys]}::bigint[]) ${ofRole}`,
  }));
}

/** Organizations of users by login, as far as the caller can see the memberships. */
export function organizationsOf(context: Context): BatchedSource<number, AccountRow> {
  const lists = batchedTable<number, AccountRow>(context.read, {
    keyType: 'bigint',
    select: wanted => accountSelectList(wanted, context),
    from: sql`membership m`,
    readFrom: sql`membership m join account a on a.id = m.organization_id`,
    where: key => [sql`m.account_id = ${key}`, isMembershipVisible(context, sql`m.organization_id`)],
    order: sql`lower(a.login)`,
  });
  return sayingWhatIsWithheld(context, lists, (keys: readonly number[]) => ({
    of: 'memberships',
    where: sql`m.account_id = any(${[...keys]}::bigint[])`,
  }));
}

import { type RawBuilder, sql } from 'kysely';
import {
  OrganizationInvitation,
  type OrganizationInvitationFilter,
} from '../../../schema/hosting/organization-invitation.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { expirySql, isInvitationOf, isInviterStillAdmin, isOpen, oldestOpen } from './open-invitations.ts';
import { organizationAccessDecision } from './organization-access.ts';

/** An invitation as selected: its ids, and the requested fields. */
export type OrganizationInvitationRow = Partial<OrganizationInvitation> &
  Pick<OrganizationInvitation, 'databaseId' | 'organizationId' | 'accountId' | 'inviterId'>;

const columns = columnsOf<OrganizationInvitation, Pick<Context, 'now'>>(OrganizationInvitation, 'n', {
  always: ['databaseId', 'organizationId', 'accountId', 'inviterId'],
  computed: {
    databaseId: 'n.id',
    role: `case n.role when 'member' then 'direct_member' else n.role end`,
    createdAt: 'n.invited_at',
    expiredAt: {
      before: 'case when n.invited_at <= ',
      parameter: oldestOpen,
      after: `::timestamptz then ${expirySql} end`,
    },
    inviteeLogin: '(select a.login from account a where a.id = n.account_id)',
    apiPath: `(select '/orgs/' || a.login || '/invitations/' || n.id from account a where a.id = n.organization_id)`,
  },
});

/** Which invitations of an organization are listed. */
export interface OrganizationInvitationList {
  state: 'open' | 'expired';
  /** All by default. */
  role?: OrganizationInvitationFilter;
}

/** Invitations to organizations, oldest first. Who may read them is for the caller to check. */
export function organizationInvitationsOf(
  context: Context,
  { state, role = 'all' }: OrganizationInvitationList,
): BatchedSource<number, OrganizationInvitationRow> {
  const memberRole = role === 'direct_member' ? 'member' : role;
  const isListed: RawBuilder<unknown> =
    state === 'open'
      ? isOpen(context)
      : sql`n.invited_at <= ${oldestOpen(context)}::timestamptz and ${isInviterStillAdmin}`;
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: wanted => columns(wanted, context),
    from: sql`membership_invitation n`,
    where: key => [sql`n.organization_id = ${key}`, isListed, ...(role === 'all' ? [] : [sql`n.role = ${memberRole}`])],
    order: sql`n.id`,
  });
}

/** DataLoader batch function: invitations by number; null for those that the caller may not read. */
export async function organizationInvitationsByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(OrganizationInvitationRow | null)[]> {
  const { actor, read } = context;
  const isOwn = actor.kind === 'user' ? isInvitationOf(actor.accountId) : sql`false`;
  const found =
    await read(sql<OrganizationInvitationRow>`select ${columns(wanted, context)} from membership_invitation n
    where n.id = any(${[...ids]}::bigint[]) and ((${isOwn} and ${isOpen(context)}) or exists (select 1 from account a
      where a.id = n.organization_id and ${organizationAccessDecision(actor, 'org-invitations:read')} = 'allowed'))`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

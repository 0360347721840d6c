import { type RawBuilder, sql } from 'kysely';
import { Membership } from '../../../schema/hosting/membership.ts';
import { columnsOf } from '../../db/columns-of.ts';

/** A membership, or an invitation in the form of one. */
export type MembershipRow = Pick<
  Membership,
  'organizationId' | 'accountId' | 'role' | 'isPublic' | 'state' | 'startedAt'
>;

/** Select list of a membership, for statements that return one. */
export const membershipColumns = columnsOf(Membership, null, {
  always: ['organizationId', 'accountId'],
  computed: { state: "'active'", startedAt: 'since' },
})('all');
/** The same columns of an invitation `n`, in the same order, for the user who may accept it. */
export const invitationColumns = (accountId: number): RawBuilder<unknown> =>
  sql`n.organization_id as "organizationId", ${accountId}::bigint as "accountId", n.role, false as "isPublic", 'pending' as state,
    n.invited_at as "startedAt"`;

import type { Kysely } from 'kysely';
import type { Context } from '../../context/context.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import type { MembershipRow } from './membership-rows.ts';

/** Records that a user became a member of an organization, or ceased to be one. */
export async function recordMembershipEvent(
  context: Context,
  db: Kysely<unknown>,
  action: 'member_added' | 'member_removed',
  membership: MembershipRow,
): Promise<void> {
  const { organizationId } = membership;
  await recordHookEvent(db, { ...eventMetadata(context), event: 'organization', action, organizationId, membership });
}

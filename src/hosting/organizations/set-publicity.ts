import { sql } from 'kysely';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { callingUser } from '../accounts/caller.ts';

/** Whose membership, by global ids; `userId` has to be the caller. */
export interface OwnMembership {
  organizationId: string;
  userId?: string | null;
}

/**
 * Publishes or hides the caller's membership in an organization. Idempotent.
 *
 * @returns number of the organization
 * @throws 403 for the membership of somebody else; 404 when the caller is no member
 */
export async function setPublicity(
  context: Context,
  { organizationId, userId }: OwnMembership,
  isPublic: boolean,
): Promise<number> {
  const { accountId, login } = callingUser(context.actor);
  if (userId != null) {
    const [named] = decodeNamedId('User', userId) ?? [];
    const isOwn =
      named === undefined
        ? numberOfId('User', userId, 'userId') === accountId
        : named.toLowerCase() === login.toLowerCase();
    if (!isOwn) throw forbidden({ reason: 'role' }, 'Nobody can publish or hide the membership of another user.');
  }
  const id = await accountNumber(context, 'Organization', organizationId, 'organizationId');
  await context.transaction(async db => {
    const changed = await sql`update membership set is_public = ${isPublic}
      where organization_id = ${id} and account_id = ${accountId} returning 1`.execute(db);
    if (changed.rows.length === 0) throw notFound();
  });
  return id;
}

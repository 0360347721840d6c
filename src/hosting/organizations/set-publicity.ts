import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';

/**
 * Publishes or hides the caller's membership in an organization. Idempotent.
 *
 * @throws 403 for the membership of somebody else; 404 when the caller is no member
 */
export async function setPublicity(
  context: Context,
  { organization, login, isPublic }: { organization: string; login: string; isPublic: boolean },
): Promise<void> {
  const caller = callingUser(context.actor);
  if (caller.login.toLowerCase() !== login.toLowerCase()) {
    throw forbidden({ reason: 'role' }, 'Nobody can publish or hide the membership of another user.');
  }
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  if (!found) throw notFound();
  await context.transaction(async db => {
    const changed = await sql`update membership set is_public = ${isPublic}
      where organization_id = ${found.databaseId} and account_id = ${caller.accountId} returning 1`.execute(db);
    if (changed.rows.length === 0) throw notFound();
  });
}

import { sql } from 'kysely';
import type { Account } from '../../../schema/hosting/account.ts';
import type { UserActor } from '../../auth/actor.ts';
import { isBlockedBySso } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { ssoRequired } from './sso-required.ts';

type Organization = Pick<AccountRow, 'databaseId' | 'login'>;

/** One row for each of the accounts that is a member of the organization. */
export function membersAmong(
  { read }: Pick<Context, 'read'>,
  { databaseId }: Organization,
  accountIds: readonly number[],
): Promise<Pick<Account, 'enforcesSso'>[]> {
  return read(sql<Pick<Account, 'enforcesSso'>>`
    select o.enforces_sso as "enforcesSso" from membership m join account o on o.id = m.organization_id
    where m.organization_id = ${databaseId} and m.account_id = any(${[...accountIds]}::bigint[])`);
}

/**
 * Whether the caller is a member of the organization.
 *
 * @throws 403 for a member whose credential is not authorized for the single sign-on of the organization.
 */
export async function isAuthorizedMember(
  context: Context,
  { accountId, credential }: UserActor,
  organization: Organization,
): Promise<boolean> {
  const [member] = await membersAmong(context, organization, [accountId]);
  if (!member) return false;
  if (member.enforcesSso && isBlockedBySso(credential, organization.databaseId)) {
    throw ssoRequired(context, { id: organization.databaseId, login: organization.login });
  }
  return true;
}

import { sql } from 'kysely';
import type { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import type { Context } from '../../context/context.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Whether an account has starred a repository; false for one that the caller cannot see. */
export async function hasStarred(context: Context, address: RepositoryAddress, accountId: number): Promise<boolean> {
  const found = await repositoryFor<boolean>(
    context,
    address,
    'metadata:read',
    undefined,
    sql`exists (select 1 from star s where s.repository_id = r.id and s.account_id = ${accountId})`,
  );
  return found?.extraColumn === true;
}

/** The subscription of an account to a repository; null without one, and for a repository that the caller cannot see. */
export async function subscriptionTo(
  context: Context,
  address: RepositoryAddress,
  accountId: number,
): Promise<RepositorySubscription | null> {
  const found = await repositoryFor<string | null>(
    context,
    address,
    'metadata:read',
    undefined,
    sql`(select w.watched_at::text from watch w where w.repository_id = r.id and w.account_id = ${accountId})`,
  );
  if (!found || found.extraColumn === null) return null;
  return subscriptionOf(found, true, found.extraColumn);
}

/** The published subscription to a repository. */
export function subscriptionOf(
  { ownerLogin, name }: Pick<OwnedRow, 'ownerLogin' | 'name'>,
  isSubscribed: boolean,
  createdAt: string,
): RepositorySubscription {
  return { isSubscribed, createdAt, resourcePath: `/${ownerLogin}/${name}` };
}

import { sql } from 'kysely';
import type { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** The caller's subscription to a repository; null without one, and for a repository that the caller cannot see. */
export async function subscriptionTo(
  context: Context,
  address: RepositoryAddress,
): Promise<RepositorySubscription | null> {
  const { accountId } = callingUser(context.actor);
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
  return { isSubscribed, isIgnored: false, createdAt, resourcePath: `/${ownerLogin}/${name}` };
}

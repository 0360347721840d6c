import { type RawBuilder, sql } from 'kysely';
import type { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import type { Context } from '../../context/context.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** An account and a repository that it may have starred, or may watch. */
interface AttentionKey {
  address: RepositoryAddress;
  accountId: number;
}

/** DataLoader batch function: whether accounts have starred a repository; false for one that the caller cannot see. */
export async function loadStars(context: Context, keys: readonly AttentionKey[]): Promise<(boolean | Error)[]> {
  const found = await attentionOf(context, keys, 'star', sql`s.starred_at::text`);
  return found.map(one => (one instanceof Error ? one : one !== null));
}

/**
 * DataLoader batch function: the subscriptions of accounts to a repository; null without one, and for a repository that the caller
 * cannot see.
 */
export async function loadSubscriptions(
  context: Context,
  keys: readonly AttentionKey[],
): Promise<(RepositorySubscription | null | Error)[]> {
  const found = await attentionOf(context, keys, 'watch', sql`s.watched_at::text`);
  return found.map(one => (one === null || one instanceof Error ? one : subscriptionOf(one.row, true, one.since)));
}

/**
 * Since when accounts give a repository their attention: one statement for each repository, of which a list of accounts has one.
 * Null where they do not, and for a repository that the caller cannot see; an error of access is that of its keys.
 */
async function attentionOf(
  context: Context,
  keys: readonly AttentionKey[],
  table: 'star' | 'watch',
  since: RawBuilder<unknown>,
): Promise<({ row: OwnedRow; since: string } | null | Error)[]> {
  const byAddress = Map.groupBy(keys, ({ address }) => JSON.stringify(address));
  const read = [...byAddress.values()].map(async same => {
    const accountIds = same.map(({ accountId }) => accountId);
    const column = sql<Record<string, string>>`(select coalesce(json_object_agg(s.account_id, ${since}), '{}')
      from ${sql.ref(table)} s where s.repository_id = r.id and s.account_id = any(${accountIds}::bigint[]))`;
    const [{ address } = { address: { id: 0 } }] = same;
    return repositoryFor(context, address, 'metadata:read', undefined, column);
  });
  const settled = await Promise.allSettled(read);
  const answers = new Map([...byAddress.keys()].map((address, at) => [address, settled[at]]));
  return keys.map(({ address, accountId }) => {
    const answer = answers.get(JSON.stringify(address));
    if (answer?.status === 'rejected') return answer.reason as Error;
    const row = answer?.value;
    const at = row?.extraColumn[accountId];
    return row && at !== undefined ? { row, since: at } : null;
  });
}

/** The published subscription to a repository. */
export function subscriptionOf(
  { ownerLogin, name }: Pick<OwnedRow, 'ownerLogin' | 'name'>,
  isSubscribed: boolean,
  createdAt: string,
): RepositorySubscription {
  return { isSubscribed, createdAt, resourcePath: `/${ownerLogin}/${name}` };
}

import { sql } from 'kysely';
import type { StarredRepositorySort } from '../../../schema/hosting/repository-list-filters.ts';
import type { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { callingUser } from '../accounts/caller.ts';
import { noteOmittedOrganizations } from './omitted-organizations.ts';
import {
  type OwnedRow,
  type RepositoryAddress,
  repositoryFor,
  repositoryJoins,
  repositorySelectList,
} from './repositories.queries.ts';
import { visibleTo } from './repository-access.ts';

/** Repositories that an account starred and the caller can see. */
export function starsOfAccount(
  context: Context,
  accountId: number,
  { sort, direction }: { sort: StarredRepositorySort; direction: OrderDirection },
): ListSource<OwnedRow> {
  const { actor, read } = context;
  const from = sql`star s join ${repositoryJoins} on r.id = s.repository_id
    where s.account_id = ${accountId} and ${visibleTo(actor)}`;
  const order = sql.raw(`${sort === 'updated' ? 'r.updated_at' : 's.starred_at'} ${direction}, r.id ${direction}`);
  return {
    async rows({ limit, offset, wanted }) {
      const page = read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)} from ${from}
        order by ${order} limit ${limit} offset ${offset}`);
      const candidates = sql`r.id in (select star.repository_id from star where star.account_id = ${accountId})`;
      const [rows] = await Promise.all([page, noteOmittedOrganizations(context, candidates)]);
      return rows;
    },
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from ${from}`);
      return found?.total ?? 0;
    },
  };
}

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

import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { likePattern } from '../../db/like-pattern.ts';
import { tallySql } from '../../db/list-tallies.ts';
import { type AccountRow, accountSelectList } from '../accounts/accounts.queries.ts';
import { loginKey } from '../accounts/login.ts';
import type { AccountSearch } from './parse-account-search.ts';

/** Orders of a search for accounts; by login without one. */
export interface AccountOrder {
  field: 'followers' | 'repositories' | 'joined';
  direction: 'asc' | 'desc';
}

const orderSql = {
  followers: tallySql('follower', 'a.id'),
  repositories: tallySql('public_repository', 'a.id'),
  joined: 'a.created_at',
} as const;

/** Accounts that match the search. The trigram indexes of login and name find the words. */
export function foundAccounts(
  context: Pick<Context, 'actor' | 'read'>,
  search: AccountSearch,
  order: AccountOrder | undefined,
): ListSource<AccountRow> {
  const { read } = context;
  const where = sql.join(conditions(search), sql` and `);
  const orderBy = sql.raw(
    order ? `${orderSql[order.field]} ${order.direction}, a.id ${order.direction}` : 'lower(a.login), a.id',
  );
  return {
    rows: ({ limit, offset, wanted }) =>
      read(sql<AccountRow>`select ${accountSelectList(wanted, context)} from account a
        where ${where} order by ${orderBy} limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from account a where ${where}`);
      return found?.total ?? 0;
    },
  };
}

function conditions({ words, places, logins, kind }: AccountSearch): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [sql`a.suspended_at is null and a.kind <> 'bot'`];
  if (kind !== undefined) found.push(sql`a.kind = ${kind}`);
  // An invalid login is the login of none.
  if (logins.length > 0) found.push(sql`lower(a.login) = any(${logins.map(one => loginKey(one) ?? '')}::text[])`);
  for (const word of words) {
    const pattern = likePattern(word);
    const columns = places.map(place => sql`${sql.raw(`a.${place}`)} ilike ${pattern}`);
    found.push(sql`(${sql.join(columns, sql` or `)})`);
  }
  return found;
}

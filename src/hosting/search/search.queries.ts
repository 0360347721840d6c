import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { likePattern } from '../../db/like-pattern.ts';
import { tallySql } from '../../db/list-tallies.ts';
import { loginKey } from '../accounts/login.ts';
import { type OwnedRow, repositoryPage, stargazerCountSql } from '../repositories/repositories.queries.ts';
import type { RepositorySearch } from './parse-repository-search.ts';

/** A repository as an item of a search. */
export type FoundRepository = OwnedRow & { __typename: 'Repository' };

const orderSql = {
  updated_at: 'r.updated_at',
  stargazers: stargazerCountSql,
  forks: tallySql('fork', 'r.id'),
} as const;

/** Repositories that match the search and the caller can see; by name unless it has an order. */
export function foundRepositories(context: Context, search: RepositorySearch): ListSource<FoundRepository> {
  const { order } = search;
  const page = repositoryPage(
    context,
    sql.join([sql`true`, ...conditions(context, search)], sql` and `),
    sql.raw(order ? `${orderSql[order.field]} ${order.direction}, r.id ${order.direction}` : 'lower(r.name), r.id'),
  );
  return {
    ...page,
    async rows(slice) {
      return (await page.rows(slice)).map(row => ({ ...row, __typename: 'Repository' }));
    },
  };
}

function conditions({ actor }: Context, search: RepositorySearch): RawBuilder<unknown>[] {
  const { words, places, owners, topics, forks, isArchived, isPrivate, isTemplate, languages } = search;
  const found: RawBuilder<unknown>[] = [];
  if (languages.length > 0) found.push(sql`lower(r.primary_language_name) = any(${languages}::text[])`);
  if (owners.length > 0) {
    const caller = actor.kind === 'user' ? actor.login : '';
    // An invalid login is the login of none.
    const logins = owners.map(login => loginKey(login === '@me' ? caller : login) ?? '');
    found.push(sql`lower(o.login) = any(${logins}::text[])`);
  }
  if (topics.length > 0) found.push(sql`r.topics @> ${topics}::text[]`);
  if (forks !== 'include') found.push(sql`(r.parent_id is not null) = ${forks === 'only'}`);
  if (isArchived !== undefined) found.push(sql`r.is_archived = ${isArchived}`);
  if (isPrivate !== undefined) found.push(sql`r.is_private = ${isPrivate}`);
  if (isTemplate !== undefined) found.push(sql`r.is_template = ${isTemplate}`);
  for (const word of words) {
    const pattern = likePattern(word);
    const columns = places.map(place => sql`${sql.raw(`r.${place}`)} ilike ${pattern}`);
    found.push(sql`(${sql.join(columns, sql` or `)})`);
  }
  return found;
}

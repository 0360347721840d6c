import { type Kysely, type RawBuilder, sql } from 'kysely';
import { statedConditions } from './shown-conditions.ts';

/** Memberships of a user that are read: each change of a profile reads them. */
const maxSources = 500;

/** Sources of matching terms: rows (user_id, term). Only what a person shows to suggestions, word by word. */
const termSources: readonly RawBuilder<unknown>[] = [
  sql`select u.id, stated.kind || ':' || stated.text from wanted u cross join lateral ${statedConditions('u')} stated
    where stated.text = any(u.conditions_for_suggestions)`,
  // Not of secret groups: a shared term would tell that there is one.
  sql`select u.id, 'g:' || tag.text from wanted u
    cross join lateral (select m.group_id from community_membership m where m.user_id = u.id order by m.group_id limit ${maxSources}) m
    join community_group g on g.id = m.group_id and g.visibility <> 'secret' cross join unnest(g.condition_tags) tag(text)`,
];

/**
 * Recomputes the matching terms of users, in the transaction of the change. Users who have not opted in to the
 * community, and inactive accounts, have no row: nothing is derived from health data without consent.
 */
export async function refreshMatchingTerms(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  for (const statement of matchingTermsRefresh(userIds)) await statement.execute(db);
}

/** The statements of `refreshMatchingTerms`, in their order. */
export function matchingTermsRefresh(userIds: readonly number[]): [RawBuilder<unknown>, RawBuilder<unknown>] {
  // Serializes concurrent changes of a user, each of which would miss the other's.
  const lock = sql`select id from users where id = any(${userIds}::bigint[]) order by id for no key update`;
  const refresh = sql`
    with wanted as (
      select * from users where id = any(${userIds}::bigint[]) and is_visible_in_community
        and is_active and deleted_at is null and not is_guest),
    source (user_id, term) as (${sql.join(termSources, sql` union `)}),
    gone as (
      delete from health_profile where user_id = any(${userIds}::bigint[]) and user_id not in (select id from wanted))
    insert into health_profile (user_id, terms, quiet)
    select w.id, coalesce(array_agg(s.term order by s.term) filter (where s.term !~ '^.:$'), '{}'), '{}'
    from wanted w left join source s on s.user_id = w.id group by w.id
    on conflict (user_id) do update set terms = excluded.terms, quiet = '{}'
      where health_profile.terms is distinct from excluded.terms`;
  return [lock, refresh];
}

/** Users per statement. */
const batchSize = 1000;

/**
 * Recomputes the matching terms of all users, after a migration or a change by an operator. Uses one transaction per thousand users to
 * keep row locks short. Returns the number of profiles.
 */
export async function refreshAllMatchingTerms(
  transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>,
): Promise<number> {
  let after = 0;
  for (;;) {
    const ids = await transaction(async db => {
      const found = await sql<{ id: number }>`
        select id from users where id > ${after} and (is_visible_in_community
          or id in (select user_id from health_profile)) order by id limit ${batchSize}`.execute(db);
      const some = found.rows.map(row => row.id);
      await refreshMatchingTerms(db, some);
      return some;
    });
    after = ids.at(-1) ?? after;
    if (ids.length < batchSize) return transaction(countTermFrequencies);
  }
}

/** Counts the profiles of each term; `*` is the number of profiles. */
export async function countTermFrequencies(db: Kysely<unknown>): Promise<number> {
  await sql`
    with counted as (
      select term, count(*)::int as df from health_profile cross join unnest(terms) one(term) group by term
      union all select '*', count(*)::int from health_profile),
    gone as (delete from term_df where term not in (select term from counted))
    insert into term_df (term, df) select term, df from counted
    on conflict (term) do update set df = excluded.df where term_df.df <> excluded.df`.execute(db);
  const found = await sql<{ df: number }>`select df from term_df where term = '*'`.execute(db);
  return found.rows[0]?.df ?? 0;
}

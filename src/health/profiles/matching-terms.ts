import { type Kysely, type RawBuilder, sql } from 'kysely';

/** Maximum age in days of assessments whose symptoms are used. */
export const symptomMaxAgeDays = 90;

/** Sources of matching terms: rows (user_id, term, quiet). A `quiet` term counts but is never named to others. */
const termSources = (since: string): RawBuilder<unknown>[] => [
  sql`select u.id, 'c:diabetes', false from wanted u where u.has_diabetes = 'Y'`,
  sql`select u.id, 'c:hypertension', false from wanted u where u.has_hypertension = 'Y'`,
  // Quiet: lifestyle and history are private, but make people similar.
  sql`select u.id, 'p:chronic condition', true from wanted u where u.has_chronic_condition = 'Y'`,
  sql`select u.id, 'p:smoker', true from wanted u where u.is_smoker = 'Y'`,
  sql`select u.id, 'p:recent surgery', true from wanted u where u.had_recent_surgery = 'Y'`,
  sql`select u.id, 'c:' || ${normalizedText('one.text')}, false from wanted u cross join unnest(u.conditions) one(text)`,
  sql`select u.id, 's:' || ${normalizedText('one.text')}, false from wanted u cross join unnest(u.symptoms) one(text)`,
  // Quiet: assessments are private; only words of the profile are named. Recognized ids, because free text rarely
  // equals that of another person.
  sql`select u.id, 's:' || replace(one.text, '-', ' '), true from wanted u
    join assessment a on a.user_id = u.id and a.subject = 'myself' and a.created_at > ${since}
    cross join unnest(a.terms) one(text)`,
  // Not of secret groups: a shared term would tell that there is one.
  sql`select u.id, 'g:' || tag.text, false from wanted u join community_membership m on m.user_id = u.id
    join community_group g on g.id = m.group_id and g.visibility <> 'secret' cross join unnest(g.condition_tags) tag(text)`,
];

/** Normalizes spelling: `  Type 2  Diabetes` is `type 2 diabetes`. */
function normalizedText(column: string): RawBuilder<string> {
  return sql`lower(regexp_replace(trim(${sql.raw(column)}), '\\s+', ' ', 'g'))`;
}

/**
 * Recomputes the matching terms of users, in the transaction of the change. Users who have not opted in to the
 * community, and inactive accounts, have no row: nothing is derived from health data without consent.
 */
export async function refreshMatchingTerms(db: Kysely<unknown>, userIds: readonly number[], now: Date): Promise<void> {
  for (const statement of matchingTermsRefresh(userIds, now)) await statement.execute(db);
}

/** The statements of `refreshMatchingTerms`, in their order. */
export function matchingTermsRefresh(
  userIds: readonly number[],
  now: Date,
): [RawBuilder<unknown>, RawBuilder<unknown>] {
  const since = new Date(now.getTime() - symptomMaxAgeDays * 24 * 3_600_000).toISOString();
  // Serializes concurrent changes of a user, each of which would miss the other's.
  const lock = sql`select id from users where id = any(${userIds}::bigint[]) order by id for no key update`;
  const refresh = sql`
    with wanted as (
      select * from users where id = any(${userIds}::bigint[]) and is_visible_in_community
        and is_active and deleted_at is null and not is_guest),
    source (user_id, term, quiet) as (${sql.join(termSources(since), sql` union all `)}),
    -- What is said aloud anywhere is not quiet.
    said as (select user_id, term, bool_and(quiet) as quiet from source where term !~ '^.:$' group by user_id, term),
    gone as (
      delete from health_profile where user_id = any(${userIds}::bigint[]) and user_id not in (select id from wanted))
    insert into health_profile (user_id, terms, quiet)
    select w.id, coalesce(array_agg(s.term order by s.term) filter (where s.term is not null), '{}'),
      coalesce(array_agg(s.term order by s.term) filter (where s.quiet), '{}')
    from wanted w left join said s on s.user_id = w.id group by w.id
    on conflict (user_id) do update set terms = excluded.terms, quiet = excluded.quiet
      where (health_profile.terms, health_profile.quiet) is distinct from (excluded.terms, excluded.quiet)`;
  return [lock, refresh];
}

/** Users per statement. */
const batchSize = 1000;

/**
 * Recomputes the matching terms of all users, because assessments expire. Uses one transaction per thousand users to
 * keep row locks short. Returns the number of profiles.
 */
export async function refreshAllMatchingTerms(
  transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>,
  now: Date,
): Promise<number> {
  let after = 0;
  for (;;) {
    const ids = await transaction(async db => {
      const found = await sql<{ id: number }>`
        select id from users where id > ${after} and (is_visible_in_community
          or id in (select user_id from health_profile)) order by id limit ${batchSize}`.execute(db);
      const some = found.rows.map(row => row.id);
      await refreshMatchingTerms(db, some, now);
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

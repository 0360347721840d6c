import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { findDangerIn } from '../safety/safety-notice.ts';
import { type Candidate, scoreArticles } from './score-articles.ts';

/** Minimum pending recommendations, and the number created when there are fewer. */
const minOpen = 5;
const batchSize = 20;
/** Maximum per category in a batch. */
const maxPerCategory = 3;

const dayMs = 24 * 3_600_000;
/** Days after which a seen article may be recommended again, when there are no new ones. */
const reopenAfterDays = 60;

type Dependencies = Pick<Context, 'now' | 'read' | 'transaction'>;

/**
 * Ensures that a user has recommendations: with fewer than five pending, creates up to 20 in one transaction. An
 * advisory lock per user serializes concurrent requests, and the count is repeated under it.
 */
export async function ensureRecommendations(context: Dependencies, userId: number): Promise<void> {
  const [counted] = await context.read(countOpen(context, userId));
  if ((counted?.open ?? 0) >= minOpen) return;
  await context.transaction(async db => {
    await sql`select pg_advisory_xact_lock(hashtextextended('recommendations of ' || ${userId}::text, 0))`.execute(db);
    const again = await countOpen(context, userId).execute(db);
    if ((again.rows[0]?.open ?? 0) >= minOpen) return;
    const chosen = chooseArticles(await scoreArticles(db, context, userId));
    if (chosen.length > 0) await storeRecommendations(db, context, userId, await withoutCrises(chosen));
    else await reopenSeen(db, context, userId);
  });
}

/** Pending recommendations, counted up to `minOpen`. */
function countOpen(context: Pick<Context, 'now'>, userId: number) {
  return sql<{ open: number }>`select count(*)::int as open from (
    select from article_recommendation r join article a on a.id = r.article_id
    where r.user_id = ${userId} and r.status = 'pending' and ${isVisible(context)} limit ${minOpen}) found`;
}

/** The best candidates, at most three per category. */
export function chooseArticles(candidates: readonly Candidate[]): Candidate[] {
  const taken = new Map<string, number>();
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length === batchSize) break;
    if (candidate.categories.some(id => (taken.get(id) ?? 0) >= maxPerCategory)) continue;
    for (const id of candidate.categories) taken.set(id, (taken.get(id) ?? 0) + 1);
    chosen.push(candidate);
  }
  return chosen;
}

/** Without labels that are words of a crisis: «Because you track want to die». */
function withoutCrises(chosen: readonly Candidate[]): Promise<Candidate[]> {
  return Promise.all(
    chosen.map(async one => {
      const isCrisis = one.label !== null && (await findDangerIn([one.label])).level === 'crisis';
      return isCrisis ? { ...one, label: null, kind: null } : one;
    }),
  );
}

/** The reason from the user's own interests; null when the candidate has none. */
function reasonOf({ kind, label }: Candidate): string | null {
  if (kind === 'track') return `Because you track ${label}`;
  if (kind === 'age') return `For people ${label}`;
  if (kind === 'read') return `Because you read about ${label}`;
  return null;
}

async function storeRecommendations(
  db: Kysely<unknown>,
  { now }: Pick<Context, 'now'>,
  userId: number,
  chosen: Candidate[],
): Promise<void> {
  const at = now();
  const week = new Date(at.getTime() - 7 * dayMs).toISOString();
  // «Popular this week» requires a like, bookmark or comment of this week.
  await sql`
    insert into article_recommendation (user_id, article_id, score, reason, status, created_at)
    select ${userId}, pick.id, pick.score, coalesce(pick.reason, case
        when exists (select from article_like where article_id = pick.id and created_at > ${week})
          or exists (select from article_bookmark where article_id = pick.id and created_at > ${week})
          or exists (select from article_comment where article_id = pick.id and created_at > ${week} and deleted_at is null)
          then 'Popular this week'
        when a.published_at > ${week} then 'New this week'
        when a.like_count + a.comment_count + a.bookmark_count > 0 then 'Popular with readers'
        else coalesce((select 'To start with: ' || c.name from article_category filed join category c on c.id = filed.category_id
          where filed.article_id = a.id order by c.id limit 1), 'Something different') end), 'pending', ${at.toISOString()}
    from unnest(${chosen.map(one => one.id)}::bigint[], ${chosen.map(one => one.score)}::float8[],
      ${chosen.map(reasonOf)}::text[]) as pick (id, score, reason)
    join article a on a.id = pick.id
    on conflict (user_id, article_id) do nothing`.execute(db);
}

/** Reopens recommendations seen long ago, except dismissed and bookmarked articles. */
async function reopenSeen(db: Kysely<unknown>, context: Pick<Context, 'now'>, userId: number): Promise<void> {
  const now = context.now();
  const before = new Date(now.getTime() - reopenAfterDays * dayMs).toISOString();
  await sql`
    update article_recommendation set status = 'pending', seen_at = null, created_at = ${now.toISOString()},
      reason = 'Worth another look'
    where id in (
      select r.id from article_recommendation r join article a on a.id = r.article_id
      where r.user_id = ${userId} and r.status = 'seen' and r.seen_at < ${before} and ${isVisible(context)}
        and not exists (select from article_bookmark k where k.user_id = r.user_id and k.article_id = r.article_id)
      order by r.score desc, r.id desc limit ${batchSize})`.execute(db);
}

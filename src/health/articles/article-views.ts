import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { perDatabase } from '../../db/per-database.ts';

/** Buffered views of one database. */
interface ViewBuffer {
  views: Map<number, number>;
  since: number;
}

const viewBufferOf = perDatabase<ViewBuffer>(() => ({ views: new Map(), since: 0 }));

/** Maximum age of a buffered view. */
const maxBufferedMs = 5_000;

/**
 * Counts an article view, also by category and UTC day, without the identity of the reader. Views are buffered in memory and written with the first
 * view after five seconds and at shutdown: a statement per view would contend for one row and add a write to every GET.
 * A killed process loses its buffer. The counts have a narrow table of their own, because an update of `article`
 * rewrites the row and its index entries, three of which are full-text.
 */
export function countView(context: Pick<Context, 'now' | 'read' | 'transaction'>, articleId: number): void {
  const at = context.now().getTime();
  const pending = viewBufferOf(context.read);
  if (pending.views.size === 0) pending.since = at;
  pending.views.set(articleId, (pending.views.get(articleId) ?? 0) + 1);
  if (at - pending.since < maxBufferedMs) return;
  // Errors are not reported here: the buffer keeps the views, and every other statement reports an unavailable
  // database.
  flushViews(context, at).catch(() => {});
}

/** Writes all buffered views. On an error they are buffered again with the time `at`. */
export async function flushViews(context: Pick<Context, 'read' | 'transaction'>, at: number): Promise<void> {
  const pending = viewBufferOf(context.read);
  const taken = pending.views;
  if (taken.size === 0) return;
  pending.views = new Map();
  const [ids, views] = [[...taken.keys()], [...taken.values()]];
  try {
    const day = new Date(at).toISOString().slice(0, 10);
    // Sorted by key in every process, to avoid deadlocks.
    await context.transaction(db =>
      sql`with seen as materialized (
        select seen.article_id, seen.views
        from unnest(${ids}::bigint[], ${views}::bigint[]) as seen (article_id, views)
        join article on article.id = seen.article_id),
      by_category as (
        insert into article_view_day (day, category_id, views)
        select ${day}::date, c.category_id, sum(seen.views)
        from seen join article_category c on c.article_id = seen.article_id
        group by c.category_id order by c.category_id
        on conflict (day, category_id) do update set views = article_view_day.views + excluded.views)
      insert into article_view (article_id, views)
      select seen.article_id, seen.views from seen order by seen.article_id
      on conflict (article_id) do update set views = article_view.views + excluded.views`.execute(db),
    );
  } catch (error) {
    for (const [id, count] of taken) pending.views.set(id, (pending.views.get(id) ?? 0) + count);
    pending.since = at;
    throw error;
  }
}

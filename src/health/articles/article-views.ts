import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { perDatabase } from '../../db/per-database.ts';

/** Views that are counted and not written yet, of one database. */
interface ViewBuffer {
  views: Map<number, number>;
  since: number;
}

const viewBufferOf = perDatabase<ViewBuffer>(() => ({ views: new Map(), since: 0 }));

/** The oldest view that is kept back, in milliseconds. */
const maxBufferedMs = 5_000;

/**
 * Counts that an article was opened, by nobody in particular. No statement per view: of an article that everybody reads
 * they would queue up for one row, and every GET would pay for a write. Views wait in the process and go to the database
 * together, with the first view after five seconds and when the process stops; nobody waits for them. Killed, a process
 * loses what it has not written. They have a narrow table of their own: updating an article writes its row anew and an entry
 * into each of its indexes, three of which hold words of it.
 */
export function countView(context: Pick<Context, 'now' | 'read' | 'transaction'>, articleId: number): void {
  const at = context.now().getTime();
  const pending = viewBufferOf(context.read);
  if (pending.views.size === 0) pending.since = at;
  pending.views.set(articleId, (pending.views.get(articleId) ?? 0) + 1);
  if (at - pending.since < maxBufferedMs) return;
  // Not told here, where nobody asked for it: the views wait on, and every statement tells of a database that is away.
  flushViews(context, at).catch(() => {});
}

/** Writes all views that wait. When it rejects they wait again, as if they had come at `at`. */
export async function flushViews(context: Pick<Context, 'read' | 'transaction'>, at: number): Promise<void> {
  const pending = viewBufferOf(context.read);
  const taken = pending.views;
  if (taken.size === 0) return;
  pending.views = new Map();
  const [ids, views] = [[...taken.keys()], [...taken.values()]];
  try {
    // In one order everywhere, so that two processes never wait for each other.
    await context.transaction(db =>
      sql`insert into article_view (article_id, views)
      select seen.article_id, seen.views
      from unnest(${ids}::bigint[], ${views}::bigint[]) as seen (article_id, views)
      join article on article.id = seen.article_id
      order by seen.article_id
      on conflict (article_id) do update set views = article_view.views + excluded.views`.execute(db),
    );
  } catch (error) {
    for (const [id, count] of taken) pending.views.set(id, (pending.views.get(id) ?? 0) + count);
    pending.since = at;
    throw error;
  }
}

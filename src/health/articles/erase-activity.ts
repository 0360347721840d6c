import { type Kysely, sql } from 'kysely';
import { deleteRows } from '../../db/row-batches.ts';

/**
 * Deletes likes, bookmarks and recommendations of erased accounts and corrects the counts. Comments stay, as those of
 * «Deleted user», because others replied to them; deleting a comment removes its text at once. `limit` and the result are those of a
 * `RowBatch`; null for all.
 */
export async function eraseArticleActivity(
  db: Kysely<unknown>,
  userIds: readonly number[],
  limit: number | null = null,
): Promise<number> {
  let most = 0;
  for (const mark of ['like', 'bookmark']) {
    const [table, count] = [sql.table(`article_${mark}`), sql.ref(`${mark}_count`)];
    const { rows } = await sql<{ taken: number }>`
      with taken as (delete from ${table} where ctid = any(array(
          select ctid from ${table} where user_id = any(${userIds}) limit ${limit})) returning article_id),
        counted as (select article_id, count(*)::int as marks from taken group by article_id),
        corrected as (update article set ${count} = ${count} - counted.marks from counted where article.id = counted.article_id)
      select count(*)::int as taken from taken`.execute(db);
    most = Math.max(most, rows[0]?.taken ?? 0);
  }
  return Math.max(most, await deleteRows(db, 'article_recommendation', sql`user_id = any(${userIds})`, limit));
}

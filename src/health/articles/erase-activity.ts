import { type Kysely, sql } from 'kysely';

/**
 * Deletes likes, bookmarks and recommendations of erased accounts and corrects the counts. Comments stay, as those of
 * «Deleted user», because others replied to them; deleting a comment removes its text at once.
 */
export async function eraseArticleActivity(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  for (const mark of ['like', 'bookmark']) {
    const count = sql.ref(`${mark}_count`);
    await sql`
      with taken as (delete from ${sql.table(`article_${mark}`)} where user_id = any(${userIds}) returning article_id),
        counted as (select article_id, count(*)::int as marks from taken group by article_id)
      update article set ${count} = ${count} - counted.marks from counted where article.id = counted.article_id`.execute(
      db,
    );
  }
  await sql`delete from article_recommendation where user_id = any(${userIds})`.execute(db);
}

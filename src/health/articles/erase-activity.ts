import { type Kysely, sql } from 'kysely';

/**
 * Takes out what deleted accounts did with articles: likes and bookmarks, with the counts they were part of, and what was
 * recommended to them. Comments stay, as those of «Deleted user»: others replied to them, and what is left of the account
 * names nobody. Who wants a text gone deletes the comment, which takes it out at once.
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

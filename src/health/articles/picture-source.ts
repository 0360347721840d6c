import { type Kysely, sql } from 'kysely';

/**
 * Sets the address of the picture that the feed names; null for none. The picture of another address is dropped, and the job
 * `article-pictures` fetches the new one. `db` is a transaction.
 */
export async function setPictureSource(
  db: Kysely<unknown> | Kysely<never>,
  articleId: number,
  url: string | null,
  now: Date,
): Promise<void> {
  if (url === null) await sql`delete from article_picture where article_id = ${articleId}`.execute(db);
  else {
    await sql`
      insert into article_picture (article_id, source_url, due_at) values (${articleId}, ${url}, ${now})
      on conflict (article_id) do update
      set source_url = excluded.source_url, due_at = excluded.due_at, attempts = 0, problem = null, bytes = null`.execute(
      db,
    );
  }
  await sql`update article set image_url = null where id = ${articleId} and image_url is not null`.execute(db);
}

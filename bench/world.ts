import type { Kysely } from 'kysely';
import pg from 'pg';
import { benchSecret, built } from './built.ts';
import { reader } from './reader.ts';

/** How many articles there are unless a benchmark says otherwise: the demo corpus of 60, copied. */
export const articleCount = 2000;

/**
 * Migrates and plants the database at `url`, then copies the demo articles until there are `count`, each with its categories.
 * The reader is signed in and has recommendations. Publication times are spread over the past, an hour apart, so that every article is visible on any clock.
 */
export async function prepareWorld(url: string, count = articleCount): Promise<void> {
  const {
    readConfig,
    openKeys,
    openDatabase,
    migrate,
    plantOnce,
    demoWorld,
    inTransaction,
    keepRecommending,
    refreshLexemes,
  } = await built();
  const database = await openDatabase({ url, pool: 2, statementTimeout: 60_000 });
  await migrate(database);
  await plantOnce(database, demoWorld(openKeys(readConfig({ SECRET_KEY: benchSecret })), new Date()));
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(
      `with copied as (
         insert into article (headline, summary, image_url, author, source, body_markdown, body, tags, read_time_minutes,
                              published_at, updated_at, like_count, comment_count)
         select original.headline || ', part ' || part, original.summary, original.image_url, original.author, original.source,
                original.body_markdown, original.body, original.tags, original.read_time_minutes,
                original.published_at, original.updated_at, (original.id * part) % 97, (original.id + part) % 13
         from generate_series(2, 1 + ceil($1 / (select count(*) from article)::numeric)::int) as part, article original
         order by part, original.id
         limit $1 - (select count(*) from article)
         returning id, body_markdown)
       insert into article_category (article_id, category_id)
       select copied.id, filed.category_id
       from copied
       join (select distinct on (body_markdown) body_markdown, id from article order by body_markdown, id) original
         using (body_markdown)
       join article_category filed on filed.article_id = original.id`,
      [count],
    );
    await client.query(
      `update article set published_at = date_trunc('second', now()) - id * interval '1 hour',
                          updated_at = date_trunc('second', now()) - id * interval '1 hour'`,
    );
    // As autovacuum would leave it: planned by statistics, counted by an index-only scan.
    await client.query('vacuum analyze article, article_category, category');
    const { rows } = await client.query<{ articles: number; filed: number }>(
      `select (select count(*)::int from article) as articles,
              (select count(distinct article_id)::int from article_category) as filed`,
    );
    if (rows[0]?.articles !== count || rows[0].filed !== count) {
      throw new Error(`The world has ${JSON.stringify(rows[0])} and not ${count} articles, each in a category.`);
    }
    await signIn(client);
  } finally {
    await client.end();
  }
  try {
    await inTransaction(database, refreshLexemes);
    const context = {
      now: () => new Date(),
      read: database.read,
      transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
    };
    await keepRecommending(context, reader.userId);
  } finally {
    await database.close();
  }
}

async function signIn(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `insert into session (id, user_id, created_at, last_used_at, expires_at)
     select $1, id, now(), now(), now() + interval '1 day' from users where id = $2 and email like $3 returning id`,
    [reader.sessionId, reader.userId, `${reader.name}@%`],
  );
  if (rows.length === 0) throw new Error(`${reader.name} is not the person number ${reader.userId}.`);
}

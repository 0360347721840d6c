import type { Kysely } from 'kysely';
import pg from 'pg';
import { benchSecret, loadBuild } from './load-build.ts';
import { reader } from './reader.ts';

/** Default number of articles: copies of the 60 demo articles. */
export const articleCount = 2000;

/** Other people with notes, and how many each: tables so large that only an index finds one person's notes. */
const others = { people: 500, notes: 200 };

/**
 * Migrates and seeds the database at `url`, then copies the demo articles with their categories until there are `count`. The
 * reader is authenticated and has recommendations. Publication times are one hour apart in the past, so that every article is
 * visible.
 */
export async function prepareWorld(url: string, count = articleCount): Promise<void> {
  const {
    readConfig,
    deriveKeys,
    openDatabase,
    migrate,
    seedOnce,
    demoData,
    inTransaction,
    ensureRecommendations,
    refreshLexemeFrequencies,
    compactArticleTallies,
  } = await loadBuild();
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  await migrate(database);
  await seedOnce(database, demoData(deriveKeys(readConfig({ SECRET_KEY: benchSecret })), new Date()));
  const client = new pg.Client(url);
  await client.connect();
  try {
    // The servers that are compared read these columns as they are.
    await client.query(`update article set image_url = 'http://localhost:4000' || image_url where image_url like '/%'`);
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
    await client.query(
      `update article set source_url = 'http://localhost:4000/api/v1/articles/' || id || '/' where source_url is null`,
    );
    await addNotes(client);
    // As after the task that runs every ten minutes: the update above appended two rows for each article.
    await inTransaction(database, compactArticleTallies);
    // As after autovacuum: with statistics for the planner and index-only scans.
    await client.query(
      'vacuum analyze article, article_category, category, article_tally, vital_reading, symptom_log, health_goal, assessment, users',
    );
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
    await inTransaction(database, refreshLexemeFrequencies);
    const context = {
      now: () => new Date(),
      read: database.read,
      transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
    };
    await ensureRecommendations(context, reader.userId);
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

/** The notes of others. */
async function addNotes(client: pg.Client): Promise<void> {
  const times = `select id, now() - n * interval '3 hours', now() from other cross join generate_series(1, ${others.notes}) n`;
  await client.query(
    `with other as (
       insert into users (email, is_active, is_verified, date_joined, last_seen_at)
       select 'other-' || n || '@example.org', true, true, now(), now() from generate_series(1, ${others.people}) n returning id),
     measured as (
       insert into vital_reading (user_id, measured_at, created_at, heart_rate) select times.*, 70 from (${times}) times)
     insert into symptom_log (user_id, logged_at, created_at, symptom_name, severity)
     select times.*, 'headache', 5 from (${times}) times`,
  );
}

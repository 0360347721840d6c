import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { FeedEntry } from './feed-entry.ts';

/** What an import compares of a stored article. */
export interface StoredArticle {
  id: number;
  headline: string;
  summary: string;
  /** Address of the picture that its feed names. */
  imageUrl: string | null;
  author: string;
  source: string;
  sourceUrl: string;
  entryId: string | null;
  language: string | null;
  bodyMarkdown: string;
  body: string;
  tags: string[];
  versionAt: Date | null;
  feedWrittenAt: Date | null;
  updatedAt: Date;
}

const columns = sql`id::int as id, headline, summary,
  (select p.source_url from article_picture p where p.article_id = article.id) as "imageUrl", author, source, source_url as "sourceUrl",
  entry_id as "entryId", language, body_markdown as "bodyMarkdown", body, tags, version_at as "versionAt",
  feed_written_at as "feedWrittenAt", updated_at as "updatedAt"`;

/**
 * The article of an entry: by its guid, and else by its link, which finds articles from before guids were stored and entries that have
 * none. One link with another guid is another article, unless only the number behind `#` counts up and the title is the same.
 */
export async function findArticle(
  em: EntityManager,
  { id, link, headline }: FeedEntry,
  source: string,
): Promise<StoredArticle | undefined> {
  const db = em.getKysely();
  if (id !== null) {
    const { rows } = await sql<StoredArticle>`
      select ${columns} from article where source = ${source} and entry_id = ${id}`.execute(db);
    if (rows[0]) return withDates(rows[0]);
  }
  const { rows } = await sql<StoredArticle>`
    select ${columns} from article where source_url = ${link} order by (headline = ${headline}) desc, id limit 100`.execute(
    db,
  );
  const found = rows.find(row => id === null || row.entryId === null || isSameEntry(row, id, headline));
  return found && withDates(found);
}

/** The driver of the ORM returns times as text. */
const withDates = (row: StoredArticle): StoredArticle => ({
  ...row,
  versionAt: row.versionAt && new Date(row.versionAt),
  feedWrittenAt: row.feedWrittenAt && new Date(row.feedWrittenAt),
});

function isSameEntry(row: StoredArticle, id: string, headline: string): boolean {
  if (row.entryId === id) return true;
  const numbered = /#\d{1,9}$/;
  return (
    numbered.test(id) && id.replace(numbered, '') === row.entryId?.replace(numbered, '') && row.headline === headline
  );
}

import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { categoriesOfTags } from '../vocabulary/categories-of-tags.ts';
import { readTimeMinutes, renderArticleBody } from './article-body.ts';
import { isCorrection } from './correction.ts';
import type { FeedEntry } from './feed-entry.ts';
import { findArticle, type StoredArticle } from './find-article.ts';
import { setPictureSource } from './picture-source.ts';

/** Outcome of one entry. `older`: the stored version is a later one. */
export type ImportOutcome = 'added' | 'updated' | 'unchanged' | 'older';

interface ImportSource {
  source: string;
  feedWrittenAt: Date | null;
  now: Date;
}

/**
 * Stores one feed entry as an article, in one transaction. Imports take turns, so that two of them create one article, and a repeated
 * import changes nothing. A withdrawn article stays withdrawn. The publication date stays the first one: feeds without entry dates lend
 * their own, which changes with every fetch. A version that is replaced is kept as a revision. Pictures are fetched later, by a
 * job: foreign addresses are never published.
 * @param source code of the publisher
 * @param feedWrittenAt when the feed says it was written
 */
export function importEntry(
  em: EntityManager,
  entry: FeedEntry,
  source: string,
  now: Date,
  feedWrittenAt: Date | null = null,
): Promise<ImportOutcome> {
  const from: ImportSource = { source, now, feedWrittenAt };
  return em.transactional(async inner => {
    await sql`select pg_advisory_xact_lock(hashtextextended('import of articles', 0))`.execute(inner.getKysely());
    const stored = await findArticle(inner, entry, from.source);
    if (!stored) {
      await fileUnder(inner, await insertArticle(inner, entry, from), entry);
      return 'added';
    }
    if (hashOf(stored) === hashOf(contentOf(entry))) {
      if (isBefore(entry.versionAt, stored.versionAt)) return 'unchanged';
      const moved = await recordVersion(inner, stored, entry, from);
      const refiled = await fileUnder(inner, stored.id, entry);
      return moved || refiled ? 'updated' : 'unchanged';
    }
    if (await isOlder(inner, stored, entry, from)) return 'older';
    await keepRevision(inner, stored, from.now);
    await updateArticle(inner, stored, entry, from);
    await fileUnder(inner, stored.id, entry);
    return 'updated';
  });
}

type Content = Pick<
  StoredArticle,
  'headline' | 'summary' | 'imageUrl' | 'author' | 'language' | 'bodyMarkdown' | 'tags'
>;

const contentOf = ({ headline, summary, imageUrl, author, language, body, tags }: FeedEntry): Content => ({
  headline,
  summary,
  imageUrl,
  author,
  language,
  bodyMarkdown: body,
  tags,
});

/** Names one version of an article. */
function hashOf({ headline, summary, imageUrl, author, language, bodyMarkdown, tags }: Content): string {
  const content = JSON.stringify([headline, summary, imageUrl, author, language, bodyMarkdown, tags]);
  return createHash('sha256').update(content).digest('base64url');
}

const isBefore = (one: Date | null, other: Date | null): boolean => one !== null && other !== null && one < other;

/**
 * Whether an entry with another content is an earlier version: by the dates of the entries, then of the feeds, and where neither tells,
 * because it was replaced before.
 */
async function isOlder(
  em: EntityManager,
  stored: StoredArticle,
  entry: FeedEntry,
  { feedWrittenAt }: ImportSource,
): Promise<boolean> {
  if (isBefore(entry.versionAt, stored.versionAt)) return true;
  if (isBefore(stored.versionAt, entry.versionAt)) return false;
  if (isBefore(feedWrittenAt, stored.feedWrittenAt)) return true;
  if (isBefore(stored.feedWrittenAt, feedWrittenAt)) return false;
  const { rows } = await sql`
    select 1 from article_revision where article_id = ${stored.id} and content_hash = ${hashOf(contentOf(entry))} limit 1`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}

async function insertArticle(em: EntityManager, entry: FeedEntry, from: ImportSource): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into article (headline, summary, author, source, source_url, entry_id, language, body_markdown, body, tags,
      read_time_minutes, published_at, updated_at, version_at, feed_written_at)
    values (${entry.headline}, ${entry.summary}, ${entry.author}, ${from.source}, ${entry.link}, ${entry.id},
      ${entry.language}, ${entry.body}, ${renderArticleBody(entry.body)}, ${entry.tags}, ${readTimeMinutes(entry.body)},
      ${entry.publishedAt}, ${entry.updatedAt ?? from.now}, ${entry.versionAt}, ${from.feedWrittenAt})
    returning id::int as id`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no row of an inserted article.');
  if (entry.imageUrl !== null) await setPictureSource(em.getKysely(), row.id, entry.imageUrl, from.now);
  return row.id;
}

async function updateArticle(
  em: EntityManager,
  stored: StoredArticle,
  entry: FeedEntry,
  from: ImportSource,
): Promise<void> {
  const { id, sourceUrl } = stored;
  const correctedAt = isCorrection(stored, entry) ? from.now : null;
  await sql`
    update article set headline = ${entry.headline}, summary = ${entry.summary},
      author = ${entry.author}, source = ${from.source}, source_url = ${linkAfter(sourceUrl, entry.link)},
      entry_id = coalesce(${entry.id}, entry_id), language = ${entry.language}, body_markdown = ${entry.body},
      body = ${renderArticleBody(entry.body)}, tags = ${entry.tags}, read_time_minutes = ${readTimeMinutes(entry.body)},
      updated_at = ${entry.updatedAt ?? from.now}, version_at = coalesce(${entry.versionAt}, version_at),
      feed_written_at = coalesce(${from.feedWrittenAt}, feed_written_at), corrected_at = coalesce(${correctedAt}, corrected_at)
    where id = ${id}`.execute(em.getKysely());
  if (entry.imageUrl !== stored.imageUrl) await setPictureSource(em.getKysely(), id, entry.imageUrl, from.now);
}

/** Records what an unchanged version says of itself. Returns whether readers see a difference: its link or its publisher. */
async function recordVersion(
  em: EntityManager,
  stored: StoredArticle,
  entry: FeedEntry,
  from: ImportSource,
): Promise<boolean> {
  const link = linkAfter(stored.sourceUrl, entry.link);
  const moved = stored.source !== from.source || stored.sourceUrl !== link;
  const known =
    !moved &&
    (entry.id === null || entry.id === stored.entryId) &&
    !isLater(entry.versionAt, stored.versionAt) &&
    !isLater(from.feedWrittenAt, stored.feedWrittenAt);
  if (known) return false;
  await sql`
    update article set source = ${from.source}, source_url = ${link}, entry_id = coalesce(${entry.id}, entry_id),
      version_at = greatest(version_at, ${entry.versionAt}), feed_written_at = greatest(feed_written_at, ${from.feedWrittenAt})
    where id = ${stored.id}`.execute(em.getKysely());
  return moved;
}

const isLater = (one: Date | null, other: Date | null): boolean => one !== null && (other === null || one > other);

/** A place on the same page is not another link: which places a feed names changes from day to day. */
const linkAfter = (stored: string, link: string): string => (pageOf(stored) === pageOf(link) ? stored : link);
const pageOf = (link: string): string => link.split('#', 1)[0] ?? '';

async function keepRevision(em: EntityManager, stored: StoredArticle, now: Date): Promise<void> {
  await sql`
    insert into article_revision (article_id, headline, summary, body, content_hash, published_at, replaced_at)
    values (${stored.id}, ${stored.headline}, ${stored.summary}, ${stored.body}, ${hashOf(stored)}, ${stored.updatedAt}, ${now})`.execute(
    em.getKysely(),
  );
}

/** Files an article under the categories of its entry, and those that its tags name. Returns whether anything changed. */
async function fileUnder(em: EntityManager, article: number, entry: FeedEntry): Promise<boolean> {
  return setCategories(em, article, [...entry.categories, ...(await categoriesByTags(em, entry.tags))]);
}

/** The existing categories that tags of an entry name. Tags are too many to become categories themselves. */
async function categoriesByTags(em: EntityManager, tags: readonly string[]): Promise<FeedEntry['categories']> {
  if (tags.length === 0) return [];
  const { rows } = await sql<
    FeedEntry['categories'][number]
  >`select slug, name from category order by id limit 1000`.execute(em.getKysely());
  return categoriesOfTags(rows, tags);
}

/** Replaces the article's categories, inserting missing ones. Returns whether anything changed. */
async function setCategories(
  em: EntityManager,
  article: number,
  categories: FeedEntry['categories'],
): Promise<boolean> {
  const db = em.getKysely();
  const slugs = categories.map(one => one.slug);
  if (categories.length > 0) {
    await sql`insert into category (slug, name)
      select * from unnest(${slugs}::text[], ${categories.map(one => one.name)}::text[])
      on conflict (slug) do nothing`.execute(db);
  }
  const removed = await sql`delete from article_category where article_id = ${article}
    and category_id not in (select id from category where slug = any(${slugs})) returning category_id`.execute(db);
  const added = await sql`insert into article_category (article_id, category_id)
    select ${article}, id from category where slug = any(${slugs}) on conflict do nothing returning category_id`.execute(
    db,
  );
  return removed.rows.length + added.rows.length > 0;
}

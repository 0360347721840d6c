import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { categoriesOfTags } from '../vocabulary/categories-of-tags.ts';
import { readTimeMinutes, renderArticleBody } from './article-body.ts';
import type { FeedEntry } from './read-feed.ts';

/** Outcome of one entry. */
export type ImportOutcome = 'added' | 'updated' | 'unchanged';

/**
 * Upserts one feed entry as an article of `source`, in one transaction. The unique index on the canonical link
 * identifies the article: concurrent imports create one article, and a repeated import changes nothing. A withdrawn
 * article stays withdrawn. The publication date stays the first one: feeds without entry dates lend their own, which
 * changes with every fetch.
 */
export function importEntry(em: EntityManager, entry: FeedEntry, source: string, now: Date): Promise<ImportOutcome> {
  return em.transactional(async inner => {
    const db = inner.getKysely();
    const written = await sql<{ id: number; added: boolean }>`
      insert into article (headline, summary, image_url, author, source, source_url, language, body_markdown, body, tags,
        read_time_minutes, published_at, updated_at)
      values (${entry.headline}, ${entry.summary}, ${entry.imageUrl}, ${entry.author}, ${source}, ${entry.link}, ${entry.language},
        ${entry.body}, ${renderArticleBody(entry.body)}, ${entry.tags}, ${readTimeMinutes(entry.body)},
        ${entry.publishedAt}, ${entry.updatedAt ?? now})
      on conflict (source_url) do update set headline = excluded.headline, summary = excluded.summary,
        image_url = excluded.image_url, author = excluded.author, source = excluded.source, language = excluded.language,
        body_markdown = excluded.body_markdown, body = excluded.body, tags = excluded.tags,
        read_time_minutes = excluded.read_time_minutes, updated_at = excluded.updated_at
      where (article.headline, article.summary, article.image_url, article.author, article.source, article.language,
          article.body_markdown, article.body, article.tags)
        is distinct from (excluded.headline, excluded.summary, excluded.image_url, excluded.author, excluded.source,
          excluded.language, excluded.body_markdown, excluded.body, excluded.tags)
      returning id, (xmax = 0) as added`.execute(db);
    const row = written.rows[0];
    const id = row?.id ?? (await getArticleId(inner, entry.link));
    const refiled = await setCategories(inner, id, [
      ...entry.categories,
      ...(await categoriesByTags(inner, entry.tags)),
    ]);
    if (row?.added) return 'added';
    return row || refiled ? 'updated' : 'unchanged';
  });
}

async function getArticleId(em: EntityManager, link: string): Promise<number> {
  const found = await sql<{ id: number }>`select id from article where source_url = ${link}`.execute(em.getKysely());
  const row = found.rows[0];
  if (!row) throw new Error(`The article of ${link} was removed while it was imported.`);
  return row.id;
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

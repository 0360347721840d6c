import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { listedArticle } from './article-select-list.ts';
import { type ArticleRow, isVisible } from './articles.queries.ts';

/** Candidates for related articles, the newest of each category: to count the shared categories of all took 90 ms at 100,000 articles. */
const maxRelatedCandidates = 100;

/**
 * DataLoader batch: up to three other articles with the most shared categories, the newest first among equals. Of the 100
 * newest articles of each category.
 */
export async function relatedArticles(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<ArticleRow[][]> {
  const found = await context.read(sql<ArticleRow & { of: number }>`
    select near.of, ${listedArticle(wanted, context)}
    from unnest(${ids}::bigint[]) as wanted(id)
    cross join lateral (
      select wanted.id as of, candidate.article_id, shared.categories
      from (
        select distinct newest.article_id, newest.published_at
        from article_category own cross join lateral (
          select ac.article_id, ac.published_at from article_category ac
          where ac.category_id = own.category_id and ${isVisible(context, 'ac')}
          order by ac.published_at desc, ac.article_id desc limit ${maxRelatedCandidates}
        ) newest
        where own.article_id = wanted.id and newest.article_id <> wanted.id
      ) candidate
      cross join lateral (
        select count(*) as categories from article_category other
        where other.article_id = candidate.article_id
          and other.category_id = any (array(select category_id from article_category where article_id = wanted.id))
      ) shared
      order by shared.categories desc, candidate.published_at desc, candidate.article_id desc
      limit 3
    ) near
    join article a on a.id = near.article_id
    order by near.categories desc, a.published_at desc, a.id desc`);
  const byArticle = new Map<number, ArticleRow[]>(ids.map(id => [id, []]));
  for (const row of found) byArticle.get(row.of)?.push(row);
  return ids.map(id => byArticle.get(id) ?? []);
}

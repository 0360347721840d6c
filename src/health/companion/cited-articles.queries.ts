import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { type ArticleRow, articleSelectList, isVisible } from '../articles/articles.queries.ts';

const citedArticle = articleSelectList();

/** DataLoader batch: the visible articles with these ids; null for the others. */
export async function citedArticles(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(ArticleRow | null)[]> {
  const found = await context.read(sql<ArticleRow>`select ${citedArticle(wanted, context)} from article a
    where a.id = any(${[...ids]}::bigint[]) and ${isVisible(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

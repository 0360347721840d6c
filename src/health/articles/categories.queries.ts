import { type RawBuilder, sql } from 'kysely';
import { Category } from '../../../schema/health/category.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedList, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { listedArticle } from './article-select-list.ts';
import { readArticleSearch } from './article-terms.ts';
import { type ArticleFilter, type ArticleRow, articleListQuery } from './articles.queries.ts';

/** Selected columns of a category; `databaseId` is always present. */
export type CategoryRow = Omit<Category, 'id'> & { databaseId: number };

const categoryColumns = columnsOf(Category, 'c', { always: ['databaseId'] });

/** Feeds add categories: what a list may have at most, as the cost of a query assumes. */
const maxCategories = 100;

/** The categories by name, the first 100. */
export function allCategories({ read }: Pick<Context, 'read'>, wanted: Selection): Promise<CategoryRow[]> {
  return read(sql<CategoryRow>`select ${categoryColumns(wanted)} from category c
    order by c.name, c.id limit ${maxCategories}`);
}

/** The categories with these ids, in their order; null for the other ids. */
export async function categoriesByIds(
  { read }: Pick<Context, 'read'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(CategoryRow | null)[]> {
  const found = await read(
    sql<CategoryRow>`select ${categoryColumns(wanted)} from category c where c.id = any(${[...ids]}::bigint[])`,
  );
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Pages of the articles of a category; one statement for all categories of a list. */
export function articlesOfCategory(
  context: Context,
  categoryId: number,
  filter: ArticleFilter,
): ListSource<ArticleRow> {
  const { source, search, orderBy } = filter;
  const table = async (): Promise<BatchedSource<number, ArticleRow>> => {
    const read = await readArticleSearch(context.read, search);
    const list = (category: RawBuilder<unknown>) => articleListQuery(context, filter, read, category);
    const { from, readFrom, order, deep } = list(sql`null`);
    return batchedTable<number, ArticleRow>(context.read, {
      keyType: 'bigint',
      select: wanted => listedArticle(wanted, context),
      from,
      readFrom,
      where: category => list(category).where,
      order,
      deep: { key: deep.key, within: category => list(category).deep.within ?? [] },
      total: category => list(category).total,
    });
  };
  const articles: BatchedSource<number, ArticleRow> = {
    rows: async (keys, page) => (await table()).rows(keys, page),
    totals: async keys => (await table()).totals(keys),
  };
  return batchedList(context, 'Category.articles', { source, search, orderBy }, categoryId, articles);
}

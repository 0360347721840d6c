import type { RawBuilder } from 'kysely';
import type { Context } from '../../context/context.ts';
import { maxSkipped } from '../../db/batched-list.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import type { ListSource } from '../../db/connection.ts';
import type { JsonField, JsonItems } from '../../db/json-columns.ts';
import { parseOrdering, requestedOrdering } from '../lists/ordering.ts';
import { nearPageAsJson, type TablePageQuery, tablePage } from '../lists/table-page.ts';
import { accountOf, listedArticle } from './article-select-list.ts';
import type { ListClock } from './article-tallies.ts';
import { type ArticleSearch, readArticleSearch } from './article-terms.ts';
import { type ArticleFilter, type ArticleRow, articleListQuery, articleOrdering } from './articles.queries.ts';

/** Pages of `articles`. `ordering` and `search` have the syntax of the published API. */
export function articlesMatching(context: Context, filter: ArticleFilter): ListSource<ArticleRow> {
  let pages: Promise<ListSource<ArticleRow>> | undefined;
  const source = (): Promise<ListSource<ArticleRow>> => {
    pages ??= readArticleSearch(context.read, filter.search).then(search =>
      tablePage(context.read, {
        ...listQuery(context, filter, search),
        select: wanted => listedArticle(wanted, context),
        selectJson: fields => listedArticle.json?.(fields, accountOf(context.actor)),
      }),
    );
    return pages;
  };
  return {
    rows: async slice => (await source()).rows(slice),
    total: async () => (await source()).total(),
    json(slice) {
      const compiled = compiledPage(context, filter, slice);
      if (compiled || listedArticle.json?.(slice.fields, accountOf(context.actor)) === undefined) return compiled;
      return source().then(async list => (await list.json?.(slice)) ?? { items: '[]', total: 0 });
    },
  };
}

function listQuery(
  clock: ListClock,
  filter: ArticleFilter,
  search: ArticleSearch | null,
): Omit<TablePageQuery, 'select'> {
  const { readFrom, ...list } = articleListQuery(clock, filter, search);
  return { ...list, readFrom: () => readFrom };
}

/** Values of a compiled page. */
interface PageValues {
  now: string;
  source: string;
  category: string;
  account: number;
  limit: number;
  offset: number;
}

type PageStatement = (values: PageValues) => RawBuilder<JsonItems>;

/** The statements of pages by what their text depends on: at most some hundred for one `fields` object. */
const statementsByFields = new WeakMap<readonly JsonField[], Map<string, PageStatement | 'none'>>();

/**
 * A page near the start of a list in one order, by a statement that is compiled once: building and compiling it was a sixth of the
 * gateway's CPU time of a request. Undefined for other pages, and for fields that cannot be read as JSON.
 */
function compiledPage(
  { read, now, actor }: Context,
  filter: ArticleFilter,
  { fields, limit, offset }: { fields: readonly JsonField[]; limit: number; offset: number },
): Promise<JsonItems> | undefined {
  const sortKeys = parseOrdering(requestedOrdering(filter) ?? '', articleOrdering);
  if (filter.search || sortKeys.length > 1 || offset > maxSkipped) return undefined;
  const account = accountOf(actor);
  const shape: PageShape = {
    position: offset === 0 ? 'first' : 'later',
    ordering: sortKeys[0],
    isPersonal: account !== undefined,
    hasSource: Boolean(filter.source),
    hasCategory: Boolean(filter.category),
  };
  const statement = statementOf(fields, shape);
  if (statement === 'none') return undefined;
  const values = { now: now().toISOString(), source: filter.source ?? '', category: filter.category ?? '' };
  return read(statement({ ...values, account: account ?? 0, limit, offset })).then(
    ([found]) => found ?? { items: '[]', total: 0 },
  );
}

interface PageShape {
  position: 'first' | 'later';
  /** The one sort key, if there is one. */
  ordering: string | undefined;
  isPersonal: boolean;
  hasSource: boolean;
  hasCategory: boolean;
}

function statementOf(fields: readonly JsonField[], shape: PageShape): PageStatement | 'none' {
  let statements = statementsByFields.get(fields);
  if (!statements) {
    statements = new Map();
    statementsByFields.set(fields, statements);
  }
  const { position, ordering = '', isPersonal, hasSource, hasCategory } = shape;
  const key = `${position} ${ordering} ${isPersonal} ${hasSource} ${hasCategory}`;
  let statement = statements.get(key);
  if (!statement) {
    statement = compilePage(fields, shape);
    statements.set(key, statement);
  }
  return statement;
}

function compilePage(fields: readonly JsonField[], shape: PageShape): PageStatement | 'none' {
  const { position, ordering, isPersonal, hasSource, hasCategory } = shape;
  const listFor = (account: number): RawBuilder<unknown> | undefined =>
    listedArticle.json?.(fields, isPersonal ? account : undefined);
  if (listFor(0) === undefined) return 'none';
  return compiledStatement<PageValues, JsonItems>(
    ['now', 'source', 'category', 'account', 'limit', 'offset'],
    ({ now, source, category, account, limit, offset }) => {
      const clock = { now: () => ({ toISOString: () => now }) };
      const filter = { ordering, ...(hasSource ? { source } : {}), ...(hasCategory ? { category } : {}) };
      const query = { ...listQuery(clock, filter, null), select: () => listFor(account) as RawBuilder<unknown> };
      return nearPageAsJson(query, query.select(), { limit, offset }, position);
    },
  );
}

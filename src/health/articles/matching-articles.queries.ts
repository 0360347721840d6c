import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { maxSkipped } from '../../db/batched-list.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import type { ListSource } from '../../db/connection.ts';
import type { JsonField, JsonItems } from '../../db/json-columns.ts';
import { anchorOf, readWindow } from '../lists/list-window.ts';
import { parseOrdering, requestedOrdering } from '../lists/ordering.ts';
import { nearPageAsJson, type OrderedRows, tablePage } from '../lists/table-page.ts';
import { listedArticle, readerOf } from './article-select-list.ts';
import type { ListClock } from './article-tallies.ts';
import { type ArticleSearch, readArticleSearch } from './article-terms.ts';
import { type ArticleFilter, type ArticleRow, articleListQuery, articleOrdering } from './articles.queries.ts';

/** Pages of `articles`. `search` has the syntax of the published API. */
export function articlesMatching(
  context: Context,
  { asOf, ...wanted }: Omit<ArticleFilter, 'newest'> & { asOf?: string | null },
): ListSource<ArticleRow> {
  const window = readWindow(context.now, asOf);
  const filter = { ...wanted, newest: window?.newest };
  const until = window?.until ?? context.now();
  const clock = { now: () => until };
  // The time alone does not tell which articles were there: an import stores some that were published long ago.
  const anchorWith = (newest: number): string => anchorOf(window ?? { until, newest });
  type Pages = ReturnType<typeof tablePage<ArticleRow>>;
  let pages: Promise<Pages> | undefined;
  const source = (): Promise<Pages> => {
    pages ??= readArticleSearch(context.read, filter.search).then(search =>
      tablePage(context.read, {
        ...listQuery(clock, filter, search),
        select: wanted => listedArticle(wanted, context),
        selectJson: fields => listedArticle.json?.(fields, readerOf(context)),
      }),
    );
    return pages;
  };
  return {
    rows: async slice => (await source()).rows(slice),
    total: async () => (await source()).total(),
    asOf: async () => anchorWith((await (await source()).newest()) ?? 0),
    json(slice) {
      const compiled = compiledPage(context, clock, filter, slice);
      if (!compiled && listedArticle.json?.(slice.fields, readerOf(context)) === undefined) return undefined;
      const none: JsonItems = { items: '[]', total: 0 };
      const page = compiled ?? source().then(list => list.json?.(slice) ?? none);
      return page.then(found => ({ ...found, asOf: anchorWith(found.newest ?? 0) }));
    },
  };
}

/** SQL: the greatest id of an article, whether it is visible or not. */
const newestArticle = sql.raw('coalesce((select max(id) from article), 0)::int');

function listQuery(clock: ListClock, filter: ArticleFilter, search: ArticleSearch | null): OrderedRows {
  const { readFrom, ...list } = articleListQuery(clock, filter, search);
  return { ...list, readFrom: () => readFrom, ...(filter.newest === undefined ? { newest: newestArticle } : {}) };
}

/** Values of a compiled page. */
interface PageValues {
  now: string;
  source: string;
  category: string;
  account: number;
  origin: string;
  newest: number;
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
  context: Context,
  clock: Pick<Context, 'now'>,
  filter: ArticleFilter,
  { fields, limit, offset }: { fields: readonly JsonField[]; limit: number; offset: number },
): Promise<JsonItems> | undefined {
  const sortKeys = parseOrdering(requestedOrdering(filter) ?? '', articleOrdering);
  if (filter.search || sortKeys.length > 1 || offset > maxSkipped) return undefined;
  const { account, origin } = readerOf(context);
  const shape: PageShape = {
    isFirst: offset === 0,
    ordering: sortKeys[0],
    isPersonal: account !== undefined,
    hasSource: Boolean(filter.source),
    hasCategory: Boolean(filter.category),
    hasNewest: filter.newest !== undefined,
  };
  const statement = statementOf(fields, shape);
  if (statement === 'none') return undefined;
  const { source, category, newest } = filter;
  const values = { source: source ?? '', category: category ?? '', newest: newest ?? 0, account: account ?? 0, origin };
  return context
    .read(statement({ ...values, now: clock.now().toISOString(), limit, offset }))
    .then(([found]) => found ?? { items: '[]', total: 0 });
}

interface PageShape {
  isFirst: boolean;
  /** The one sort key, if there is one. */
  ordering: string | undefined;
  isPersonal: boolean;
  hasSource: boolean;
  hasCategory: boolean;
  hasNewest: boolean;
}

function statementOf(fields: readonly JsonField[], shape: PageShape): PageStatement | 'none' {
  let statements = statementsByFields.get(fields);
  if (!statements) {
    statements = new Map();
    statementsByFields.set(fields, statements);
  }
  const { isFirst, ordering = '', isPersonal, hasSource, hasCategory, hasNewest } = shape;
  const key = `${isFirst} ${ordering} ${isPersonal} ${hasSource} ${hasCategory} ${hasNewest}`;
  let statement = statements.get(key);
  if (!statement) {
    statement = compilePage(fields, shape);
    statements.set(key, statement);
  }
  return statement;
}

function compilePage(fields: readonly JsonField[], shape: PageShape): PageStatement | 'none' {
  const { isFirst, ordering, isPersonal, hasSource, hasCategory, hasNewest } = shape;
  const listFor = (account: number, origin: string): RawBuilder<unknown> | undefined =>
    listedArticle.json?.(fields, { account: isPersonal ? account : undefined, origin });
  if (listFor(0, '') === undefined) return 'none';
  return compiledStatement<PageValues, JsonItems>(
    ['now', 'source', 'category', 'newest', 'account', 'origin', 'limit', 'offset'],
    ({ now, source, category, newest, account, origin, limit, offset }) => {
      const clock = { now: () => ({ toISOString: () => now }) };
      const filter = {
        orderBy: ordering === undefined ? undefined : [ordering],
        ...(hasSource ? { source } : {}),
        ...(hasCategory ? { category } : {}),
        ...(hasNewest ? { newest } : {}),
      };
      const list = listFor(account, origin) as RawBuilder<unknown>;
      return nearPageAsJson(listQuery(clock, filter, null), list, { limit, offset }, isFirst);
    },
  );
}

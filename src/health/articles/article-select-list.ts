import type { RawBuilder } from 'kysely';
import { Article } from '../../../schema/health/article.ts';
import type { Actor } from '../../auth/actor.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { type JsonField, jsonArray } from '../../db/json-columns.ts';
import type { Selection } from '../../db/selection.ts';

const categoryColumns = { databaseId: 'id', slug: 'slug', name: 'name', description: 'description' };
const sqlOfCategory = Object.fromEntries(
  Object.entries({ ...categoryColumns, id: 'id' }).map(([name, column]) => [name, `c.${column}`]),
);
/** Fields of a category that are made of its key. */
const keyedCategoryFields = ['databaseId', 'id', 'articles'];

/**
 * A subquery, not a DataLoader: one more statement cost a third of the CPU time of the page. Only the selected fields:
 * descriptions were a fifth of the bytes sent by PostgreSQL.
 */
function categoriesColumn(wanted: Selection): string {
  const isKeyed = keyedCategoryFields.some(name => wanted.has(name));
  const pairs = Object.entries(categoryColumns)
    .filter(([name]) => wanted.has(name) || (name === 'databaseId' && isKeyed))
    .map(([name, column]) => `'${name}', c.${column}`);
  return `(select coalesce(json_agg(json_build_object(${pairs.join(', ')}) order by c.name, c.id), '[]') ${categoriesOfArticle})`;
}

const categoriesOfArticle =
  'from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id';

function categoriesAsJson(fields: readonly JsonField[]): string | undefined {
  return jsonArray(fields, sqlOfCategory, `${categoriesOfArticle} order by c.name, c.id`);
}

interface Caller {
  actor: Actor;
}

/** The select list of articles, for a caller and what that caller selects. */
export interface ArticleSelectList {
  (wanted: Selection, caller: Caller): RawBuilder<unknown>;
  /** See `SelectList.json`. `account`: see `accountOf`. */
  json?(fields: readonly JsonField[], account: number | undefined): RawBuilder<unknown> | undefined;
}

/** `more`: what these rows carry beside the article. Likes and bookmarks are looked up for callers with an account alone. */
export function articleSelectList(more: Readonly<Record<string, string>> = {}): ArticleSelectList {
  const shared = {
    viewCount: 'coalesce((select v.views from article_view v where v.article_id = a.id), 0)',
    categories: { below: categoriesColumn, json: categoriesAsJson },
    ...more,
  };
  const anonymous = columnsOf(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: { ...shared, isLiked: 'false', isBookmarked: 'false' },
  });
  const personal = columnsOf(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: {
      ...shared,
      isLiked: marked('article_like'),
      isBookmarked: marked('article_bookmark'),
    },
  });
  return Object.assign(
    (wanted: Selection, { actor }: Caller) => {
      const account = accountOf(actor);
      return account === undefined ? anonymous(wanted) : personal(wanted, account);
    },
    {
      json(fields: readonly JsonField[], account: number | undefined) {
        return account === undefined ? anonymous.json(fields) : personal.json(fields, account);
      },
    },
  );
}

/** The user whose likes and bookmarks are looked up. */
export const accountOf = (actor: Actor): number | undefined =>
  actor.kind === 'person' && !actor.isGuest ? actor.userId : undefined;

/** Whether the caller has a row of the article in a table of likes or bookmarks. */
function marked(table: string) {
  return {
    before: `exists (select from ${table} m where m.user_id = `,
    parameter: (userId: number) => userId,
    after: '::bigint and m.article_id = a.id)',
  };
}

export const listedArticle = articleSelectList();

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
  origin: string;
}

/** What a list of articles needs of its caller. */
interface ListReader {
  /** The user whose likes and bookmarks are looked up: see `accountOf`. */
  account: number | undefined;
  /** Of the request. A placeholder of a compiled statement may stand for it. */
  origin: string;
}

/** Pictures that this installation draws are stored as paths: its address is that of the request, not that of the import. */
const imageUrl = {
  before: `case when a.image_url like '/%' then `,
  parameter: ({ origin }: ListReader) => origin,
  after: '::text || a.image_url else a.image_url end',
};

/** An article without a publisher's page has its own address as the source. */
const sourceUrl = {
  before: 'coalesce(a.source_url, ',
  parameter: ({ origin }: ListReader) => origin,
  after: `::text || '/api/v1/articles/' || a.id || '/')`,
};

/** The select list of articles, for a caller and what that caller selects. */
export interface ArticleSelectList {
  (wanted: Selection, caller: Caller): RawBuilder<unknown>;
  /** See `SelectList.json`. */
  json?(fields: readonly JsonField[], reader: ListReader): RawBuilder<unknown> | undefined;
}

/** `more`: what these rows carry beside the article. Likes and bookmarks are looked up for callers with an account alone. */
export function articleSelectList(more: Readonly<Record<string, string>> = {}): ArticleSelectList {
  const shared = {
    viewCount: 'coalesce((select v.views from article_view v where v.article_id = a.id), 0)',
    categories: { below: categoriesColumn, json: categoriesAsJson },
    imageUrl,
    sourceUrl,
    ...more,
  };
  const anonymous = columnsOf<Article, ListReader>(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: { ...shared, isLiked: 'false', isBookmarked: 'false' },
  });
  const personal = columnsOf<Article, ListReader>(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: {
      ...shared,
      isLiked: marked('article_like'),
      isBookmarked: marked('article_bookmark'),
    },
  });
  return Object.assign(
    (wanted: Selection, caller: Caller) => {
      const reader = readerOf(caller);
      return (reader.account === undefined ? anonymous : personal)(wanted, reader);
    },
    {
      json(fields: readonly JsonField[], reader: ListReader) {
        return (reader.account === undefined ? anonymous : personal).json(fields, reader);
      },
    },
  );
}

/** The user whose likes and bookmarks are looked up. */
const accountOf = (actor: Actor): number | undefined =>
  actor.kind === 'person' && !actor.isGuest ? actor.userId : undefined;

/** What a list needs of its caller. */
export const readerOf = ({ actor, origin }: Caller): ListReader => ({ account: accountOf(actor), origin });

/** Whether the caller has a row of the article in a table of likes or bookmarks. */
function marked(table: string) {
  return {
    before: `exists (select from ${table} m where m.user_id = `,
    parameter: ({ account }: ListReader) => account,
    after: '::bigint and m.article_id = a.id)',
  };
}

export const listedArticle = articleSelectList();

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageSource } from '../../../schema/vocabulary/page.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { personOf } from '../accounts/person.ts';
import { visible } from '../articles/articles.queries.ts';
import { containing, searchTerms } from '../articles/search-terms.ts';
import { type Orderings, orderBy } from '../lists/ordering.ts';

/** A comment as a query brings it: its id, and of the rest what was selected. */
export interface CommentRow {
  id: number;
  articleId: number;
  author: { id: number; fullName: string; profilePicture: string | null };
  authorName: string;
  text: string;
  parentId: number | null;
  repliesCount: number;
  createdAt: string;
  isMine: boolean;
  isDeleted: boolean;
}

export interface CommentFilter {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

type Asker = Pick<Context, 'actor' | 'origin'>;

const fullName = `case when u.deleted_at is null then trim(u.first_name || ' ' || u.last_name) else 'Deleted user' end`;

const columns: Record<Exclude<keyof CommentRow, 'id'>, (asker: Asker) => RawBuilder<unknown>> = {
  articleId: () => sql`c.article_id`,
  author: ({ origin }) => sql`json_build_object('id', u.id, 'fullName', ${sql.raw(fullName)}, 'profilePicture',
    case when u.deleted_at is null then ${`${origin}/media/`}::text || u.picture end)`,
  authorName: () => sql.raw(fullName),
  text: () => sql`c.text`,
  parentId: () => sql`c.parent_id`,
  repliesCount: () => sql`c.replies_count`,
  createdAt: () => sql`c.created_at`,
  isMine: ({ actor }) => sql`c.user_id = ${personOf(actor).userId}`,
  isDeleted: () => sql`c.deleted_at is not null`,
};

function columnsFor(asker: Asker, wanted: Selection): RawBuilder<unknown> {
  const named = Object.entries(columns).flatMap(([name, column]) =>
    wanted.has(name) ? [sql`${column(asker)} as ${sql.ref(name)}`] : [],
  );
  return sql.join([sql`c.id`, ...named]);
}

/**
 * Which comments somebody gets to see, on `article_comment c`: the one place that decides it for lists and for single
 * comments. Those that are deleted stay in sight, without their text, while they have replies.
 */
const shown: RawBuilder<unknown> = sql.raw('(c.deleted_at is null or c.replies_count > 0)');

const orderings: Orderings = {
  names: { created_at: 'c.created_at', id: 'c.id' },
  key: 'c.id',
  byDefault: 'created_at',
};

const from = sql.raw('article_comment c join users u on u.id = c.user_id');

/** The comments of an article, oldest first, or null when there is no such article to see. */
export async function commentsOf(
  context: Context,
  articleId: number,
  filter: CommentFilter,
): Promise<PageSource<CommentRow> | null> {
  const found = await context.read(sql`select from article a where a.id = ${articleId} and ${visible(context)}`);
  if (found.length === 0) return null;
  const terms = searchTerms(filter.search ?? '').map(term => sql`lower(c.text) like lower(${containing(term)})`);
  const where = sql.join([sql`c.article_id = ${articleId}`, shown, ...terms], sql` and `);
  return {
    rows: ({ limit, offset, wanted }) =>
      context.read(sql<CommentRow>`select ${columnsFor(context, wanted)} from ${from} where ${where}
        order by ${orderBy(filter.ordering, orderings)} limit ${limit} offset ${offset}`),
    async total() {
      const [counted] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from article_comment c where ${where}`,
      );
      return counted?.total ?? 0;
    },
  };
}

/** One comment, for whoever has just written it. */
export async function commentById(
  db: Kysely<unknown>,
  asker: Asker,
  id: number,
  wanted: Selection,
): Promise<CommentRow> {
  const { rows } = await sql<CommentRow>`select ${columnsFor(asker, wanted)} from ${from} where c.id = ${id}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error(`The comment ${id} that was just written is not there.`);
  return row;
}

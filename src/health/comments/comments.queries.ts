import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageSource } from '../../../schema/vocabulary/page.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { notBlockedBetween } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { buildSelectList, type SelectColumns } from '../lists/select-list.ts';
import { tablePage } from '../lists/table-page.ts';
import { fullName, miniUser } from '../people/mini-user.ts';

/** Selected columns of a comment; `id` is always present. */
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

type Viewer = Pick<Context, 'actor' | 'origin'>;

const columns = ({ actor, origin }: Viewer): SelectColumns => ({
  id: sql`c.id`,
  articleId: sql`c.article_id`,
  author: miniUser('u', origin),
  authorName: fullName('u'),
  text: sql`c.text`,
  parentId: sql`c.parent_id`,
  repliesCount: sql`c.replies_count`,
  createdAt: sql`c.created_at`,
  isMine: sql`c.user_id = ${requirePerson(actor).userId}`,
  isDeleted: sql`c.deleted_at is not null`,
});

const commentSelectList = (viewer: Viewer, wanted: Selection): RawBuilder<unknown> =>
  buildSelectList(columns(viewer), wanted, ['id']);

/**
 * Condition on `article_comment c`: visible to the viewer. Deleted comments stay visible, without text, while they have
 * replies; comments of users in a block with the viewer are hidden.
 */
const isShown = ({ actor }: Viewer): RawBuilder<unknown> =>
  sql`(c.deleted_at is null or c.replies_count > 0) and ${notBlockedBetween(requirePerson(actor).userId, 'c.user_id')}`;

export const commentOrdering: OrderingOptions = {
  names: { created_at: 'c.created_at', id: 'c.id' },
  key: 'c.id',
  byDefault: 'created_at',
};

const commentSource = sql.raw('article_comment c join users u on u.id = c.user_id');

/** Comments of an article, the oldest first, or null when the article is not visible. */
export async function commentsOf(
  context: Context,
  articleId: number,
  filter: ListFilter,
): Promise<PageSource<CommentRow> | null> {
  const found = await context.read(sql`select from article a where a.id = ${articleId} and ${isVisible(context)}`);
  if (found.length === 0) return null;
  return tablePage(context.read, {
    select: wanted => commentSelectList(context, wanted),
    from: sql`article_comment c`,
    readFrom: () => commentSource,
    where: [sql`c.article_id = ${articleId}`, isShown(context), ...containsTerms(sql`c.text`, filter.search)],
    order: orderBy(filter.ordering, commentOrdering),
  });
}

/** One comment, returned to its author after writing it. */
export async function commentById(
  db: Kysely<unknown>,
  viewer: Viewer,
  id: number,
  wanted: Selection,
): Promise<CommentRow> {
  const { rows } =
    await sql<CommentRow>`select ${commentSelectList(viewer, wanted)} from ${commentSource} where c.id = ${id}`.execute(
      db,
    );
  const [row] = rows;
  if (!row) throw new Error(`The comment ${id} was not inserted.`);
  return row;
}

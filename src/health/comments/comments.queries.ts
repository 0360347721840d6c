import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ArticleComment } from '../../../schema/health/comment.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { notBlockedBetween } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { fullName, personCard } from '../people/person-card.ts';

/** Selected columns of a comment; `id` is always present. */
export type CommentRow = Omit<ArticleComment, 'userId' | 'deletedAt'>;

type Viewer = Pick<Context, 'actor' | 'origin'>;

/** Of `article_comment c join users u`, the author. */
const commentSelectList = columnsOf(ArticleComment, 'c', {
  always: ['id'],
  computed: {
    author: ({ origin }: Viewer) => personCard('u', origin),
    authorName: () => fullName('u'),
    isMine: ({ actor }: Viewer) => sql`c.user_id = ${requirePerson(actor).userId}`,
    isDeleted: 'c.deleted_at is not null',
  },
});

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
): Promise<ListSource<CommentRow> | null> {
  const found = await context.read(sql`select from article a where a.id = ${articleId} and ${isVisible(context)}`);
  if (found.length === 0) return null;
  return tablePage(context.read, {
    select: wanted => commentSelectList(wanted, context),
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
    await sql<CommentRow>`select ${commentSelectList(wanted, viewer)} from ${commentSource} where c.id = ${id}`.execute(
      db,
    );
  const [row] = rows;
  if (!row) throw new Error(`The comment ${id} was not inserted.`);
  return row;
}

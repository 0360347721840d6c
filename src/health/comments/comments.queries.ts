import { type RawBuilder, sql } from 'kysely';
import { ArticleComment } from '../../../schema/health/comment.ts';
import type { Context } from '../../context/context.ts';
import { batchedList, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { differInAge, knows, notBlockedBetween } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { anchorOfTime, readWindow, storedUntil } from '../lists/list-window.ts';
import { type OrderingOptions, orderBy, requestedOrdering } from '../lists/ordering.ts';
import { blockedCard, nameWhere, personCard } from '../people/person-card.ts';

/** Selected columns of a comment; `databaseId` is always present. */
export type CommentRow = Omit<ArticleComment, 'id' | 'userId' | 'articleId' | 'parentId' | 'deletedAt'> & {
  databaseId: number;
  /** Number of the article, where the field is selected. */
  article?: number;
  /** Number of the comment that this one replies to, where the field is selected. */
  parent?: number | null;
};

export interface CommentFilter extends ListFilter {
  /** Only replies, or only top-level comments. */
  isReply?: boolean | null | undefined;
  /** Anchor of an earlier page. */
  asOf?: string | null | undefined;
}

type Viewer = Pick<Context, 'actor' | 'origin'>;

/**
 * Condition: the author `u` of a comment is named to the viewer. Comments are public, and adults sign them. All others are named to people of
 * their own age group alone.
 */
const isNamed = (viewer: number): RawBuilder<boolean> =>
  sql`(u.age_group is not distinct from 'adult' or not ${differInAge(viewer, 'u.id')})`;

const authorName = (viewer: number): RawBuilder<string> => nameWhere(knows(viewer, 'u.id'), 'u');

/** Of `article_comment c join users u`, the author. */
export const commentSelectList = columnsOf(ArticleComment, 'c', {
  always: ['databaseId'],
  computed: {
    article: 'c.article_id',
    parent: 'c.parent_id',
    articleDatabaseId: 'c.article_id',
    parentDatabaseId: 'c.parent_id',
    author: ({ actor, origin }: Viewer) => {
      const { userId } = requirePerson(actor);
      return sql`case when ${isNamed(userId)} then ${personCard('u', origin, authorName(userId))} else ${blockedCard} end`;
    },
    authorName: ({ actor }: Viewer) => {
      const { userId } = requirePerson(actor);
      return sql`case when ${isNamed(userId)} then ${authorName(userId)} else 'Blocked user' end`;
    },
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

const commentOrdering: OrderingOptions = {
  names: { created_at: 'c.created_at', id: 'c.id' },
  key: 'c.id',
  byDefault: 'created_at',
};

const commentSource = sql.raw('article_comment c join users u on u.id = c.user_id');

const unjoined = sql.raw('article_comment c');
const chosenById = { key: sql.ref('c.id'), within: () => [] };

/** Pages of the comments of an article; one statement for all articles of a list. The article must be visible. */
export function commentsOf(context: Context, articleId: number, filter: CommentFilter): ListSource<CommentRow> {
  const { search, isReply, asOf } = filter;
  const ordering = requestedOrdering(filter);
  const window = readWindow(context.now, asOf);
  const conditions = [
    ...storedUntil(window, 'c.created_at'),
    ...repliesAre(isReply),
    ...containsTerms(sql`c.text`, search),
  ];
  const comments = batchedTable<number, CommentRow>(context.read, {
    keyType: 'bigint',
    select: wanted => commentSelectList(wanted, context),
    from: unjoined,
    readFrom: commentSource,
    where: key => [sql`c.article_id = ${key}`, isShown(context), ...conditions],
    order: orderBy(ordering, commentOrdering),
    deep: chosenById,
  });
  const list = batchedList(context, 'Article.comments', { search, ordering, isReply, asOf }, articleId, comments);
  return { ...list, asOf: () => anchorOfTime(context.now, window) };
}

function repliesAre(isReply: boolean | null | undefined): RawBuilder<unknown>[] {
  if (isReply === null || isReply === undefined) return [];
  return [isReply ? sql`c.parent_id is not null` : sql`c.parent_id is null`];
}

/** Pages of the replies to a comment, the oldest first; one statement for all comments of a list. */
export function repliesTo(context: Context, commentId: number): ListSource<CommentRow> {
  const replies = batchedTable<number, CommentRow>(context.read, {
    keyType: 'bigint',
    select: wanted => commentSelectList(wanted, context),
    from: unjoined,
    readFrom: commentSource,
    where: key => [sql`c.parent_id = ${key}`, isShown(context)],
    order: orderBy(null, commentOrdering),
    deep: chosenById,
  });
  return batchedList(context, 'ArticleComment.replies', {}, commentId, replies);
}

/** DataLoader batch: the selected fields of comments; null for each that the caller does not see. */
export async function commentsByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(CommentRow | null)[]> {
  const found = await context.read(sql<CommentRow>`select ${commentSelectList(wanted, context)} from ${commentSource}
    join article a on a.id = c.article_id
    where c.id = any(${[...ids]}::bigint[]) and ${isShown(context)} and ${isVisible(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

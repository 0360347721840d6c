import { sql } from 'kysely';
import type {
  CommentRecord,
  MarkedArticleRecord,
  RecommendationRecord,
} from '../../../schema/health/activity-records.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';

/** Stored activity of a user, the newest first. Includes withdrawn articles. */
export interface ArticleActivity {
  likes: MarkedArticleRecord[];
  bookmarks: MarkedArticleRecord[];
  comments: CommentRecord[];
  recommendations: RecommendationRecord[];
}

export async function exportArticleActivity({ read }: Pick<Context, 'read'>, userId: number): Promise<ArticleActivity> {
  const marked = (mark: 'like' | 'bookmark') =>
    read(sql<Omit<MarkedArticleRecord, 'articleId'>>`
      select a.id as "articleDatabaseId", a.headline, m.created_at as "markedAt",
        ${mark === 'bookmark' ? sql`m.correction_seen_at` : sql`null`} as "correctionSeenAt"
      from ${sql.table(`article_${mark}`)} m join article a on a.id = m.article_id
      where m.user_id = ${userId} order by m.created_at desc, a.id desc`);
  const [likes, bookmarks, comments, recommendations] = await Promise.all([
    marked('like'),
    marked('bookmark'),
    read(sql<Omit<CommentRecord, 'articleId' | 'commentId'>>`
      select id as "databaseId", article_id as "articleDatabaseId", text, created_at as "createdAt"
      from article_comment where user_id = ${userId} and deleted_at is null order by id desc`),
    read(sql<Omit<RecommendationRecord, 'articleId'>>`
      select article_id as "articleDatabaseId", score, reason, status, created_at as "recommendedAt", seen_at as "seenAt"
      from article_recommendation where user_id = ${userId} order by created_at desc, id desc`),
  ]);
  return {
    likes: likes.map(withArticleId),
    bookmarks: bookmarks.map(withArticleId),
    comments: comments.map(row => ({
      ...withArticleId(row),
      commentId: encodeGlobalId('ArticleComment', row.databaseId),
    })),
    recommendations: recommendations.map(withArticleId),
  };
}

const withArticleId = <Row extends { articleDatabaseId: number }>(row: Row): Row & { articleId: string } => ({
  ...row,
  articleId: encodeGlobalId('Article', row.articleDatabaseId),
});

import { sql } from 'kysely';
import type { MarkedArticle } from '../../../schema/health/article-activity.ts';
import type { OwnComment } from '../../../schema/health/comment.ts';
import type { RecommendationRecord } from '../../../schema/health/recommendation.ts';
import type { Context } from '../../context/context.ts';

/** Stored activity of a user, the newest first. Includes withdrawn articles. */
export interface ArticleActivity {
  likes: MarkedArticle[];
  bookmarks: MarkedArticle[];
  comments: OwnComment[];
  recommendations: RecommendationRecord[];
}

export async function exportArticleActivity({ read }: Pick<Context, 'read'>, userId: number): Promise<ArticleActivity> {
  const marked = (mark: 'like' | 'bookmark'): Promise<MarkedArticle[]> =>
    read(sql<MarkedArticle>`select a.id as "articleId", a.headline, m.created_at as at
      from ${sql.table(`article_${mark}`)} m join article a on a.id = m.article_id
      where m.user_id = ${userId} order by m.created_at desc, a.id desc`);
  const [likes, bookmarks, comments, recommendations] = await Promise.all([
    marked('like'),
    marked('bookmark'),
    read(sql<ArticleActivity['comments'][number]>`
      select id, article_id as "articleId", text, created_at as "createdAt"
      from article_comment where user_id = ${userId} and deleted_at is null order by id desc`),
    read(sql<ArticleActivity['recommendations'][number]>`
      select article_id as "articleId", score, reason, status, created_at as "recommendedAt", seen_at as "seenAt"
      from article_recommendation where user_id = ${userId} order by created_at desc, id desc`),
  ]);
  return { likes, bookmarks, comments, recommendations };
}

import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';

interface MarkedArticleRow {
  articleId: number;
  headline: string;
  at: string;
}

/** Stored activity of a user, the newest first. Includes withdrawn articles. */
export interface ArticleActivity {
  likes: MarkedArticleRow[];
  bookmarks: MarkedArticleRow[];
  comments: { id: number; articleId: number; text: string; createdAt: string }[];
  recommendations: {
    articleId: number;
    score: number;
    reason: string;
    status: string;
    recommendedAt: string;
    seenAt: string | null;
  }[];
}

export async function exportArticleActivity({ read }: Pick<Context, 'read'>, userId: number): Promise<ArticleActivity> {
  const marked = (mark: 'like' | 'bookmark'): Promise<MarkedArticleRow[]> =>
    read(sql<MarkedArticleRow>`select a.id as "articleId", a.headline, m.created_at as at
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

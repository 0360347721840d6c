import { Article, ArticleCategory } from './article.ts';
import { ArticleBookmark, ArticleLike, ArticleView } from './article-activity.ts';
import { AuditEvent } from './audit-event.ts';
import { Category } from './category.ts';
import { Comment } from './comment.ts';
import { CompanionMessage } from './companion.ts';
import { Media } from './media.ts';
import { ArticleRecommendation } from './recommendation.ts';
import { PasswordReset, RefreshToken, Session } from './session.ts';
import { Registration, User } from './user.ts';

/** Every table of the health product. */
export const healthEntities = [
  Article,
  ArticleBookmark,
  ArticleCategory,
  ArticleLike,
  ArticleRecommendation,
  ArticleView,
  AuditEvent,
  Category,
  Comment,
  CompanionMessage,
  Media,
  PasswordReset,
  RefreshToken,
  Registration,
  Session,
  User,
];

import { Ad, AdClick, AdTally } from './ad.ts';
import { Article, ArticleCategory } from './article.ts';
import { Assessment } from './assessment.ts';
import { AuditEvent } from './audit-event.ts';
import { Category } from './category.ts';
import { Media } from './media.ts';
import { PasswordReset, RefreshToken, Session } from './session.ts';
import { Registration, User } from './user.ts';

/** Every table of the health product. */
export const healthEntities = [
  Ad,
  AdClick,
  AdTally,
  Article,
  ArticleCategory,
  Assessment,
  AuditEvent,
  Category,
  Media,
  PasswordReset,
  RefreshToken,
  Registration,
  Session,
  User,
];

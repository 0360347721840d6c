import { Article, ArticleCategory } from './article.ts';
import { AuditEvent } from './audit-event.ts';
import { Category } from './category.ts';
import { HealthGoal } from './health-goal.ts';
import { Media } from './media.ts';
import { PasswordReset, RefreshToken, Session } from './session.ts';
import { SymptomLog } from './symptom-log.ts';
import { Registration, User } from './user.ts';
import { VitalReading } from './vital-reading.ts';

/** Every table of the health product. */
export const healthEntities = [
  Article,
  ArticleCategory,
  AuditEvent,
  Category,
  HealthGoal,
  Media,
  PasswordReset,
  RefreshToken,
  Registration,
  Session,
  SymptomLog,
  User,
  VitalReading,
];

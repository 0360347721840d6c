import { Ad, AdClick, AdTally } from './ad.ts';
import { Article, ArticleCategory } from './article.ts';
import { ArticleBookmark, ArticleLike, ArticleView } from './article-activity.ts';
import { ArticleRevision } from './article-revision.ts';
import { Assessment } from './assessment.ts';
import { AuditEvent } from './audit-event.ts';
import { Category } from './category.ts';
import { ChatGroup, ChatMessage, PrivateChat } from './chat.ts';
import { ChatBan, ChatMembership, PrivateChatReader } from './chat-membership.ts';
import { ArticleComment } from './comment.ts';
import { CommunityGroup, CommunityMembership } from './community-group.ts';
import { CompanionMessage } from './companion.ts';
import { Consent } from './consent.ts';
import { HeldAge, RefusedContact } from './contact-protection.ts';
import { DataAccess } from './data-access.ts';
import { GroupEntry } from './group-entry.ts';
import { HealthGoal } from './health-goal.ts';
import { HealthProfile } from './health-profile.ts';
import { Media } from './media.ts';
import { ModerationEvent } from './moderation-event.ts';
import { PeerLink } from './peer-link.ts';
import { Person, Registration, UsedActivationLink } from './person.ts';
import { Recommendation } from './recommendation.ts';
import { Report } from './report.ts';
import { PasswordReset, RefreshToken, Session } from './session.ts';
import { SymptomLog } from './symptom-log.ts';
import { VitalReading } from './vital-reading.ts';

/** All entity classes of the health product. */
export const healthEntities = [
  Ad,
  AdClick,
  AdTally,
  Article,
  ArticleBookmark,
  ArticleCategory,
  ArticleLike,
  ArticleRevision,
  Recommendation,
  ArticleView,
  Assessment,
  AuditEvent,
  Category,
  ArticleComment,
  HealthGoal,
  ChatBan,
  ChatGroup,
  ChatMembership,
  ChatMessage,
  CommunityGroup,
  CommunityMembership,
  GroupEntry,
  HealthProfile,
  CompanionMessage,
  Consent,
  DataAccess,
  HeldAge,
  Media,
  ModerationEvent,
  PasswordReset,
  PeerLink,
  PrivateChat,
  PrivateChatReader,
  RefreshToken,
  Registration,
  UsedActivationLink,
  RefusedContact,
  Report,
  Session,
  SymptomLog,
  Person,
  VitalReading,
];

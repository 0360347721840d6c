import { Article, ArticleCategory } from './article.ts';
import { AuditEvent } from './audit-event.ts';
import { Category } from './category.ts';
import { ChatBan, ChatGroup, ChatMembership, ChatMessage, PrivateChat, PrivateChatReader } from './chat.ts';
import { CommunityGroup, CommunityMembership } from './community-group.ts';
import { HealthProfile } from './health-profile.ts';
import { Media } from './media.ts';
import { PeerConnection } from './peer-connection.ts';
import { PasswordReset, RefreshToken, Session } from './session.ts';
import { Registration, User } from './user.ts';

/** Every table of the health product. */
export const healthEntities = [
  Article,
  ArticleCategory,
  AuditEvent,
  Category,
  ChatBan,
  ChatGroup,
  ChatMembership,
  ChatMessage,
  CommunityGroup,
  CommunityMembership,
  HealthProfile,
  Media,
  PasswordReset,
  PeerConnection,
  PrivateChat,
  PrivateChatReader,
  RefreshToken,
  Registration,
  Session,
  User,
];

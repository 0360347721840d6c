import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { MarkedArticle } from './article-activity.ts';
import { AuditEvent } from './audit-event.ts';
import { OwnComment } from './comment.ts';
import { CompanionMessage } from './companion.ts';
import { RecommendationRecord } from './recommendation.ts';
import { User } from './user.ts';

@ObjectType({ description: 'A session: somewhere the account is or was in use.', simpleResolvers: true })
export class SessionRecord {
  @Computed(() => Instant, 'When it was opened.')
  createdAt!: string;

  @Computed(() => Instant, 'When it was last renewed.')
  lastUsedAt!: string;

  @Computed(() => Instant, 'When it was ended; null while it is open.', { null: true })
  endedAt!: string | null;
}

@ObjectType({ description: 'Everything that is stored about the caller.', simpleResolvers: true })
export class MyData {
  @Computed(() => Instant, 'When this was put together.')
  generatedAt!: string;

  @Computed(() => User, 'The profile.')
  profile!: User;

  @Computed(() => [SessionRecord], 'Sessions, the newest first.')
  sessions!: SessionRecord[];

  @Computed(() => [AuditEvent], 'What happened to the credentials, the newest first.')
  events!: AuditEvent[];

  @Computed(() => [MarkedArticle], 'Articles the caller likes, the newest like first.')
  likes!: MarkedArticle[];

  @Computed(() => [MarkedArticle], 'Articles the caller keeps, the newest bookmark first.')
  bookmarks!: MarkedArticle[];

  @Computed(() => [OwnComment], 'Comments, the newest first; deleted ones are not stored.')
  comments!: OwnComment[];

  @Computed(() => [RecommendationRecord], 'What was recommended, the newest first.')
  recommendations!: RecommendationRecord[];

  @Computed(() => [CompanionMessage], 'Conversations with the companion, the oldest turn first.')
  companionMessages!: CompanionMessage[];
}

import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime, UuidText } from '../vocabulary/scalars.ts';
import { AdClickRecord } from './ad.ts';
import { MarkedArticle } from './article-activity.ts';
import { Assessment } from './assessment.ts';
import { AuditEvent } from './audit-event.ts';
import { OwnComment } from './comment.ts';
import { CompanionMessage } from './companion.ts';
import { HealthGoal } from './health-goal.ts';
import { Person } from './person.ts';
import { RecommendationRecord } from './recommendation.ts';
import { SymptomLog } from './symptom-log.ts';
import { VitalReading } from './vital-reading.ts';

@ObjectType({ description: 'Session of the account.', simpleResolvers: true })
export class SessionRecord {
  @Computed(() => DateTime, 'Time of the login.')
  createdAt!: string;

  @Computed(() => DateTime, 'Time of the last renewal.')
  lastUsedAt!: string;

  @Computed(() => DateTime, 'Time of the end; null for an open session.', { null: true })
  endedAt!: string | null;
}

@ObjectType({ description: 'Community group of the caller.', simpleResolvers: true })
export class CommunityGroupRecord {
  @Computed(() => String, 'Name of the group.')
  name!: string;

  @Computed(() => DateTime, 'Time of joining.')
  joinedAt!: string;
}

@ObjectType({ description: 'Chat group of the caller.', simpleResolvers: true })
export class ChatGroupRecord extends CommunityGroupRecord {
  @Computed(() => Boolean, 'Whether the caller is an admin of the group.')
  isAdmin!: boolean;
}

@ObjectType({
  description: 'Connection of the caller, without decisions that others made about the caller.',
  simpleResolvers: true,
})
export class ConnectionRecord {
  @Computed(() => String, 'Direction: `outgoing` when the caller sent the request, `incoming` otherwise.')
  direction!: string;

  @Computed(() => String, 'Status of the connection.')
  status!: string;

  @Computed(() => String, 'Text that the caller sent with the request.')
  matchReason!: string;

  @Computed(() => DateTime, 'Time of the request.')
  createdAt!: string;

  @Computed(() => DateTime, 'Time of the answer; null for none.', { null: true })
  respondedAt!: string | null;
}

@ObjectType({ description: 'Message of the caller.', simpleResolvers: true })
export class MessageRecord {
  @Computed(() => UuidText, 'Identifier of the private chat; null for a message of a group.', { null: true })
  chatId!: string | null;

  @Computed(() => UuidText, 'Identifier of the chat group; null for a message of a private chat.', { null: true })
  groupId!: string | null;

  @Computed(() => String, 'Text; empty for a deleted message.')
  content!: string;

  @Computed(() => DateTime, 'Time of sending.')
  sentAt!: string;

  @Computed(() => DateTime, 'Time of deletion; null for a message that is not deleted.', { null: true })
  deletedAt!: string | null;
}

@ObjectType({ description: 'Community data of the caller.', simpleResolvers: true })
export class CommunityRecord {
  @Computed(() => [CommunityGroupRecord], 'Community groups, last joined first.')
  communityGroups!: CommunityGroupRecord[];

  @Computed(() => [ChatGroupRecord], 'Chat groups, last joined first.')
  chatGroups!: ChatGroupRecord[];

  @Computed(() => [ConnectionRecord], 'Connections, newest first.')
  connections!: ConnectionRecord[];

  @Computed(() => [MessageRecord], 'Messages of the caller, newest first.')
  messages!: MessageRecord[];

  @Computed(() => [String], 'Terms by which the caller is matched with others.')
  matchingTerms!: string[];
}

@ObjectType({ description: 'Export of all data stored about the caller.', simpleResolvers: true })
export class MyData {
  @Computed(() => DateTime, 'Time of the export.')
  generatedAt!: string;

  @Computed(() => Person, 'Profile.')
  profile!: Person;

  @Computed(() => [SessionRecord], 'Sessions, newest first.')
  sessions!: SessionRecord[];

  @Computed(() => [AuditEvent], 'Events of the credentials, newest first.')
  events!: AuditEvent[];

  @Computed(() => [MarkedArticle], 'Liked articles, newest like first.')
  likes!: MarkedArticle[];

  @Computed(() => [MarkedArticle], 'Bookmarked articles, newest bookmark first.')
  bookmarks!: MarkedArticle[];

  @Computed(() => [OwnComment], 'Comments, newest first; deleted ones are not stored.')
  comments!: OwnComment[];

  @Computed(() => [RecommendationRecord], 'Recommendations, newest first.')
  recommendations!: RecommendationRecord[];

  @Computed(() => [HealthGoal], 'Goals including deleted ones, newest first.')
  goals!: HealthGoal[];

  @Computed(() => [SymptomLog], 'Logged symptoms, newest first.')
  symptomLogs!: SymptomLog[];

  @Computed(() => [VitalReading], 'Readings, newest first.')
  vitalReadings!: VitalReading[];

  @Computed(() => [AdClickRecord], 'Clicked ads, latest click first.')
  adClicks!: AdClickRecord[];

  @Computed(() => [Assessment], 'Assessments, newest first.')
  assessments!: Assessment[];

  @Computed(() => CommunityRecord, 'Groups, connections and messages.')
  community!: CommunityRecord;

  @Computed(() => [CompanionMessage], 'Turns of conversations with the companion, oldest first.')
  companionMessages!: CompanionMessage[];
}

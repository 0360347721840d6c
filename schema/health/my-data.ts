import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant, UuidText } from '../vocabulary/scalars.ts';
import { AdClickRecord } from './ad.ts';
import { MarkedArticle } from './article-activity.ts';
import { Assessment } from './assessment.ts';
import { AuditEvent } from './audit-event.ts';
import { OwnComment } from './comment.ts';
import { CompanionMessage } from './companion.ts';
import { HealthGoal } from './health-goal.ts';
import { RecommendationRecord } from './recommendation.ts';
import { SymptomLog } from './symptom-log.ts';
import { User } from './user.ts';
import { VitalReading } from './vital-reading.ts';

@ObjectType({ description: 'A session: somewhere the account is or was in use.', simpleResolvers: true })
export class SessionRecord {
  @Computed(() => Instant, 'When it was opened.')
  createdAt!: string;

  @Computed(() => Instant, 'When it was last renewed.')
  lastUsedAt!: string;

  @Computed(() => Instant, 'When it was ended; null while it is open.', { null: true })
  endedAt!: string | null;
}

@ObjectType({ description: 'A community group the caller is in.', simpleResolvers: true })
export class CommunityGroupRecord {
  @Computed(() => String, 'Its name.')
  name!: string;

  @Computed(() => Instant, 'When the caller joined it.')
  joinedAt!: string;
}

@ObjectType({ description: 'A chat group the caller is in.', simpleResolvers: true })
export class ChatGroupRecord extends CommunityGroupRecord {
  @Computed(() => Boolean, 'Whether the caller is an admin of it.')
  isAdmin!: boolean;
}

@ObjectType({
  description: 'A connection of the caller. What others decided about the caller is theirs and left out.',
  simpleResolvers: true,
})
export class ConnectionRecord {
  @Computed(() => String, '`outgoing`: the caller asked; `incoming`: the other did.')
  direction!: string;

  @Computed(() => String, 'How the two stand to each other.')
  status!: string;

  @Computed(() => String, 'What the caller wrote with the request.')
  matchReason!: string;

  @Computed(() => Instant, 'When it was asked for.')
  createdAt!: string;

  @Computed(() => Instant, 'When it was answered.', { null: true })
  respondedAt!: string | null;
}

@ObjectType({ description: 'A message the caller wrote.', simpleResolvers: true })
export class MessageRecord {
  @Computed(() => UuidText, 'The private chat it is in.', { null: true })
  chatId!: string | null;

  @Computed(() => UuidText, 'The group it is in.', { null: true })
  groupId!: string | null;

  @Computed(() => String, 'The text; empty when it was deleted.')
  content!: string;

  @Computed(() => Instant, 'When it was sent.')
  sentAt!: string;

  @Computed(() => Instant, 'When it was deleted.', { null: true })
  deletedAt!: string | null;
}

@ObjectType({ description: 'What the community has of the caller.', simpleResolvers: true })
export class CommunityRecord {
  @Computed(() => [CommunityGroupRecord], 'Community groups, those joined last first.')
  communityGroups!: CommunityGroupRecord[];

  @Computed(() => [ChatGroupRecord], 'Chat groups, those joined last first.')
  chatGroups!: ChatGroupRecord[];

  @Computed(() => [ConnectionRecord], 'Connections, the newest first.')
  connections!: ConnectionRecord[];

  @Computed(() => [MessageRecord], 'Messages the caller wrote, the newest first.')
  messages!: MessageRecord[];

  @Computed(() => [String], 'What the caller is matched with others by.')
  matchingTerms!: string[];
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

  @Computed(() => [HealthGoal], 'Goals, deleted ones too, the newest first.')
  goals!: HealthGoal[];

  @Computed(() => [SymptomLog], 'Symptoms that were noted down, the newest first.')
  symptomLogs!: SymptomLog[];

  @Computed(() => [VitalReading], 'Readings, the newest first.')
  vitalReadings!: VitalReading[];

  @Computed(() => [AdClickRecord], 'Ads that were clicked, the latest click first.')
  adClicks!: AdClickRecord[];

  @Computed(() => [Assessment], 'Assessments, the newest first.')
  assessments!: Assessment[];

  @Computed(() => CommunityRecord, 'Groups, connections and messages.')
  community!: CommunityRecord;

  @Computed(() => [CompanionMessage], 'Conversations with the companion, the oldest turn first.')
  companionMessages!: CompanionMessage[];
}

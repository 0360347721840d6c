import { Field, ID, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime, UuidText } from '../vocabulary/scalars.ts';
import { AdClickRecord, CommentRecord, MarkedArticleRecord, RecommendationRecord } from './activity-records.ts';
import { Assessment } from './assessment.ts';
import { AuditKind } from './audit-event.ts';
import { CompanionMessage } from './companion.ts';
import { ConsentRecord } from './consent.ts';
import { DataAccess } from './data-access.ts';
import { GroupEntryKind } from './group-entry.ts';
import { HealthGoal } from './health-goal.ts';
import { ModerationAction } from './moderation-event.ts';
import { PeerDirection, PeerStatus } from './peer-link.ts';
import { Person } from './person.ts';
import { ReportKind, ReportReason } from './report.ts';
import { SymptomLog } from './symptom-log.ts';
import { VitalReading } from './vital-reading.ts';

@ObjectType({ description: 'Session of the account.', simpleResolvers: true })
export class HealthSessionRecord {
  @Computed(() => String, 'Name of the browser or program that logged in; may be empty.')
  device!: string;

  @Computed(() => DateTime, 'When the session was opened.')
  createdAt!: string;

  @Computed(() => DateTime, 'When the session was last renewed.')
  lastUsedAt!: string;

  @Computed(() => DateTime, 'When the session ended; null for an open one.', { null: true })
  endedAt!: string | null;
}

@ObjectType({ description: 'Event of the credentials of the account.', simpleResolvers: true })
export class CredentialEventRecord {
  @Computed(() => AuditKind, 'Kind of the event.')
  kind!: AuditKind;

  @Computed(() => DateTime, 'When the event happened.')
  occurredAt!: string;
}

@ObjectType({ description: 'Community group that you joined.', simpleResolvers: true })
export class CommunityGroupRecord {
  @Computed(() => String, 'Name of the group.')
  name!: string;

  @Computed(() => DateTime, 'When you joined.')
  joinedAt!: string;
}

@ObjectType({ description: 'Chat group that you are in.', simpleResolvers: true })
export class ChatGroupRecord extends CommunityGroupRecord {
  @Computed(() => Boolean, 'Whether you are an admin of the group.')
  isAdmin!: boolean;
}

@ObjectType({ description: 'Request to join a group, or invitation to one.', simpleResolvers: true })
export class GroupEntryRecord {
  @Computed(() => String, 'Name of the group.')
  name!: string;

  @Computed(() => GroupEntryKind, 'Whether it is a request or an invitation.')
  kind!: GroupEntryKind;

  @Computed(() => Boolean, 'Whether you sent it.')
  isSentByYou!: boolean;

  @Computed(() => DateTime, 'When it was sent.')
  createdAt!: string;
}

@ObjectType({
  description: 'Link to another person, without decisions that others made about you.',
  simpleResolvers: true,
})
export class PeerLinkRecord {
  @Computed(() => PeerDirection, 'Direction of the request.')
  direction!: PeerDirection;

  @Computed(() => PeerStatus, 'Status of the link.')
  status!: PeerStatus;

  @Computed(() => String, 'Text that you sent with the request.')
  matchReason!: string;

  @Computed(() => DateTime, 'When the request was sent.')
  createdAt!: string;

  @Computed(() => DateTime, 'When the request was answered; null for not yet.', { null: true })
  respondedAt!: string | null;
}

@ObjectType({ description: 'Chat message that you wrote.', simpleResolvers: true })
export class ChatMessageRecord {
  @Field(() => ID, { description: 'Global id of the private chat or chat group.' })
  chatId!: string;

  @Computed(() => UuidText, 'Identifier of the private chat; null for a message of a group.', { null: true })
  privateChatUuid!: string | null;

  @Computed(() => UuidText, 'Identifier of the chat group; null for a message of a private chat.', { null: true })
  chatGroupUuid!: string | null;

  @Computed(() => String, 'Text; empty for a deleted message.')
  text!: string;

  @Computed(() => DateTime, 'When the message was sent.')
  sentAt!: string;

  @Computed(() => DateTime, 'When the message was deleted; null if it was not.', { null: true })
  deletedAt!: string | null;
}

@ObjectType({ description: 'Groups, peers and chats of yours.', simpleResolvers: true })
export class CommunityRecord {
  @Computed(() => [CommunityGroupRecord], 'Community groups, last joined first.')
  communityGroups!: CommunityGroupRecord[];

  @Computed(() => [ChatGroupRecord], 'Chat groups, last joined first.')
  chatGroups!: ChatGroupRecord[];

  @Computed(() => [GroupEntryRecord], 'Requests to join groups and invitations, newest first.')
  groupEntries!: GroupEntryRecord[];

  @Computed(() => [PeerLinkRecord], 'Links to other people, newest first.')
  peers!: PeerLinkRecord[];

  @Computed(() => [ChatMessageRecord], 'Messages that you wrote, newest first.')
  messages!: ChatMessageRecord[];

  @Computed(() => [String], 'Terms by which you are matched with others.')
  matchingTerms!: string[];
}

@ObjectType({ description: 'Report that you sent.', simpleResolvers: true })
export class ReportRecord {
  @Computed(() => ReportKind, 'Kind of the subject you reported.')
  kind!: ReportKind;

  @Computed(() => ReportReason, 'Reason that you gave.')
  reason!: ReportReason;

  @Computed(() => String, 'Your explanation; may be empty.')
  text!: string;

  @Computed(() => DateTime, 'When you reported it.')
  createdAt!: string;

  @Computed(() => DateTime, 'When a moderator decided; null for not yet.', { null: true })
  closedAt!: string | null;
}

@ObjectType({ description: 'Action of a moderator about you.', simpleResolvers: true })
export class ModerationNoticeRecord {
  @Computed(() => ModerationAction, 'Action that was taken.')
  action!: ModerationAction;

  @Computed(() => String, 'Explanation; may be empty.')
  note!: string;

  @Computed(() => String, 'Text of yours that was hidden; empty for other actions.')
  text!: string;

  @Computed(() => DateTime, 'End of a suspension; null for other actions.', { null: true })
  suspendedUntil!: string | null;

  @Computed(() => DateTime, 'When it was done.')
  occurredAt!: string;
}

/** One document, which is read as a whole: its lists have no pages. */
@ObjectType({ description: 'Everything that is stored about you.', simpleResolvers: true })
export class HealthDataExport {
  @Computed(() => DateTime, 'When the export was made.')
  generatedAt!: string;

  @Computed(() => Person, 'Your account with its profile.')
  profile!: Person;

  @Computed(() => [HealthSessionRecord], 'Sessions, newest first.')
  sessions!: HealthSessionRecord[];

  @Computed(() => [CredentialEventRecord], 'Events of the credentials, newest first.')
  credentialEvents!: CredentialEventRecord[];

  @Computed(() => [MarkedArticleRecord], 'Liked articles, newest like first.')
  likes!: MarkedArticleRecord[];

  @Computed(() => [MarkedArticleRecord], 'Bookmarked articles, newest bookmark first.')
  bookmarks!: MarkedArticleRecord[];

  @Computed(() => [CommentRecord], 'Comments, newest first; deleted ones are not stored.')
  comments!: CommentRecord[];

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

  @Computed(() => CommunityRecord, 'Groups, peers and chats.')
  community!: CommunityRecord;

  @Computed(() => [CompanionMessage], 'Messages between you and the companion, oldest first.')
  companionMessages!: CompanionMessage[];

  @Computed(() => [ReportRecord], 'Reports that you sent, newest first.')
  reports!: ReportRecord[];

  @Computed(() => [ModerationNoticeRecord], 'Actions of moderators about you, newest first.')
  moderationNotices!: ModerationNoticeRecord[];

  @Computed(() => [ConsentRecord], 'Decisions of yours about purposes, newest first.')
  consents!: ConsentRecord[];

  @Computed(() => [DataAccess], 'Reads of your data by moderators and operators, newest first.')
  dataAccesses!: DataAccess[];
}

@ObjectType({ description: 'Your health data as a Bundle of HL7 FHIR R4.', simpleResolvers: true })
export class FhirBundle {
  @Computed(() => String, 'Bundle of the type `collection`, as JSON.')
  text!: string;

  @Computed(() => String, 'Media type of the text.')
  mediaType!: string;
}

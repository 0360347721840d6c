import { sql } from 'kysely';
import type { ConsentRecord } from '../../../schema/health/consent.ts';
import type {
  CommunityRecord,
  CredentialEventRecord,
  HealthSessionRecord,
  ModerationNoticeRecord,
  ReportRecord,
} from '../../../schema/health/data-export.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { adsClickedBy, type ClickedAdRow } from '../ads/ads.queries.ts';
import { type ArticleActivity, exportArticleActivity } from '../articles/export-activity.ts';
import { type AssessmentRow, allAssessments } from '../assessments/assessments.queries.ts';
import { exportCommunity } from '../community/export-community.ts';
import { loadHistory, maxTurns, type TurnRow } from '../companion/companion.queries.ts';
import { consentsOf } from '../consents/consents.ts';
import { allDataAccesses, type DataAccessRow } from '../data-accesses/data-accesses.queries.ts';
import { type GoalRow, goals as goalRecords } from '../goals/goals.queries.ts';
import { exportModeration } from '../moderation/export-moderation.ts';
import { type SymptomLogRow, symptomLogs as symptomLogRecords } from '../symptom-logs/symptom-logs.queries.ts';
import { type VitalReadingRow, vitals } from '../vitals/vitals.queries.ts';
import { findProfile, type ProfileRow } from './accounts.queries.ts';
import { requirePerson } from './require-person.ts';

/** All data stored about an account. Passwords and tokens are stored as hashes only and are not exported. */
export interface AccountExport extends ArticleActivity {
  generatedAt: Date;
  profile: ProfileRow;
  sessions: HealthSessionRecord[];
  credentialEvents: CredentialEventRecord[];
  goals: GoalRow[];
  symptomLogs: SymptomLogRow[];
  vitalReadings: VitalReadingRow[];
  adClicks: ClickedAdRow[];
  assessments: AssessmentRow[];
  community: CommunityRecord;
  companionMessages: TurnRow[];
  reports: ReportRecord[];
  moderationNotices: ModerationNoticeRecord[];
  consents: ConsentRecord[];
  dataAccesses: DataAccessRow[];
}

/** More than the rate limit of changes lets a person make in years. */
const maxExportedConsents = 10_000;

type Dependencies = Pick<Context, 'actor' | 'config' | 'now' | 'origin' | 'read' | 'sql'>;

export async function exportAccount(context: Dependencies): Promise<AccountExport> {
  const { userId } = requirePerson(context.actor);
  const [
    profile,
    sessions,
    credentialEvents,
    activity,
    goals,
    symptomLogs,
    vitalReadings,
    adClicks,
    assessments,
    community,
    turns,
    moderation,
    consents,
    dataAccesses,
  ] = await Promise.all([
    findProfile(context.sql, context, userId),
    sql<HealthSessionRecord>`
      select device, created_at as "createdAt", last_used_at as "lastUsedAt", ended_at as "endedAt"
      from session where user_id = ${userId} order by created_at desc, id desc`.execute(context.sql),
    sql<CredentialEventRecord>`
      select kind, at as "occurredAt" from audit_event where user_id = ${userId} order by id desc`.execute(context.sql),
    exportArticleActivity(context, userId),
    goalRecords.all(context, userId),
    symptomLogRecords.all(context, userId),
    vitals.all(context, userId),
    adsClickedBy(context.sql, userId),
    allAssessments(context.sql, userId),
    exportCommunity(context.sql, userId),
    loadHistory(context, userId, maxTurns),
    exportModeration(context.sql, userId),
    consentsOf(context.read, userId, maxExportedConsents),
    allDataAccesses(context, userId),
  ]);
  if (!profile) throw notFound();
  return {
    generatedAt: context.now(),
    profile,
    sessions: sessions.rows,
    credentialEvents: credentialEvents.rows,
    ...activity,
    goals,
    symptomLogs,
    vitalReadings,
    adClicks,
    assessments,
    community,
    companionMessages: turns,
    ...moderation,
    consents,
    dataAccesses,
  };
}

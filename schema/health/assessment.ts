import { Int, ObjectType, registerEnumType } from 'type-graphql';
import {
  Bool,
  Choice,
  Computed,
  Integer,
  Json,
  Moment,
  Noun,
  Owner,
  PrimaryUuid,
  Text,
  TextList,
} from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { BloodType, Person } from './person.ts';

export const AssessmentSubject = { MYSELF: 'myself', SOMEONE_ELSE: 'someone_else' } as const;
export type AssessmentSubject = (typeof AssessmentSubject)[keyof typeof AssessmentSubject];
registerEnumType(AssessmentSubject, { name: 'AssessmentSubject', description: 'Person that an assessment is about.' });

export const AssessmentStatus = { PENDING: 'pending', COMPLETED: 'completed', FAILED: 'failed' } as const;
export type AssessmentStatus = (typeof AssessmentStatus)[keyof typeof AssessmentStatus];
registerEnumType(AssessmentStatus, { name: 'AssessmentStatus', description: 'Status of an assessment.' });

export const TriageLevel = {
  EMERGENCY: 'emergency',
  URGENT: 'urgent',
  ROUTINE: 'routine',
  SELF_CARE: 'self_care',
} as const;
export type TriageLevel = (typeof TriageLevel)[keyof typeof TriageLevel];
registerEnumType(TriageLevel, {
  name: 'TriageLevel',
  description: 'Urgency of medical care: at once, within a day, by appointment, or none unless it gets worse.',
});

export const CauseUrgency = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high' } as const;
export type CauseUrgency = (typeof CauseUrgency)[keyof typeof CauseUrgency];
registerEnumType(CauseUrgency, { name: 'CauseUrgency', description: 'Urgency of a possible cause.' });

export const AssessmentEngine = { RULES: 'rules', MODEL: 'model' } as const;
export type AssessmentEngine = (typeof AssessmentEngine)[keyof typeof AssessmentEngine];
registerEnumType(AssessmentEngine, { name: 'AssessmentEngine', description: 'Engine that computed a result.' });

export const CauseLikelihood = { HIGH: 'High', MODERATE: 'Moderate', LOW: 'Low' } as const;
export type CauseLikelihood = (typeof CauseLikelihood)[keyof typeof CauseLikelihood];
registerEnumType(CauseLikelihood, {
  name: 'CauseLikelihood',
  description: 'Likelihood of a possible cause, given the reported symptoms.',
});

export const ReportedTrend = {
  IMPROVING: 'getting better',
  STABLE: 'no change',
  WORSENING: 'getting worse',
} as const;
export type ReportedTrend = (typeof ReportedTrend)[keyof typeof ReportedTrend];
registerEnumType(ReportedTrend, { name: 'ReportedTrend', description: 'Trend of symptoms, as the person reports it.' });

export const SexAtBirth = { FEMALE: 'female', MALE: 'male' } as const;
export type SexAtBirth = (typeof SexAtBirth)[keyof typeof SexAtBirth];
registerEnumType(SexAtBirth, { name: 'SexAtBirth', description: 'Sex that was assigned at birth.' });

export const InterviewSubject = {
  AGE: 'age',
  SEX: 'sex',
  PREGNANCY: 'pregnancy',
  HISTORY: 'history',
  SYMPTOM: 'symptom',
} as const;
export type InterviewSubject = (typeof InterviewSubject)[keyof typeof InterviewSubject];
registerEnumType(InterviewSubject, {
  name: 'InterviewSubject',
  description: 'Subject of a question: a fact about the person, their medical history, or a further symptom.',
});

/** Internal values are sort keys in the syntax of the REST contract. */
export const AssessmentOrder = sortOrder('AssessmentOrder', 'assessments', {
  CREATED_AT: 'created_at',
  SEVERITY: 'severity',
  STATUS: 'status',
  SUBJECT: 'subject',
  ID: 'id',
});

@ObjectType({ description: 'Source with more information about a cause.', simpleResolvers: true })
export class CauseSource {
  @Computed(() => String, 'Title of the source.')
  title!: string;
}

@ObjectType({ description: 'Possible cause of the reported symptoms.', simpleResolvers: true })
export class PossibleCause {
  @Computed(() => Int, 'Rank, from 1.')
  rank!: number;

  @Computed(() => String, 'Name of the condition.')
  condition!: string;

  @Computed(() => String, 'Description for lay readers.')
  description!: string;

  @Computed(() => CauseLikelihood, 'Likelihood, given the reported symptoms.')
  likelihood!: CauseLikelihood;

  @Computed(() => CauseUrgency, 'Urgency of the cause.')
  urgency!: CauseUrgency;

  @Computed(() => String, 'Recommended next steps.')
  nextSteps!: string;

  @ListSize(8)
  @Computed(() => [String], 'Symptoms and facts about the person for which it is listed, at most 8.')
  reasons!: string[];

  @ListSize(3)
  @Computed(() => [CauseSource], 'Sources, at most 3: public guidance and articles of this service.')
  sources!: CauseSource[];
}

@ObjectType({
  description: 'Answer to a question. Says what to send with the next assessment, and the triage level that follows.',
  simpleResolvers: true,
})
export class InterviewAnswer {
  @Computed(() => String, 'Answer in words.')
  text!: string;

  @Computed(() => TriageLevel, 'Triage level with this answer.')
  triageLevel!: TriageLevel;

  @Computed(
    () => String,
    'Text to add to the symptoms, whatever the answer is about; null in assessments from before.',
    {
      null: true,
    },
  )
  symptom!: string | null;

  @Computed(() => Int, 'An age in months within the answer; null for any other answer.', { null: true })
  ageMonths!: number | null;

  @Computed(() => SexAtBirth, 'Sex at birth; null for any other answer.', { null: true })
  sexAtBirth!: SexAtBirth | null;

  @Computed(() => Boolean, 'Whether the person is pregnant; null for any other answer.', { null: true })
  isPregnant!: boolean | null;
}

@ObjectType({ description: 'Question of which an answer raises the triage level.', simpleResolvers: true })
export class InterviewQuestion {
  @Computed(() => InterviewSubject, 'Subject of the question.')
  about!: InterviewSubject;

  @Computed(() => String, 'Text of the question.')
  question!: string;

  @Computed(() => String, 'Reason for the question.')
  why!: string;

  @ListSize(7)
  @Computed(() => [InterviewAnswer], 'Answers, at most 7.')
  answers!: InterviewAnswer[];
}

@ObjectType({ description: 'Result of an assessment.', simpleResolvers: true })
export class AssessmentResult {
  @ListSize(5)
  @Computed(
    () => [PossibleCause],
    'Possible causes, at most 5, most likely first; none where `ASSESSMENTS` is `information`.',
  )
  possibleCauses!: PossibleCause[];

  @Computed(() => String, 'Advice for the triage level.')
  generalAdvice!: string;

  @Computed(() => Boolean, 'Whether emergency care is needed at once: the triage level `EMERGENCY`.')
  seekEmergencyCare!: boolean;

  @Computed(
    () => TriageLevel,
    'Urgency of medical care. Where `ASSESSMENTS` is `information`: that of signs which were named, and at least `ROUTINE`.',
  )
  triageLevel!: TriageLevel;

  @Computed(() => [String], 'Red flags among the symptoms: signs that need care without delay.')
  redFlags!: string[];

  @Computed(() => [String], 'Facts about the person that were used, such as the age; empty if none is known.')
  personFacts!: string[];

  @ListSize(5)
  @Computed(() => [InterviewQuestion], 'Questions of which an answer raises the triage level, at most 5.')
  interview!: InterviewQuestion[];

  @Computed(() => String, 'Notice that the result is not a diagnosis.')
  disclaimer!: string;

  @Computed(() => AssessmentEngine, 'Engine that computed the result.')
  engine!: AssessmentEngine;
}

@Noun('assessment', 'Assessment of symptoms by rules from public guidance. Visible to its owner only.')
@Index<Assessment>('assessment_by_severity', ['userId', 'severity', 'id'])
@Index<Assessment>('assessment_by_status', ['userId', 'status', 'id'])
@Index<Assessment>('assessment_by_time', ['createdAt'], { using: 'brin' })
@Index<Assessment>('assessment_by_subject', ['userId', 'subject', 'id'])
@Index<Assessment>('assessment_by_user', ['userId', 'createdAt', 'id'])
@Check<Assessment>('assessment_urgency_check', c => `${c.urgency} in ('low', 'medium', 'high')`)
@Personal({
  what: 'Symptom assessments: symptoms, notes and answers',
  purpose: 'show your reports and their changes over time',
  kept: 'until you delete the entry or the account',
  seenBy: 'nobody; `/metrics` and insights count without names',
  inExport: ['assessments'],
})
export class Assessment {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => AssessmentSubject, { about: 'Person that it is about.', default: 'myself' })
  subject!: AssessmentSubject;

  @Choice(() => BloodType, { about: 'Blood group; null where it was not given.', null: true })
  bloodType!: BloodType | null;

  @Computed(() => String, 'Blood group, such as A, B+ or AB-; null where it was not given.', { null: true })
  bloodTypeCode!: string | null;

  @Text({ about: 'Allergies as free text; may be empty.', default: '' })
  allergies!: string;

  @TextList({ about: 'Symptoms as reported.' })
  symptoms!: string[];

  @Computed(() => String, 'Symptoms joined by commas.')
  symptomText!: string;

  /** The affirmed ones of `symptoms`: without «no fever». Source of lists and suggestions in the person's own words. */
  @TextList({ hidden: true })
  reported!: string[];

  /** Ids of the recognised, affirmed symptoms: source of counts and comparisons. */
  @TextList({ hidden: true })
  terms!: string[];

  @Text({ about: 'Duration of the symptoms as free text; null where it was not given.', null: true })
  symptomDuration!: string | null;

  @Bool({ about: 'Whether there are further symptoms; null where it was not answered.', null: true })
  hasOtherSymptoms!: boolean | null;

  @Choice(() => ReportedTrend, { about: 'Trend; null where it was not given.', null: true })
  symptomsTrend!: ReportedTrend | null;

  @Computed(() => String, 'Trend in words; null where it was not given.', { null: true })
  symptomsTrendText!: string | null;

  @Integer({
    about:
      'Severity, 1 to 10. The given rating, raised where it contradicts the triage level; otherwise derived from the level.',
  })
  severity!: number;

  @Text({ about: 'Additional notes; may be empty.', default: '' })
  additionalNotes!: string;

  @Choice(() => AssessmentStatus, { about: 'Status of the assessment.' })
  status!: AssessmentStatus;

  @Json(() => AssessmentResult, { about: 'Result; null until it is completed.', null: true })
  result!: AssessmentResult | null;

  @Text({ hidden: true })
  triageLevel!: string;

  @Text({ hidden: true })
  urgency!: string;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Computed(() => Boolean, 'Whether the assessment is stored. A global id of one that is not refers to nothing.')
  isSaved!: boolean;
}

export const AssessmentConnection = connectionOf('Assessment', () => Assessment, 'assessments');

import { GraphQLSafeInt } from 'graphql-scalars';
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
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

export const AssessmentSubject = { MYSELF: 'myself', SOMEONE_ELSE: 'someone_else' } as const;
export type AssessmentSubject = (typeof AssessmentSubject)[keyof typeof AssessmentSubject];
registerEnumType(AssessmentSubject, { name: 'AssessmentSubject', description: 'Whom an assessment is about.' });

export const AssessmentStatus = { PENDING: 'pending', COMPLETED: 'completed', FAILED: 'failed' } as const;
export type AssessmentStatus = (typeof AssessmentStatus)[keyof typeof AssessmentStatus];
registerEnumType(AssessmentStatus, { name: 'AssessmentStatus', description: 'Where an assessment stands.' });

export const TriageLevel = {
  EMERGENCY: 'emergency',
  URGENT: 'urgent',
  ROUTINE: 'routine',
  SELF_CARE: 'self_care',
} as const;
export type TriageLevel = (typeof TriageLevel)[keyof typeof TriageLevel];
registerEnumType(TriageLevel, {
  name: 'TriageLevel',
  description: 'How soon somebody should be seen: at once, within a day, by appointment, or not unless it gets worse.',
});

export const CauseUrgency = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high' } as const;
export type CauseUrgency = (typeof CauseUrgency)[keyof typeof CauseUrgency];
registerEnumType(CauseUrgency, { name: 'CauseUrgency', description: 'How soon a cause wants attention.' });

export const AssessmentEngine = { RULES: 'rules', MODEL: 'model' } as const;
export type AssessmentEngine = (typeof AssessmentEngine)[keyof typeof AssessmentEngine];
registerEnumType(AssessmentEngine, { name: 'AssessmentEngine', description: 'What made a result.' });

@ObjectType({ description: 'Where to read more about a cause.', simpleResolvers: true })
export class CauseSource {
  @Computed(() => GraphQLSafeInt, 'Number of the article, if it is one of this service.', { null: true })
  article!: number | null;

  @Computed(() => String, 'Title.')
  title!: string;
}

@ObjectType({ description: 'Something that could be behind what was told.', simpleResolvers: true })
export class PossibleCause {
  @Computed(() => Int, 'Place in the list, from 1.')
  rank!: number;

  @Computed(() => String, 'What it is called.')
  condition!: string;

  @Computed(() => String, 'What it is, in plain words.')
  description!: string;

  @Computed(() => String, '`High`, `Moderate` or `Low`: how well it fits what was told.')
  likelihood!: string;

  @Computed(() => CauseUrgency, 'How soon it wants attention.')
  urgency!: string;

  @Computed(() => String, 'What to do about it.')
  nextSteps!: string;

  @Computed(() => [CauseSource], 'Public guidance, and articles of this service.')
  sources!: CauseSource[];
}

@ObjectType({ description: 'What an assessment came to.', simpleResolvers: true })
export class AssessmentResult {
  @Computed(() => [PossibleCause], 'Up to five possible causes, the best fit first.')
  possibleCauses!: PossibleCause[];

  @Computed(() => String, 'What to do.')
  generalAdvice!: string;

  @Computed(() => Boolean, 'Whether to call for help at once.')
  seekEmergencyCare!: boolean;

  @Computed(() => TriageLevel, 'How soon somebody should be seen.')
  triageLevel!: string;

  @Computed(() => [String], 'Signs among the symptoms that must not wait.')
  redFlags!: string[];

  @Computed(() => String, 'What this is not.')
  disclaimer!: string;

  @Computed(() => AssessmentEngine, 'What made the result.')
  engine!: string;
}

@Noun('assessment', 'An assessment of symptoms, made by rules from public guidance. Only its owner sees it.')
@Index<Assessment>('assessment_by_user', ['userId', 'createdAt', 'id'])
@Check<Assessment>('assessment_urgency_check', c => `${c.urgency} in ('low', 'medium', 'high')`)
export class Assessment {
  @PrimaryUuid('Identifier; of a guest it names nothing, for nothing is stored.')
  id!: string;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => AssessmentSubject, { about: 'Whom it is about.', default: 'myself' })
  subject!: AssessmentSubject;

  @Text({ about: 'Blood group, such as A, B+ or AB-.', null: true })
  bloodType!: string | null;

  @Text({ about: 'Allergies in words; may be empty.', default: '' })
  allergies!: string;

  @TextList({ about: 'The symptoms as they were told.' })
  symptoms!: string[];

  @Computed(() => String, 'The symptoms in one line, joined by commas.')
  symptomText!: string;

  /** Those of `symptoms` that are there: «no fever» is not. What lists and suggestions of the person's own words are made of. */
  @TextList({ hidden: true })
  reported!: string[];

  /** Ids of the symptoms that were recognised and not taken back: what counts and comparisons are made of. */
  @TextList({ hidden: true })
  terms!: string[];

  @Text({ about: 'How long it has lasted, in words.', null: true })
  symptomDuration!: string | null;

  @Bool({ about: 'Whether there are symptoms that were not named.', null: true })
  hasOtherSymptoms!: boolean | null;

  @Text({ about: '`getting worse`, `getting better` or `no change`.', null: true })
  symptomsTrend!: string | null;

  @Integer({ about: 'From 1 to 10: as it was rated, else what the level amounts to.' })
  severity!: number;

  @Text({ about: 'What else was told.', default: '' })
  additionalNotes!: string;

  @Choice(() => AssessmentStatus, { about: 'Where it stands.' })
  status!: AssessmentStatus;

  @Json(() => AssessmentResult, { about: 'What it came to.', null: true })
  result!: AssessmentResult | null;

  @Text({ hidden: true })
  triageLevel!: string;

  @Text({ hidden: true })
  urgency!: string;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Computed(() => Boolean, 'Whether it is stored; false for that of a guest.')
  saved!: boolean;
}

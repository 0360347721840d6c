import { Field, ID, InputType, Int } from 'type-graphql';
import { AssessmentSubject, ReportedTrend, SexAtBirth } from '../../../schema/health/assessment.ts';
import { BloodType } from '../../../schema/health/person.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { assessmentLimits } from './validate-assessment.ts';

const bloodTypeCode = 'Blood group, such as A, B+ or AB-; takes precedence.';
const symptomsTrendText = 'Trend in words; takes precedence.';

@InputType({ description: 'Input of `assessSymptomsAsGuest`.' })
export class AssessSymptomsAsGuestInput {
  @Field(() => AssessmentSubject, { description: 'Person that the report is about.', defaultValue: 'myself' })
  subject!: string;

  @optionalField(() => BloodType, 'Blood group; null if it is unknown.') bloodType?: BloodType | null;

  @optionalField(() => String, bloodTypeCode)
  bloodTypeCode?: string | null;

  @Limits(assessmentLimits.allergies)
  @Field(() => String, { description: 'Allergies as free text, at most 1,000 characters.', defaultValue: '' })
  allergies!: string;

  @Limits(assessmentLimits.symptoms)
  @Field(() => [String], { description: '1 to 20 symptoms in plain English, each at most 100 characters.' })
  symptoms!: string[];

  @Limits(assessmentLimits.symptomDuration)
  @optionalField(() => String, 'Duration as free text, at most 100 characters; null if it is unknown.')
  symptomDuration?: string | null;

  @optionalField(() => Boolean, 'Whether there are further, unnamed symptoms; null if it is unknown.')
  hasOtherSymptoms?: boolean | null;

  @optionalField(() => ReportedTrend, 'Trend; null if it is unknown.') symptomsTrend?: ReportedTrend | null;

  @optionalField(() => String, symptomsTrendText)
  symptomsTrendText?: string | null;

  @Limits(assessmentLimits.ageYears)
  @optionalField(() => Int, 'Age in years, 0 to 120; null if it is unknown.')
  ageYears?: number | null;

  @Limits(assessmentLimits.ageMonths)
  @optionalField(() => Int, 'Age in months, 0 to 35, for small children; takes precedence over `ageYears`.')
  ageMonths?: number | null;

  @optionalField(() => SexAtBirth, 'Sex at birth; null if it is unknown.') sexAtBirth?: SexAtBirth | null;

  @optionalField(() => Boolean, 'Whether the person is pregnant; null if it is unknown.') isPregnant?: boolean | null;

  @Limits(assessmentLimits.pregnancyWeeks)
  @optionalField(() => Int, 'Week of pregnancy, 1 to 44; null if it is unknown.')
  pregnancyWeeks?: number | null;

  @Limits(assessmentLimits.conditions)
  @optionalField(() => [String], 'At most 20 conditions and operations of the person, each at most 100 characters.')
  conditions?: string[] | null;

  @Limits(assessmentLimits.medicines)
  @optionalField(() => [String], 'At most 20 medicines that the person takes, each at most 100 characters.')
  medicines?: string[] | null;
}

@InputType({ description: 'Input of `createAssessment`.' })
export class CreateAssessmentInput extends AssessSymptomsAsGuestInput {
  @Limits(assessmentLimits.severity)
  @optionalField(() => Int, 'Severity, 1 to 10; derived from the symptoms by default.')
  severity?: number | null;

  @Limits(assessmentLimits.additionalNotes)
  @Field(() => String, { description: 'Additional notes, at most 2,000 characters.', defaultValue: '' })
  additionalNotes!: string;
}

@InputType({ description: 'Input of `deleteAssessment`.' })
export class DeleteAssessmentInput {
  @Field(() => ID, { description: 'Assessment to delete.' }) assessmentId!: string;
}

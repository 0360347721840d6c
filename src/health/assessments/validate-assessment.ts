import type { PersonFacts, Sex } from 'triage/knowledge/person-facts';
import type { ReportedTrend } from '../../../schema/health/assessment.ts';
import { type BloodType, bloodTypes } from '../../../schema/health/person.ts';
import type { ValueLimits } from '../../../schema/vocabulary/limits.ts';
import { checkRange, rangeLimits } from '../input/decimal-checks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledTexts } from '../input/text-limits.ts';
import type { SymptomReport } from './symptom-report.ts';

/** The fields of a guest assessment. */
export interface GuestAssessmentFields {
  subject: string;
  bloodType?: BloodType | null | undefined;
  /** Blood type in the spelling of the REST contract; takes precedence. */
  bloodTypeCode?: string | null | undefined;
  allergies?: string | undefined;
  symptoms: readonly string[];
  symptomDuration?: string | null | undefined;
  hasOtherSymptoms?: boolean | null | undefined;
  symptomsTrend?: ReportedTrend | null | undefined;
  /** Trend in a spelling of REST clients; takes precedence. */
  symptomsTrendText?: string | null | undefined;
  ageYears?: number | null | undefined;
  /** Takes precedence over the years. */
  ageMonths?: number | null | undefined;
  sexAtBirth?: Sex | null | undefined;
  isPregnant?: boolean | null | undefined;
  pregnancyWeeks?: number | null | undefined;
  conditions?: readonly string[] | null | undefined;
  medicines?: readonly string[] | null | undefined;
}

export interface AssessmentInput extends GuestAssessmentFields {
  severity?: number | null | undefined;
  additionalNotes?: string | undefined;
}

/** Validated input: what the engine evaluates, and the blood type, which is only stored. */
export interface ValidatedAssessment {
  report: SymptomReport;
  bloodType: BloodType | null;
}

/** Plausible ranges of numbers about a person. */
const ranges = { ageYears: [0, 120], ageMonths: [0, 35], pregnancyWeeks: [1, 44] } as const;
const severityRange = { min: 1, max: 10 };

const rangeOf = ([minimum, maximum]: readonly [number, number]): ValueLimits => ({ minimum, maximum });

/** The limits of an assessment's fields. */
export const assessmentLimits = {
  allergies: { maxLength: 1000 },
  symptoms: { ...filledTexts(20, 100), minItems: 1 },
  symptomDuration: { maxLength: 100 },
  ageYears: rangeOf(ranges.ageYears),
  ageMonths: rangeOf(ranges.ageMonths),
  pregnancyWeeks: rangeOf(ranges.pregnancyWeeks),
  conditions: filledTexts(20, 100),
  medicines: filledTexts(20, 100),
  severity: rangeLimits(severityRange),
  additionalNotes: { maxLength: 2000 },
};

const trends: ReadonlyMap<string, ReportedTrend> = new Map([
  ['getting worse', 'getting worse'],
  ['worse', 'getting worse'],
  ['worsening', 'getting worse'],
  ['getting better', 'getting better'],
  ['better', 'getting better'],
  ['improving', 'getting better'],
  ['no change', 'no change'],
  ['stable', 'no change'],
  ['same', 'no change'],
]);

/**
 * Validates and normalizes the input of an assessment.
 * @throws field errors
 */
export function validateAssessment(input: AssessmentInput): ValidatedAssessment {
  const checks = new InputChecks();
  const symptoms = checks.texts('symptoms', input.symptoms, assessmentLimits.symptoms);
  const { severity = null } = input;
  if (severity !== null) checkRange(checks, 'severity', severity, severityRange);
  const checked: ValidatedAssessment = {
    bloodType: checkBloodType(checks, input),
    report: {
      subject: input.subject === 'someone_else' ? 'someone_else' : 'myself',
      symptoms,
      duration: checks.text('symptomDuration', input.symptomDuration ?? '', assessmentLimits.symptomDuration) || null,
      hasOtherSymptoms: input.hasOtherSymptoms ?? null,
      trend: checkTrend(checks, input),
      allergies: checks.text('allergies', input.allergies ?? '', assessmentLimits.allergies),
      severity,
      person: checkPerson(checks, input),
      notes: checks.text('additionalNotes', input.additionalNotes ?? '', assessmentLimits.additionalNotes),
    },
  };
  checks.assertPassed();
  return checked;
}

/** Ages in years between which a pregnancy is plausible. */
const pregnantYears = { from: 10, below: 60 };

function checkPerson(checks: InputChecks, input: GuestAssessmentFields): PersonFacts {
  const number = (field: keyof typeof ranges): number | null => {
    const value = input[field] ?? null;
    const [least, most] = ranges[field];
    if (value !== null && (value < least || value > most))
      checks.add(field, `Enter a whole number from ${least} to ${most}.`);
    return value;
  };
  const [years, months, weeks] = [number('ageYears'), number('ageMonths'), number('pregnancyWeeks')];
  const list = (field: 'conditions' | 'medicines'): string[] =>
    checks.texts(field, input[field] ?? [], assessmentLimits[field]);
  const sex = input.sexAtBirth ?? null;
  const ageMonths = months ?? (years === null ? null : years * 12);
  const pregnant = input.isPregnant ?? (weeks === null ? null : true);
  if (pregnant && sex === 'male') checks.add('isPregnant', 'A person whose sex at birth is male cannot be pregnant.');
  if (
    pregnant &&
    ageMonths !== null &&
    (ageMonths < pregnantYears.from * 12 || ageMonths >= pregnantYears.below * 12)
  ) {
    const { from, below } = pregnantYears;
    checks.add('isPregnant', `A pregnancy is plausible from ${from} to ${below - 1} years only.`);
  }
  if (weeks !== null && input.isPregnant === false)
    checks.add('pregnancyWeeks', 'Leave this empty for a person who is not pregnant.');
  return {
    ageMonths,
    sex,
    pregnant,
    pregnancyWeeks: weeks,
    conditions: list('conditions'),
    medicines: list('medicines'),
  };
}

function checkBloodType(checks: InputChecks, { bloodType, bloodTypeCode }: GuestAssessmentFields): BloodType | null {
  const text = bloodTypeCode?.trim().toUpperCase();
  if (!text) return bloodType ?? null;
  const type = bloodTypes.find(one => one === text);
  if (type === undefined) checks.add('bloodTypeCode', invalidChoiceMessage(bloodTypeCode));
  return type ?? null;
}

/** Maps spellings seen from clients to the published values. */
function checkTrend(
  checks: InputChecks,
  { symptomsTrend, symptomsTrendText }: GuestAssessmentFields,
): ReportedTrend | null {
  const words = symptomsTrendText
    ?.trim()
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ');
  if (!words) return symptomsTrend ?? null;
  const known = trends.get(words);
  if (known === undefined) checks.add('symptomsTrendText', invalidChoiceMessage(symptomsTrendText));
  return known ?? null;
}

const invalidChoiceMessage = (given: string | null | undefined): string =>
  `"${(given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 50)}" is not a valid choice.`;

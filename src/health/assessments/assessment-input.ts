import { bloodTypes } from '../../../schema/health/person.ts';
import { InputChecks } from '../input/input-checks.ts';
import type { SymptomReport, Trend } from './symptom-report.ts';

/** The fields of a guest assessment. */
export interface GuestAssessmentFields {
  subject: string;
  bloodType?: string | null | undefined;
  allergies?: string | undefined;
  symptoms: readonly string[];
  symptomDuration?: string | null | undefined;
  hasOtherSymptoms?: boolean | null | undefined;
  symptomsTrend?: string | null | undefined;
}

export interface AssessmentInput extends GuestAssessmentFields {
  severity?: number | null | undefined;
  additionalNotes?: string | undefined;
}

/** Validated input: what the engine evaluates, and the blood type, which is only stored. */
export interface ValidatedAssessment {
  report: SymptomReport;
  bloodType: string | null;
}

const trends: Record<string, Trend> = {
  'getting worse': 'getting worse',
  worse: 'getting worse',
  worsening: 'getting worse',
  'getting better': 'getting better',
  better: 'getting better',
  improving: 'getting better',
  'no change': 'no change',
  stable: 'no change',
  same: 'no change',
};

/**
 * Validates and normalizes the input of an assessment.
 * @throws field errors
 */
export function validateAssessment(input: AssessmentInput): ValidatedAssessment {
  const checks = new InputChecks();
  const symptoms = checks.texts('symptoms', input.symptoms, { maxItems: 20, maxLength: 100 });
  if (input.symptoms.length === 0) checks.add('symptoms', 'This list may not be empty.');
  const { severity = null } = input;
  if (severity !== null && severity < 1) checks.add('severity', 'Ensure this value is greater than or equal to 1.');
  if (severity !== null && severity > 10) checks.add('severity', 'Ensure this value is less than or equal to 10.');
  const checked: ValidatedAssessment = {
    bloodType: checkBloodType(checks, input.bloodType),
    report: {
      subject: input.subject === 'someone_else' ? 'someone_else' : 'myself',
      symptoms,
      duration:
        checks.text('symptomDuration', input.symptomDuration ?? '', { maxLength: 100, allowBlank: true }) || null,
      hasOtherSymptoms: input.hasOtherSymptoms ?? null,
      trend: checkTrend(checks, input.symptomsTrend),
      allergies: checks.text('allergies', input.allergies ?? '', { maxLength: 1000, allowBlank: true }),
      severity,
      notes: checks.text('additionalNotes', input.additionalNotes ?? '', { maxLength: 2000, allowBlank: true }),
    },
  };
  checks.assertPassed();
  return checked;
}

function checkBloodType(checks: InputChecks, given: string | null | undefined): string | null {
  const type = given?.trim().toUpperCase();
  if (!type) return null;
  if (!bloodTypes.some(one => one === type)) checks.add('bloodType', invalidChoiceMessage(given));
  return type;
}

/** Maps spellings seen from clients to the published values. */
function checkTrend(checks: InputChecks, given: string | null | undefined): Trend | null {
  const words = given
    ?.trim()
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ');
  if (!words) return null;
  const known = Object.hasOwn(trends, words) ? trends[words] : undefined;
  if (known === undefined) checks.add('symptomsTrend', invalidChoiceMessage(given));
  return known ?? null;
}

const invalidChoiceMessage = (given: string | null | undefined): string =>
  `"${(given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 50)}" is not a valid choice.`;

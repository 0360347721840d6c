import { bloodTypes } from '../../../schema/health/user.ts';
import { Checks } from '../../errors/checks.ts';
import type { Told, Trend } from './told.ts';

/** The seven fields that anybody may be asked for. */
export interface SevenFields {
  subject: string;
  bloodType?: string | null | undefined;
  allergies?: string | undefined;
  symptoms: readonly string[];
  symptomDuration?: string | null | undefined;
  hasOtherSymptoms?: boolean | null | undefined;
  symptomsTrend?: string | null | undefined;
}

export interface AssessmentInput extends SevenFields {
  severity?: number | null | undefined;
  additionalNotes?: string | undefined;
}

/** What was told, and the rest that is stored with it. */
export interface CheckedInput {
  told: Told;
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

/** Checks and cleans an assessment's input. Throws field errors, all at once. */
export function checkAssessment(input: AssessmentInput): CheckedInput {
  const checks = new Checks();
  const symptoms = checks.texts('symptoms', input.symptoms, { most: 20, longest: 100 });
  if (input.symptoms.length === 0) checks.add('symptoms', 'This list may not be empty.');
  const { severity = null } = input;
  if (severity !== null && severity < 1) checks.add('severity', 'Ensure this value is greater than or equal to 1.');
  if (severity !== null && severity > 10) checks.add('severity', 'Ensure this value is less than or equal to 10.');
  const checked: CheckedInput = {
    bloodType: bloodType(checks, input.bloodType),
    told: {
      subject: input.subject === 'someone_else' ? 'someone_else' : 'myself',
      symptoms,
      duration: checks.text('symptom_duration', input.symptomDuration ?? '', { most: 100, blank: true }) || null,
      hasOtherSymptoms: input.hasOtherSymptoms ?? null,
      trend: trend(checks, input.symptomsTrend),
      allergies: checks.text('allergies', input.allergies ?? '', { most: 1000, blank: true }),
      severity,
      notes: checks.text('additional_notes', input.additionalNotes ?? '', { most: 2000, blank: true }),
    },
  };
  checks.done();
  return checked;
}

function bloodType(checks: Checks, given: string | null | undefined): string | null {
  const type = given?.trim().toUpperCase();
  if (!type) return null;
  if (!bloodTypes.some(one => one === type)) checks.add('blood_type', notAChoice(given));
  return type;
}

/** Spelled as clients have been seen to spell it; kept in the published words. */
function trend(checks: Checks, given: string | null | undefined): Trend | null {
  const words = given
    ?.trim()
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ');
  if (!words) return null;
  const known = Object.hasOwn(trends, words) ? trends[words] : undefined;
  if (known === undefined) checks.add('symptoms_trend', notAChoice(given));
  return known ?? null;
}

const notAChoice = (given: string | null | undefined): string =>
  `"${(given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 50)}" is not a valid choice.`;

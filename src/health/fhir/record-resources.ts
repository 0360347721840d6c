import type { ConsentRecord } from '../../../schema/health/consent.ts';
import type { AssessmentRow } from '../assessments/assessments.queries.ts';
import type { GoalRow } from '../goals/goals.queries.ts';
import { coding, type FhirElement, type FhirEntry, type FhirSubject, hl7Code, instant } from './fhir-resource.ts';

/** A goal of a person. Deleted ones are cancelled. */
export function goalEntry({ origin, patient }: FhirSubject, goal: GoalRow): FhirEntry {
  const ended = goal.progressPercent === 100 ? 'completed' : 'on-hold';
  const current = goal.isActive ? 'active' : ended;
  const kind = goal.goalType.replaceAll('_', ' ');
  return {
    key: `goal ${goal.id}`,
    resource: {
      resourceType: 'Goal',
      identifier: [{ system: `${origin}/api/v1/health/goals/`, value: String(goal.id) }],
      lifecycleStatus: goal.deletedAt === null ? current : 'cancelled',
      description: { text: goal.description || kind },
      subject: patient,
      startDate: goal.startOn,
      target: [
        {
          measure: { text: kind },
          detailQuantity: { value: Number(goal.targetValue), unit: goal.unit },
          dueDate: goal.targetOn,
        },
      ],
      statusDate: instant(goal.updatedAt)?.slice(0, 10),
      expressedBy: patient,
    },
  };
}

const responseStatuses = { completed: 'completed', pending: 'in-progress', failed: 'stopped' } as const;

/** The questions of an assessment with the answers of the person, and the level that was answered. */
export function assessmentEntry({ origin, patient }: FhirSubject, assessment: AssessmentRow): FhirEntry {
  const item = (linkId: string, text: string, answer: readonly (FhirElement | null)[]): FhirElement | undefined =>
    answer.some(one => one !== null) ? { linkId, text, answer: answer.filter(one => one !== null) } : undefined;
  const text = (value: string | null | undefined): FhirElement | null => (value ? { valueString: value } : null);
  const { hasOtherSymptoms: others } = assessment;
  return {
    key: `assessment ${assessment.id}`,
    resource: {
      resourceType: 'QuestionnaireResponse',
      identifier: { system: `${origin}/api/v1/assessments/`, value: assessment.id },
      status: responseStatuses[assessment.status],
      subject: assessment.subject === 'myself' ? patient : { display: 'Somebody else' },
      authored: instant(assessment.createdAt),
      author: patient,
      source: patient,
      item: [
        item('symptoms', 'Symptoms', assessment.symptoms.map(text)),
        item('symptom-duration', 'Duration of the symptoms', [text(assessment.symptomDuration)]),
        item('other-symptoms', 'Are there further symptoms?', [others === null ? null : { valueBoolean: others }]),
        item('symptoms-trend', 'Trend', [text(assessment.symptomsTrend)]),
        item('severity', 'Severity, 1 to 10', [{ valueInteger: assessment.severity }]),
        item('allergies', 'Allergies', [text(assessment.allergies)]),
        item('blood-type', 'Blood group', [text(assessment.bloodTypeCode)]),
        item('additional-notes', 'Notes', [text(assessment.additionalNotes)]),
        item('triage-level', 'Level of urgency that was answered', [text(assessment.result?.triageLevel)]),
      ],
    },
  };
}

/** A decision about a purpose. `number` counts them, because they have no key of their own. */
export function consentEntry({ patient }: FhirSubject, consent: ConsentRecord, number: number): FhirEntry {
  const { purpose, subject, text, textVersion, provider, givenAt, withdrawnAt } = consent;
  const inForce = withdrawnAt === null ? 'active' : 'inactive';
  return {
    key: `consent ${number} ${purpose} ${subject}`,
    resource: {
      resourceType: 'Consent',
      status: givenAt === null ? 'rejected' : inForce,
      scope: hl7Code('consentscope', 'patient-privacy'),
      category: [coding('http://loinc.org', '59284-0', 'Consent Document')],
      patient,
      dateTime: instant(givenAt ?? withdrawnAt),
      performer: [patient],
      policyRule: { text: `${purpose}, version ${textVersion}${text === '' ? '' : `: ${text}`}` },
      provision: {
        type: givenAt === null ? 'deny' : 'permit',
        period: { start: instant(givenAt), end: instant(withdrawnAt) },
        actor:
          provider === null
            ? []
            : [{ role: hl7Code('v3-ParticipationType', 'IRCP'), reference: { display: provider } }],
        code: subject === '' ? [] : [{ text: subject }],
      },
    },
  };
}

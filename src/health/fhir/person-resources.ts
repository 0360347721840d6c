import type { ProfileRow } from '../accounts/accounts.queries.ts';
import { type FhirElement, type FhirEntry, type FhirSubject, hl7Code } from './fhir-resource.ts';
import { profileObservations, profileSymptom } from './observations.ts';

const genders = { M: 'male', F: 'female', O: 'other' } as const;

/** The Patient whom all resources are about. */
export const patientEntry = (origin: string, profile: ProfileRow): FhirEntry => ({
  key: `patient ${profile.id}`,
  resource: {
    resourceType: 'Patient',
    identifier: [{ system: `${origin}/api/v1/auth/me/`, value: String(profile.id) }],
    active: true,
    name: [
      { use: 'official', text: profile.fullName, family: profile.lastName, given: [profile.firstName] },
      profile.displayName === '' ? undefined : { use: 'nickname', text: profile.displayName },
    ],
    telecom: [
      profile.email === null ? undefined : { system: 'email', value: profile.email },
      profile.phoneNumber === null ? undefined : { system: 'phone', value: profile.phoneNumber },
    ],
    gender: profile.gender === null ? undefined : genders[profile.gender],
    birthDate: profile.bornOn,
  },
});

/** Answers of the profile that name a condition. */
const answered = [
  ['hasHypertension', 'Hypertension'],
  ['hasDiabetes', 'Diabetes'],
  ['hasChronicCondition', 'A chronic condition'],
] as const;

/** Questions of the profile, which can be answered with no, and that the answer is not known. */
const questions = [
  ['hasHypertension', 'hypertension', 'Is the blood pressure high?'],
  ['hasDiabetes', 'diabetes', 'Is there diabetes?'],
  ['hasChronicCondition', 'chronic-condition', 'Is there a chronic condition?'],
  ['isSmoker', 'smoker', 'Does the person smoke?'],
  ['hadRecentSurgery', 'recent-surgery', 'Was there surgery lately?'],
] as const;
const answers = { Y: { valueBoolean: true }, N: { valueBoolean: false }, DK: { valueString: 'Not known' } } as const;

/** The answers to the questions of the profile, and what the person says about themselves; none where all is empty. */
function answersEntry({ patient }: FhirSubject, profile: ProfileRow): FhirEntry[] {
  const items: FhirElement[] = questions.flatMap(([name, linkId, text]) => {
    const answer = profile[name];
    return answer === null ? [] : [{ linkId, text, answer: [answers[answer]] }];
  });
  if (profile.aboutMe.trim() !== '')
    items.push({ linkId: 'about-me', text: 'About me', answer: [{ valueString: profile.aboutMe }] });
  if (items.length === 0) return [];
  const about = { subject: patient, author: patient, source: patient };
  return [
    {
      key: 'profile answers',
      resource: { resourceType: 'QuestionnaireResponse', status: 'completed', ...about, item: items },
    },
  ];
}

/** What a person says of themselves, and nobody has confirmed. */
const asserted = (kind: string): FhirElement => ({
  clinicalStatus: hl7Code(`${kind}-clinical`, 'active'),
  verificationStatus: hl7Code(kind === 'condition' ? 'condition-ver-status' : `${kind}-verification`, 'unconfirmed'),
});

/** The profile: conditions, allergies, symptoms, measures and answers. */
export function profileEntries(subject: FhirSubject, profile: ProfileRow): FhirEntry[] {
  const named = answered.flatMap(([answer, name]) => (profile[answer] === 'Y' ? [name] : []));
  const conditions = [...new Set([...profile.conditions, ...named])].map(name => ({
    key: `condition ${name}`,
    resource: {
      resourceType: 'Condition',
      ...asserted('condition'),
      category: [hl7Code('condition-category', 'problem-list-item')],
      code: { text: name },
      subject: subject.patient,
      asserter: subject.patient,
    },
  }));
  const allergies = profile.allergies.trim() === '' ? [] : [profile.allergies];
  return [
    ...conditions,
    ...allergies.map(text => ({
      key: 'allergies',
      resource: {
        resourceType: 'AllergyIntolerance',
        ...asserted('allergyintolerance'),
        code: { text },
        patient: subject.patient,
        asserter: subject.patient,
      },
    })),
    ...[...new Set(profile.symptoms)].map(symptom => profileSymptom(subject, symptom)),
    ...profileObservations(subject, profile),
    ...answersEntry(subject, profile),
  ];
}

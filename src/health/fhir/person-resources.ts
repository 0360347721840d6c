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
    name: [{ use: 'official', text: profile.fullName, family: profile.lastName, given: [profile.firstName] }],
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

/** What a person says of themselves, and nobody has confirmed. */
const asserted = (kind: string): FhirElement => ({
  clinicalStatus: hl7Code(`${kind}-clinical`, 'active'),
  verificationStatus: hl7Code(kind === 'condition' ? 'condition-ver-status' : `${kind}-verification`, 'unconfirmed'),
});

/** The answers of the profile: conditions, allergies, symptoms and measures. */
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
  ];
}

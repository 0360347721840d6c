import type { SymptomLogRow } from '../symptom-logs/symptom-logs.queries.ts';
import type { VitalReadingRow } from '../vitals/vitals.queries.ts';
import {
  type FhirElement,
  type FhirEntry,
  type FhirSubject,
  hl7Code,
  instant,
  loincCode,
  quantity,
} from './fhir-resource.ts';

interface Measure {
  name: string;
  code: FhirElement;
  category: 'vital-signs' | 'laboratory' | 'activity';
  /** In UCUM. */
  unit: string;
  of(reading: VitalReadingRow): number | string | null;
}

const systolic = loincCode('8480-6', 'Systolic blood pressure');
const diastolic = loincCode('8462-4', 'Diastolic blood pressure');
const pressurePanel = loincCode('85354-9', 'Blood pressure panel with all children optional');
const symptomCode = loincCode('75325-1', 'Symptom');
const bodyWeight = loincCode('29463-7', 'Body weight');
const bodyHeight = loincCode('8302-2', 'Body height');

const measures: readonly Measure[] = [
  {
    name: 'heart-rate',
    code: loincCode('8867-4', 'Heart rate'),
    category: 'vital-signs',
    unit: '/min',
    of: one => one.heartRate,
  },
  {
    name: 'temperature',
    code: loincCode('8310-5', 'Body temperature'),
    category: 'vital-signs',
    unit: 'Cel',
    of: one => one.temperatureC,
  },
  {
    name: 'oxygen-saturation',
    // The profile of vital signs asks for both codes.
    code: {
      coding: [
        { system: 'http://loinc.org', code: '2708-6', display: 'Oxygen saturation in Arterial blood' },
        {
          system: 'http://loinc.org',
          code: '59408-5',
          display: 'Oxygen saturation in Arterial blood by Pulse oximetry',
        },
      ],
      text: 'Oxygen saturation',
    },
    category: 'vital-signs',
    unit: '%',
    of: one => one.oxygenSaturation,
  },
  { name: 'weight', code: bodyWeight, category: 'vital-signs', unit: 'kg', of: one => one.weightKg },
  {
    name: 'blood-glucose',
    code: loincCode('2339-0', 'Glucose [Mass/volume] in Blood'),
    category: 'laboratory',
    unit: 'mg/dL',
    of: one => one.bloodGlucose,
  },
  {
    name: 'steps',
    code: loincCode('55423-8', 'Number of steps in unspecified time Pedometer'),
    category: 'activity',
    unit: '{steps}',
    of: one => one.stepCount,
  },
];

/** The part that all observations have. People report them themselves. */
const observation = ({ patient }: FhirSubject, category: string, code: FhirElement) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [hl7Code('observation-category', category)],
  code,
  subject: patient,
  performer: [patient],
});

/** One Observation for each value of a reading; both pressures are one. Its notes are at the first. */
export function vitalObservations(subject: FhirSubject, reading: VitalReadingRow): FhirEntry[] {
  const about = {
    identifier: [{ system: `${subject.origin}/api/v1/health/vitals/`, value: String(reading.id) }],
    effectiveDateTime: instant(reading.measuredAt),
    issued: instant(reading.createdAt),
  };
  const component = (code: FhirElement, value: number | null): FhirElement[] =>
    value === null ? [] : [{ code, valueQuantity: quantity(value, 'mm[Hg]') }];
  const pressures = [...component(systolic, reading.systolicBp), ...component(diastolic, reading.diastolicBp)];
  const entries: FhirEntry[] =
    pressures.length === 0
      ? []
      : [
          {
            key: `vital ${reading.id} blood-pressure`,
            resource: { ...observation(subject, 'vital-signs', pressurePanel), ...about, component: pressures },
          },
        ];
  for (const { name, code, category, unit, of } of measures) {
    const value = of(reading);
    if (value === null) continue;
    entries.push({
      key: `vital ${reading.id} ${name}`,
      resource: {
        ...observation(subject, category, code),
        ...about,
        valueQuantity: quantity(Number(value), unit),
      },
    });
  }
  const [first, ...others] = entries;
  return first ? [{ ...first, resource: { ...first.resource, note: [{ text: reading.notes }] } }, ...others] : [];
}

/** A symptom of the diary. */
export const symptomObservation = (subject: FhirSubject, log: SymptomLogRow): FhirEntry => ({
  key: `symptom ${log.id}`,
  resource: {
    ...observation(subject, 'survey', symptomCode),
    identifier: [{ system: `${subject.origin}/api/v1/health/symptoms/`, value: String(log.id) }],
    effectiveDateTime: instant(log.loggedAt),
    issued: instant(log.createdAt),
    valueCodeableConcept: { text: log.symptomName },
    bodySite: { text: log.bodyLocation },
    component: [{ code: { text: 'Severity, 1 to 10' }, valueInteger: log.severity }],
    note: [{ text: log.description }],
  },
});

/** A symptom of the profile, without a time. */
export const profileSymptom = (subject: FhirSubject, symptom: string): FhirEntry => ({
  key: `profile symptom ${symptom}`,
  resource: { ...observation(subject, 'survey', symptomCode), valueCodeableConcept: { text: symptom } },
});

/** Weight, height and blood group of the profile, without a time. */
export function profileObservations(
  subject: FhirSubject,
  { weightKg, heightCm, bloodTypeCode }: Record<'weightKg' | 'heightCm' | 'bloodTypeCode', string | null>,
): FhirEntry[] {
  const measured = (name: string, code: FhirElement, value: string | null, unit: string): FhirEntry[] =>
    value === null
      ? []
      : [
          {
            key: `profile ${name}`,
            resource: { ...observation(subject, 'vital-signs', code), valueQuantity: quantity(Number(value), unit) },
          },
        ];
  const bloodGroup = loincCode('882-1', 'ABO and Rh group [Type] in Blood');
  return [
    ...measured('weight', bodyWeight, weightKg, 'kg'),
    ...measured('height', bodyHeight, heightCm, 'cm'),
    ...(bloodTypeCode === null
      ? []
      : [
          {
            key: 'profile blood-group',
            resource: { ...observation(subject, 'laboratory', bloodGroup), valueString: bloodTypeCode },
          },
        ]),
  ];
}

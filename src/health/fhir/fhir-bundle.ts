import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import type { AccountExport } from '../accounts/export-account.ts';
import { type FhirEntry, type FhirSubject, instant, urnOf, withoutEmpty } from './fhir-resource.ts';
import { symptomObservation, vitalObservations } from './observations.ts';
import { patientEntry, profileEntries } from './person-resources.ts';
import { assessmentEntry, consentEntry, goalEntry } from './record-resources.ts';

export const fhirMediaType = 'application/fhir+json; fhirVersion=4.0';

/** Resources of one turn of the event loop: some 5 ms. */
const turnSize = 200;

/**
 * The health data of a person as a Bundle of FHIR R4, of the type `collection`. Data for which FHIR has no resource, such as comments and
 * messages, is in the plain export alone.
 */
export async function fhirBundle(data: AccountExport, origin: string): Promise<string> {
  const patient = patientEntry(origin, data.profile);
  const subject: FhirSubject = { origin, patient: { reference: urnOf(origin, patient.key) } };
  const texts: string[] = [];
  let waiting = 0;
  for (const { key, resource } of entriesOf(data, patient, subject)) {
    texts.push(JSON.stringify({ fullUrl: urnOf(origin, key), resource: withoutEmpty(resource) }));
    if (++waiting % turnSize === 0) await nextEventLoopTurn();
  }
  const head = { resourceType: 'Bundle', type: 'collection', timestamp: instant(data.generatedAt) };
  return `${JSON.stringify(head).slice(0, -1)},"entry":[${texts.join(',')}]}`;
}

function* entriesOf(data: AccountExport, patient: FhirEntry, subject: FhirSubject): Generator<FhirEntry> {
  yield patient;
  yield* profileEntries(subject, data.profile);
  for (const reading of data.vitalReadings) yield* vitalObservations(subject, reading);
  for (const log of data.symptomLogs) yield symptomObservation(subject, log);
  for (const assessment of data.assessments) yield assessmentEntry(subject, assessment);
  for (const goal of data.goals) yield goalEntry(subject, goal);
  for (const [index, consent] of data.consents.entries())
    yield consentEntry(subject, consent, data.consents.length - index);
}

import { createHash } from 'node:crypto';
import { isoInstant } from '../../../schema/vocabulary/scalars.ts';

/** A value of a resource. What is empty is left out by `withoutEmpty`: the format has no null, no empty text and no empty list. */
export type FhirValue = string | number | boolean | null | undefined | readonly FhirValue[] | FhirElement;
export interface FhirElement {
  readonly [name: string]: FhirValue;
}
export interface FhirResource extends FhirElement {
  readonly resourceType: string;
}

/** A resource with what identifies it within the installation. */
export interface FhirEntry {
  key: string;
  resource: FhirResource;
}

/** What all resources of a person refer to. */
export interface FhirSubject {
  /** Of the installation. */
  origin: string;
  /** Reference to the Patient of the same Bundle. */
  patient: FhirElement;
}

const loinc = 'http://loinc.org';
const ucum = 'http://unitsofmeasure.org';
const terminology = 'http://terminology.hl7.org/CodeSystem';

export const coding = (system: string, code: string, display?: string): FhirElement => ({
  coding: [{ system, code, display }],
});
export const loincCode = (code: string, display: string): FhirElement => ({
  ...coding(loinc, code, display),
  text: display,
});
/** A code of one of HL7's own code systems. */
export const hl7Code = (system: string, code: string): FhirElement => coding(`${terminology}/${system}`, code);
/** @param unit in UCUM */
export const quantity = (value: number, unit: string): FhirElement => ({ value, unit, system: ucum, code: unit });
export const instant = (at: string | Date | null): string | undefined => (at === null ? undefined : isoInstant(at));

/** A name-based UUID (RFC 9562, version 8), so that two exports name the same thing in the same way. */
export function urnOf(origin: string, key: string): string {
  const bytes = createHash('sha256').update(`${origin} ${key}`).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Without absent members, blank texts, and lists and objects that have nothing else; undefined if nothing is left. */
export function withoutEmpty(value: FhirValue): FhirValue {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter(one => one !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

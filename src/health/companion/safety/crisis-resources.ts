import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Somewhere to turn to. */
export interface Resource {
  name: string;
  contact: string;
}

interface Country {
  emergency: string;
  /** For thoughts of suicide, and for any other distress. */
  crisis: Resource[];
  /** For violence at home and abuse. */
  abuse: Resource[];
}

/** Two-letter country code → what there is. */
let cached: Record<string, Country> | undefined;

function countries(): Record<string, Country> {
  cached ??= JSON.parse(readFileSync(join(import.meta.dirname, 'crisis-resources.json'), 'utf8')) as Record<
    string,
    Country
  >;
  return cached;
}

const genericEmergency: Resource = { name: 'Emergency services', contact: 'Call your local emergency number' };
const helplineDirectory: Resource = { name: 'Helplines of your country', contact: 'https://findahelpline.com' };

/** Emergency numbers: those of the countries, or the words for wherever somebody is. */
export function emergencyResources(codes: readonly string[]): Resource[] {
  const named = findCountries(codes).map(([code, { emergency }]) => ({
    name: `Emergency services (${code})`,
    contact: emergency,
  }));
  return named.length > 0 ? named : [genericEmergency];
}

/** Where somebody in a crisis can turn to. Never empty. `abuse`: whether it is about violence by somebody else. */
export function crisisResources(codes: readonly string[], abuse: boolean): Resource[] {
  const there = findCountries(codes);
  const lines = there.flatMap(([, country]) => (abuse ? [...country.abuse, ...country.crisis] : country.crisis));
  return [...emergencyResources(codes), ...lines, helplineDirectory];
}

/** A code without an entry is passed over here and refused at no time: the directory stands for it. */
function findCountries(codes: readonly string[]): [string, Country][] {
  return codes.flatMap((code): [string, Country][] => {
    const country = Object.hasOwn(countries(), code) ? countries()[code] : undefined;
    return country ? [[code, country]] : [];
  });
}

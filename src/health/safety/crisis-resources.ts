import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsIn } from './texts.ts';

/** A contact that offers help. */
export interface Resource {
  name: string;
  contact: string;
}

interface Entry extends Resource {
  /** Page that names the number: of the helpline, an authority or a charity; null where none is known. */
  source: string | null;
  /** Month in which the number was read on that page (a stored copy); null where it was not. */
  opened: string | null;
}

interface Country {
  emergency: string;
  /** For suicidal thoughts and other distress. */
  crisis: Entry[];
  /** For domestic violence and abuse. */
  abuse: Entry[];
}

/** Two-letter country code → contacts. */
let cached: Record<string, Country> | undefined;

function countries(): Record<string, Country> {
  cached ??= JSON.parse(readFileSync(join(import.meta.dirname, 'crisis-resources.json'), 'utf8')) as Record<
    string,
    Country
  >;
  return cached;
}

/** Emergency numbers of the countries, or a generic text when none is known. */
export function emergencyResources(codes: readonly string[], language: string | undefined): Resource[] {
  const { services, local } = textsIn(language);
  const named = findCountries(codes).map(([code, { emergency }]) => ({
    name: `${services} (${code})`,
    contact: emergency,
  }));
  return named.length > 0 ? named : [{ name: services, contact: local }];
}

/** Contacts for a crisis; never empty. `abuse`: the crisis is violence by another person. */
export function crisisResources(codes: readonly string[], abuse: boolean, language: string | undefined): Resource[] {
  const there = findCountries(codes);
  const lines = there.flatMap(([, country]) => (abuse ? [...country.abuse, ...country.crisis] : country.crisis));
  const directory = { name: textsIn(language).directory, contact: 'https://findahelpline.com' };
  return [...emergencyResources(codes, language), ...lines.map(({ name, contact }) => ({ name, contact })), directory];
}

/** Unknown country codes are ignored, because the helpline directory covers them. */
function findCountries(codes: readonly string[]): [string, Country][] {
  return codes.flatMap((code): [string, Country][] => {
    const country = Object.hasOwn(countries(), code) ? countries()[code] : undefined;
    return country ? [[code, country]] : [];
  });
}

/** One vignette with what a clinician accepts as its triage. */
export interface TriageItem {
  id: string;
  group: string;
  person: {
    age_years?: number | null;
    sex?: 'female' | 'male' | null;
    pregnant?: boolean | null;
    pregnancy_weeks?: number | null;
    conditions?: string[];
    medicines?: string[];
  };
  symptoms: string[];
  duration: string | null;
  trend: 'getting better' | 'no change' | 'getting worse' | null;
  severity: number | null;
  acceptable: string[];
  emergency: boolean;
  diagnosis: string[];
}

/** Whom a vignette is about, as the rules and the model of the whole report take it. */
export function personOf(person: TriageItem['person']) {
  return {
    ageMonths: person.age_years == null ? null : Math.round(person.age_years * 12),
    sex: person.sex ?? null,
    pregnant: person.pregnant ?? null,
    pregnancyWeeks: person.pregnancy_weeks ?? null,
    conditions: person.conditions ?? [],
    medicines: person.medicines ?? [],
  };
}

/** Names of a condition, compared without spelling variants, plurals and word order inside a phrase. */
export function namesOf(text: string): string[] {
  const inside = [...text.matchAll(/\(([^)]*)\)/g)].map(found => found[1] ?? '');
  return [text.replace(/\([^)]*\)/g, ' '), ...inside].map(foldName).filter(one => one !== '');
}

export function foldName(text: string): string {
  return text
    .toLowerCase()
    .replace(/haem/g, 'hem')
    .replace(/anaem/g, 'anem')
    .replace(/oe(?=[dstm])/g, 'e')
    .replace(/aemi/g, 'emi')
    .replace(/paed/g, 'ped')
    .replace(/rrhoea/g, 'rrhea')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .map(word => (word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word))
    .join(' ');
}

/** Whether a cause, by its names, is one of the reference diagnoses: equal, or the cause's whole name inside the reference. */
export function isNamed(names: readonly string[], references: readonly string[]): boolean {
  return references.some(reference => {
    const wanted = foldName(reference);
    return names.some(name => name === wanted || (name.includes(' ') && ` ${wanted} `.includes(` ${name} `)));
  });
}

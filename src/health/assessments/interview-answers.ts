import type { PersonFacts, Sex } from 'triage/knowledge/person-facts';
import type { SymptomReport } from './symptom-report.ts';

/** Age bands between the thresholds of the rules, each with an age inside. */
export const ageBands: readonly (readonly [text: string, months: number])[] = [
  ['Below 3 months', 1],
  ['3 to 5 months', 4],
  ['6 months to 4 years', 24],
  ['5 to 15 years', 120],
  ['16 to 49 years', 360],
  ['50 to 64 years', 680],
  ['65 years or older', 840],
];

/** Texts of answers about the person. They are sent among the symptoms, where the body has no field for the fact. */
export const answerTexts = {
  age: (band: string): string => `Age: ${band.charAt(0).toLowerCase()}${band.slice(1)}`,
  pregnant: (isPregnant: boolean): string => `Pregnant: ${isPregnant ? 'yes' : 'no'}`,
  sex: (sex: Sex): string => `Sex at birth: ${sex}`,
};

type AnsweredFacts = Partial<Pick<PersonFacts, 'ageMonths' | 'pregnant' | 'sex'>>;

const factsOf: ReadonlyMap<string, AnsweredFacts> = new Map<string, AnsweredFacts>([
  ...ageBands.map(([band, ageMonths]) => [answerTexts.age(band).toLowerCase(), { ageMonths }] as const),
  ...[true, false].map(pregnant => [answerTexts.pregnant(pregnant).toLowerCase(), { pregnant }] as const),
  ...(['female', 'male'] as const).map(sex => [answerTexts.sex(sex).toLowerCase(), { sex }] as const),
]);

/** The report with the answers about the person among its symptoms as facts. What the report states itself takes precedence. */
export function withAnsweredFacts(report: SymptomReport): SymptomReport {
  const person = { ...report.person };
  const symptoms: string[] = [];
  for (const text of report.symptoms) {
    const facts = factsOf.get(text.toLowerCase());
    if (!facts) {
      symptoms.push(text);
      continue;
    }
    person.ageMonths ??= facts.ageMonths ?? null;
    person.pregnant ??= facts.pregnant ?? null;
    person.sex ??= facts.sex ?? null;
  }
  return symptoms.length === report.symptoms.length ? report : { ...report, symptoms, person };
}

import { detectLanguage } from './detect-language.ts';
import { foldText } from './fold-text.ts';
import { type CrisisKind, languages } from './language-tables.ts';
import { type Flag, Reading } from './reading.ts';

/** What the tables of all languages find in a message. */
export interface Signs {
  crises: ReadonlySet<CrisisKind>;
  /** Whether another person than the writer is named, in the language of a crisis. */
  namesPerson: boolean;
  /** Emergencies, and signs that ask for a doctor within a day. */
  emergencies: readonly Flag[];
  soon: readonly Flag[];
  /** Code of the language of the message. */
  language: string | undefined;
  /** Codes of the languages whose tables find any of them. */
  foundIn: readonly string[];
}

/** `facts`: signs that are known without the message; they count beside one of its own. Checks a message against the tables of every language: people mix languages, and a wrong guess must not hide a sign. */
export function findSigns(message: string, facts: readonly string[] = []): Signs {
  const tokens = foldText(message);
  const readings = languages().map(one => new Reading(one, tokens));
  const own = detectLanguage(tokens);
  const context = readings.find(({ code }) => code === own);
  const crises = new Set<CrisisKind>();
  const emergencies = new Map<string, Flag>();
  const soon = new Map<string, Flag>();
  let namesPerson = false;
  const found: string[] = [];
  for (const reading of readings) {
    const kinds = reading.crises(context);
    const rules = reading.emergencies(context, facts);
    if (kinds.length > 0 && (reading.namesPerson || context?.namesPerson)) namesPerson = true;
    if (kinds.length + rules.length > 0) found.push(reading.code);
    for (const kind of kinds) crises.add(kind);
    for (const { label, level, whose } of rules) {
      const into = level === 'urgent' ? soon : emergencies;
      if (!into.has(label)) into.set(label, { label, whose });
    }
  }
  const language = own ?? found[0];
  return {
    crises,
    namesPerson,
    emergencies: [...emergencies.values()],
    soon: [...soon.values()],
    language,
    foundIn: found,
  };
}

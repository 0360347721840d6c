import type { DangerFacts, Finding, Sign, Whose } from './finding.ts';
import type { SafetyClassification } from './signs/classify-by-rules.ts';
import { classifyInTurns } from './signs/classify-message.ts';
import { conceptsIn } from './signs/concepts.ts';
import { foldText } from './signs/fold-text.ts';
import { namedSigns } from './signs/named-signs.ts';
import { findingOfReading } from './signs/readings.ts';
import { unreadLanguage } from './signs/unread-language.ts';
import { whoseIs } from './signs/whose.ts';

export {
  type DangerFacts,
  type DangerLevel,
  dangerLevels,
  type Finding,
  isMedicalAlarm,
  nothingFound,
  type Sign,
} from './finding.ts';

/**
 * Finds danger in what a person wrote, without storing its words. Linear in the length; at most 8,000 characters are read. Works in turns
 * of the event loop.
 */
export async function findDanger(text: string, person: DangerFacts = {}): Promise<Finding> {
  const classified = await classifyInTurns(text, factSigns(person));
  const tokens = foldText(text.slice(0, maxLength));
  const found = findingOf(classified, () => whoseIs(tokens, classified.language ?? 'en', complaints));
  const unread = unreadLanguage(text, tokens);
  // An alarm that the tables of a related language or script raise stays; that they raise none says nothing.
  if (unread !== undefined) return { ...found, language: unread, isLanguageRead: false };
  if (found.level !== null) return found;
  const language = classified.language ?? 'en';
  const isComplaint = conceptsIn(tokens, language).some(name => complaints.has(name));
  return { ...found, language: tokens.length > 0 ? language : null, level: isComplaint ? 'routine' : null };
}

/** Characters that are read, as in `classifyInTurns`. */
const maxLength = 8_000;

/** Concepts that name a complaint, which alone asks for an appointment at most. */
const complaints: ReadonlySet<string> = new Set([
  ...namedSigns.emergency.map(({ concept }) => concept).filter(concept => concept !== 'mistake' && concept !== 'pills'),
  'chronic',
  'smallbody',
]);

/** A baby of this age or less with a fever needs a doctor at once (NICE NG143): three months. */
const infantYears = 0.25;

/** Signs of the tables that known facts tell, as if the text said them. */
function factSigns({ ageYears, isPregnant, conditions = [] }: DangerFacts): string[] {
  return [
    ...(ageYears !== undefined && ageYears < infantYears ? ['infant'] : []),
    ...(isPregnant ? ['pregnant'] : []),
    ...(conditions.some(name => /diabet/i.test(name)) ? ['diabetes'] : []),
    ...(conditions.some(name => /chemo|transplant|leuk|lymphom|immunosup|neutropen/i.test(name)) ? ['chemo'] : []),
  ];
}

/**
 * Finds danger in a measured value or a goal.
 * @param kind that of a vital reading, such as `blood_pressure`, or of a goal, such as `weight`
 * @param value as stored: «212/128» for a pressure
 */
export function findDangerOfReading(
  kind: string,
  value: string | number,
  unit: string | null,
  person: DangerFacts & { heightCm?: number | undefined; isGoal?: boolean | undefined } = {},
): Finding {
  return findingOfReading(kind, value, unit, person);
}

function findingOf({ level, about, flags, emergency, language }: SafetyClassification, told: () => Whose): Finding {
  const signs: Sign[] = flags.map(({ label, whose }) => ({
    id: label.toLowerCase().replace(/[^a-z]+/g, '-'),
    label,
    kind: 'medical',
    whose,
  }));
  const base = {
    isEmergency: emergency,
    language: language ?? 'en',
    isLanguageRead: true,
    whose: signs[0]?.whose ?? told(),
  };
  if (level === 'crisis') {
    const kind = about ?? 'self';
    const whose = kind === 'other' ? 'other' : 'writer';
    return {
      ...base,
      level: 'crisis',
      whose,
      signs: [{ id: `crisis-${kind}`, label: 'Crisis', kind, whose }, ...signs],
    };
  }
  if (level === 'urgent') return { ...base, level: emergency ? 'emergency' : 'urgent', signs };
  return { ...base, level: null, signs };
}

import { findSigns, type Signs } from './find-signs.ts';
import type { Flag } from './reading.ts';

export interface SafetyClassification {
  level: 'none' | 'urgent' | 'crisis';
  /** In a crisis: danger to oneself, another person's danger to themselves, violence by others, or harm to others. */
  about: 'self' | 'other' | 'abuse' | 'harm' | undefined;
  /** Medical red flags, emergencies first. */
  flags: readonly Flag[];
  /** Whether one of them is an emergency. */
  emergency: boolean;
  /** Code of the language of the message; undefined for English and where nothing tells. */
  language?: string;
}

export const noRisk: SafetyClassification = { level: 'none', about: undefined, flags: [], emergency: false };

/** What the rules find. */
export interface Finding {
  classification: SafetyClassification;
  /** Codes of the languages whose tables find something, where that of the message is none of them: mostly a chance likeness. */
  foreign: readonly string[];
}

/** The level that the signs of the tables make together. `facts`: signs that are known without the message. */
export function classifyByRules(bounded: string, facts: readonly string[] = []): Finding {
  const signs = findSigns(bounded, facts);
  const { language, foundIn, crises, emergencies, soon } = signs;
  const flags = [...emergencies, ...soon];
  const level = crises.size > 0 ? 'crisis' : flags.length > 0 ? 'urgent' : 'none';
  return {
    classification: {
      level,
      about: crises.size > 0 ? subjectOf(signs) : undefined,
      flags,
      emergency: emergencies.length > 0,
      ...(language === undefined || language === 'en' ? {} : { language }),
    },
    foreign: language === undefined || foundIn.includes(language) ? [] : foundIn,
  };
}

function subjectOf({ crises, namesPerson }: Signs): NonNullable<SafetyClassification['about']> {
  if (crises.has('self')) return 'self';
  if (crises.has('abuse')) return 'abuse';
  if (crises.has('any')) return namesPerson ? 'other' : 'self';
  return 'harm';
}

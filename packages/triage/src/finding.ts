/**
 * How soon help is needed, the highest first: `crisis` is danger by one's own hand or by another person, `emergency` asks to call now, `urgent` for a
 * doctor within a day, `routine` for an appointment, `self_care` for nobody.
 */
export const dangerLevels = ['crisis', 'emergency', 'urgent', 'routine', 'self_care'] as const;
export type DangerLevel = (typeof dangerLevels)[number];

/** Whether a level asks for medical help at once or within a day. A crisis has texts of its own. */
export const isMedicalAlarm = (level: DangerLevel | null): level is 'emergency' | 'urgent' =>
  level === 'emergency' || level === 'urgent';

export type Whose = 'writer' | 'other';

/** What made the level. */
export interface Sign {
  /** Stable name, such as `chest-pain`. */
  id: string;
  /** What is shown to people who read English, such as «Chest pain». */
  label: string;
  /** In a crisis the kind of danger: to oneself, another person's to themselves, by others, to others. Otherwise `medical`. */
  kind: 'self' | 'other' | 'abuse' | 'harm' | 'medical';
  whose: Whose;
}

/** The level of what a person wrote, the same for the same text behind every door. */
export interface Finding {
  /** Null: nothing about an illness is found. */
  level: DangerLevel | null;
  signs: readonly Sign[];
  /** Of whom the text tells: the facts that are known of its writer say nothing about another person. */
  whose: Whose;
  /** In a crisis: whether the emergency number must be called as well, as after an overdose that is taken. */
  isEmergency: boolean;
  /** Code of the language of the text; null where nothing tells. */
  language: string | null;
  /** Whether the engine reads that language for danger. */
  isLanguageRead: boolean;
}

/** That of no text. */
export const nothingFound: Finding = {
  level: null,
  signs: [],
  whose: 'writer',
  isEmergency: false,
  language: null,
  isLanguageRead: true,
};

/** What is known of the person whom a text is about. */
export interface DangerFacts {
  ageYears?: number | undefined;
  sex?: string | undefined;
  isPregnant?: boolean | undefined;
  conditions?: readonly string[] | undefined;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Danger to oneself, another person's to themselves, violence by others, or harm to others. */
export type CrisisSubject = 'self' | 'other' | 'abuse' | 'harm';

/** Texts of one language; the keys are the same in each. */
interface Texts extends Record<CrisisSubject, string> {
  close: Record<CrisisSubject, string>;
  /** In a crisis with a medical emergency, such as an overdose that is taken already. */
  emergency: string;
  program: string;
  /** Title of a crisis. */
  crisis: string;
  urgent: string;
  alone: string;
  /** For a sign that asks for a doctor within a day. */
  soon: string;
  noArticle: string;
  /** Answers to a greeting, and to thanks. */
  hello: string;
  thanks: string;
  /** Hands a question about symptoms to an assessment. */
  assess: string;
  /** Introduces the description of a condition, whose name stands for `{name}`. */
  condition: string;
  /** Introduces quotations of articles. */
  quotes: string;
  /** The same for articles in English where the question is in another language. */
  quotesInEnglish: string;
  disclaimer: string;
  /** Why quotations replace the answer of a model. */
  fallback: Record<'rejected' | 'late' | 'failed', string>;
  services: string;
  local: string;
  directory: string;
}

let cached: Record<string, Texts> | undefined;

/** The texts by code of language. */
export function allTexts(): Readonly<Record<string, Texts>> {
  cached ??= JSON.parse(readFileSync(join(import.meta.dirname, 'texts.json'), 'utf8')) as Record<string, Texts>;
  return cached;
}

/** Texts in a language, or in English when there are none. */
export function textsIn(language = 'en'): Texts {
  const all = allTexts();
  const texts = (Object.hasOwn(all, language) && all[language]) || all.en;
  if (!texts) throw new Error('There are no English texts.');
  return texts;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SafetyClassification } from './classify-by-rules.ts';

type About = NonNullable<SafetyClassification['about']>;

/** Texts of one language; the keys are the same in each. */
interface Texts extends Record<About, string> {
  close: Record<About, string>;
  /** In a crisis with a medical emergency, such as an overdose that is taken already. */
  emergency: string;
  program: string;
  urgent: string;
  alone: string;
  /** For a sign that asks for a doctor within a day. */
  soon: string;
  noArticle: string;
  /** Introduces quotations of articles. */
  quotes: string;
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

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
  services: string;
  local: string;
  directory: string;
}

let cached: Record<string, Texts> | undefined;

/** Texts in a language, or in English when there are none. */
export function textsIn(language: string | undefined): Texts {
  cached ??= JSON.parse(readFileSync(join(import.meta.dirname, 'texts.json'), 'utf8')) as Record<string, Texts>;
  const texts = (Object.hasOwn(cached, language ?? 'en') && cached[language ?? 'en']) || cached.en;
  if (!texts) throw new Error('There are no English texts.');
  return texts;
}

import type { Finding } from 'triage';
import { knowledge } from 'triage/knowledge/knowledge';

/** Least share of English words of a text whose language is taken for another: names of illnesses are alike in many languages. */
const minEnglishShare = 0.5;
/** Shorter texts in Latin letters say too little about their language. */
const minWords = 3;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];

let english: ReadonlySet<string> | undefined;

/** Ordinary words, and those of symptoms, which are left out of them. */
function englishWords(): ReadonlySet<string> {
  const { ordinaryWords, symptoms, classes } = knowledge();
  english ??= new Set([
    ...ordinaryWords,
    ...[...symptoms.values()].flatMap(({ terms, label }) => [label, ...terms]).flatMap(wordsOf),
    ...Object.values(classes).flat().flatMap(wordsOf),
  ]);
  return english;
}

/** Whether a report is in another language than English, whose words the rules would misread: «pile» is a battery. */
export function isInAnotherLanguage(text: string, { language, isLanguageRead }: Finding): boolean {
  if (!isLanguageRead) return true;
  if (language === null || language === 'en') return false;
  const words = wordsOf(text);
  const latin = words.filter(word => /\p{Script=Latin}/u.test(word));
  if (latin.length * 2 < words.length) return true;
  const known = latin.filter(word => englishWords().has(word)).length;
  return words.length >= minWords && known < minEnglishShare * words.length;
}

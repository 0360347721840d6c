import type { Token } from './fold-text.ts';
import { languages } from './language-tables.ts';

/** Languages that are known by their script alone. */
const scripts: readonly [RegExp, string][] = [
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Cyrillic}/u, 'ru'],
];

/** The language of a message by its script or by its frequent short words; undefined when nothing tells. */
export function detectLanguage(tokens: readonly Token[]): string | undefined {
  for (const [script, code] of scripts) {
    const count = tokens.filter(({ text }) => script.test(text)).length;
    if (count > 0 && count * 2 >= tokens.length) return code;
  }
  const words = [...new Set(tokens.map(({ text }) => text))];
  let best: string | undefined;
  let most = 0;
  for (const { code, common } of languages()) {
    const count = words.filter(word => common.has(word)).length;
    // English wins a tie, because the service is in English.
    if (count > most || (count === most && count > 0 && code === 'en')) [best, most] = [code, count];
  }
  return best;
}

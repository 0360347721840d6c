import type { Token } from './fold-text.ts';
import { scoreLanguages } from './message-model.ts';

/** Languages that are known by their script alone. */
const scripts: readonly [RegExp, string][] = [
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Cyrillic}/u, 'ru'],
];

/** Least probability of a language; below it nothing tells. */
const minProbability = 0.5;

/** The language of a message by its script, or by its words and their parts; undefined when nothing tells. */
export function detectLanguage(tokens: readonly Token[]): string | undefined {
  const script = detectScript(tokens);
  if (script !== undefined || tokens.length === 0) return script;
  const [language, probability] = Object.entries(scoreLanguages(tokens)).reduce((best, one) =>
    one[1] > best[1] ? one : best,
  );
  return probability >= minProbability ? language : undefined;
}

/** The language whose script at least half of the words are written in. */
export function detectScript(tokens: readonly Token[]): string | undefined {
  for (const [script, code] of scripts) {
    const count = tokens.filter(({ text }) => script.test(text)).length;
    if (count > 0 && count * 2 >= tokens.length) return code;
  }
  return undefined;
}

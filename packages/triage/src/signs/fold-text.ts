import { Converter } from 'opencc-js/t2cn';
import { normalizeText } from '../text/normalize-text.ts';

/** One word of a folded text; in Chinese one character. */
export interface Token {
  text: string;
  /** Number of its sentence. */
  sentence: number;
  /** Number of its part between commas. */
  clause: number;
}

/**
 * Letters that Unicode does not decompose or that people write for one another: the dotless i of Turkish, forms of Arabic
 * letters, digits.
 */
const letters = new Map(
  Object.entries({ ı: 'i', ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o' })
    .concat([...'أإآٱ'].map(letter => [letter, 'ا']))
    .concat([
      ['ى', 'ي'],
      ['ی', 'ي'],
      ['ئ', 'ي'],
      ['ک', 'ك'],
      ['ة', 'ه'],
      ['ؤ', 'و'],
      ['ँ', 'ं'],
    ])
    .concat(
      [...'٠١٢٣٤٥٦٧٨٩'].map((digit, at) => [digit, String(at)]),
      [...'०१२३४५६७८९'].map((digit, at) => [digit, String(at)]),
    ),
);

// recheck-ignore: one character
const writtenOtherwise = new RegExp(`[${[...letters.keys()].join('')}]`, 'gu');

/** Accents of alphabets; the vowel signs of Devanagari are marks as well and stay. */
const accents = /[\u0300-\u036f]/g;
/** Vowel signs of Arabic and the tatweel, the nukta of Hindi, joiners, directions and soft hyphens. */
const decoration = /[\u064b-\u065f\u0670\u0640\u093c\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** «Don't» is one word, which many write without its apostrophe; «l'ambulance» is two. */
const contraction = /(\p{L})['’‘ʼ`´](t|s|ll|re|ve|d|m)(?!\p{L})/gu;
const han = /\p{Script=Han}/u;
/** A decimal is one word, with a point: «38,4» is no end of a clause. */
const decimal = /(?<![\p{L}\p{N}.,])(\d{1,3})[.,٫](\d{1,2})(?![\d]|[.,]\d)/gu;
const wordPattern = /\p{Script=Han}|\d+\.\d+|[\p{L}\p{M}\p{N}]+|[.!?;,:\n\r。、؟।،؛…]+/gu;

/**
 * Splits a text into words without case, accents and other variants of writing. A Chinese character is a word of its own:
 * a segmenter splits a phrase differently according to what stands around it, and its dictionary changes with the version
 * of ICU, while a sequence of characters always matches.
 */
export function foldText(text: string): Token[] {
  const tokens: Token[] = [];
  let sentence = 0;
  let clause = 0;
  for (const [found] of foldLetters(text).matchAll(wordPattern)) {
    if (!/[\p{L}\p{N}]/u.test(found)) {
      clause++;
      if (/[^,:、،]/.test(found)) sentence++;
      continue;
    }
    for (const word of splitHan(found)) tokens.push({ text: word, sentence, clause });
  }
  return tokens;
}

/** The text without case, accents and other variants of writing; its words and marks stay where they are. */
export function foldLetters(text: string): string {
  const plain = simplifiedChinese(normalizeText(text, 'NFKC'))
    .toLowerCase()
    .replace(decoration, '')
    .normalize('NFD')
    .replace(accents, '');
  return plain
    .replace(decoration, '')
    .normalize('NFC')
    .replace(contraction, '$1$2')
    .replace(writtenOtherwise, letter => letters.get(letter) ?? letter)
    .replace(decimal, '$1.$2');
}

let converter: ((text: string) => string) | undefined;

/** Traditional Chinese characters as simplified ones. The dictionary is read in 7 ms at the first Chinese text. */
function simplifiedChinese(text: string): string {
  if (!han.test(text)) return text;
  const convert = converter ?? Converter({ from: 't', to: 'cn' });
  converter = convert;
  return convert(text);
}

/** The words of a run of letters, in which characters may stand beside Latin letters or digits: «39度». */
export function splitHan(word: string): string[] {
  return word.match(/\p{Script=Han}|[^\p{Script=Han}]+/gu) ?? [];
}

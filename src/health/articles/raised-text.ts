export interface RaisedPlace {
  kind: 'sup' | 'sub';
  /** Last character of the text before, and first characters of the text after; '' at a border of the line. */
  before: string;
  after: string;
}

/** The characters of `written` for digits, signs and brackets. */
const writtenAs = (written: string): ReadonlyMap<string, string> =>
  new Map([...'0123456789+-−–=()'].map((character, at) => [character, [...written][at] ?? character]));
const superscripts = new Map([...writtenAs('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾'), ['n', 'ⁿ']]);
const subscripts = writtenAs('₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎');

const trademarks: ReadonlyMap<string, string> = new Map([
  ['tm', '™'],
  ['sm', '℠'],
  ['r', '®'],
  ['c', '©'],
]);
const ordinal = /^(?:st|nd|rd|th|er|re|ère|ere|e|es|ème|eme|è|a|as|os|ª|º|te|ter|de)$/i;

/**
 * A superscript or subscript in plain text. In a health article `10<sup>6</sup>` must not become 106, nor `1<sup>1</sup>/<sub>2</sub>`
 * tablets 11/2: digits get their own characters, other exponents `^`, and only what cannot be read as part of the number stays as it is.
 */
export function raisedText(text: string, { kind, before, after }: RaisedPlace): string {
  const written = text.replace(/\s+/g, ' ').trim();
  if (written === '') return text === '' ? '' : ' ';
  const characters = kind === 'sup' ? superscripts : subscripts;
  const mapped = [...written].map(character => characters.get(character));
  if (mapped.every(character => character !== undefined)) return mapped.join('');
  if (/^\d+\/\d+$/.test(written)) return mapAll(written, characters);
  return kind === 'sup' ? superscript(written, before, after) : subscript(written, before, after);
}

const mapAll = (text: string, characters: ReadonlyMap<string, string>): string =>
  [...text].map(character => characters.get(character) ?? character).join('');

function superscript(text: string, before: string, after: string): string {
  const afterDigit = /\d/.test(before);
  if (/^\p{L}+$/u.test(text)) {
    const trademark = trademarks.get(text.toLowerCase());
    if (trademark && !(afterDigit && text.length === 1)) return trademark;
    if (/^o$/i.test(text) && afterDigit) return /^\s*[CF]\b/.test(after) ? '°' : 'º';
    if (ordinal.test(text) && afterDigit) return text;
    if (!afterDigit && (text.length > 1 || before === '' || !/\p{L}/u.test(before))) return text;
  }
  // Marks of footnotes: `50 mg[1]`, `50 mg*`, and after a word `¹,²`.
  if (/^[[*†‡§¶°′″®™©ªº'"\s]/u.test(text)) return text;
  if (/^\d+(?:[,;\s–-]+\d+)*$/.test(text) && !afterDigit) return mapAll(text, superscripts);
  return `^${grouped(text, after)}`;
}

function subscript(text: string, before: string, after: string): string {
  // `HbA<sub>1c</sub>`, `C<sub>max</sub>`
  if (/^[\p{L}\d]+$/u.test(text) && !/\d/.test(before)) return mapAll(text, subscripts);
  return `_${grouped(text, after)}`;
}

function grouped(text: string, after: string): string {
  const isOneWord =
    /^(?:[-+−–]?\d+(?:[.,]\d+)?|\p{L}+)$/u.test(text) && !/^[\p{L}\p{N}(.,]/u.test(after.replace(/^[.,](?!\d)/, ''));
  const signed = text.replace(/[–-](?=\d)/g, '−');
  return isOneWord ? signed : `(${signed})`;
}

/**
 * The stem of an English word as PostgreSQL's `english_stem` makes it (Snowball, «Porter2»): terms are looked up among stems that the
 * database wrote, and the vocabulary is matched with what people write, before anything is asked of the database.
 * No package: those of npm implement the older Porter algorithm, whose stems differ in one word of eight.
 */
export function englishStem(word: string): string {
  const given = word.toLowerCase().replace(/[’']s?$/, '');
  if (given.length < 3 || !/^[a-z']+$/.test(given)) return given;
  const exception = exceptions.get(given);
  if (exception !== undefined) return exception;
  return stemOf(given);
}

const exceptions: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ['sky', 'sky'],
  ['news', 'news'],
  ['howe', 'howe'],
  ['atlas', 'atlas'],
  ['cosmos', 'cosmos'],
  ['bias', 'bias'],
  ['andes', 'andes'],
]);

/** Words that stay as they are after the plural is removed. */
const finished = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

const vowel = /[aeiouy]/;
/** A vowel, something after it, and an s. */
const pluralWord = /^[^aeiouy]*[aeiouy].+s$/;
const shortSyllable = /(^[aeiouy][^aeiouy]$)|([^aeiouy][aeiouy][^aeiouywxY]$)/;

/** Lengths of the parts in front of the regions R1 and R2. */
function regionsOf(word: string): [number, number] {
  const after = (from: number): number => {
    const found = /[aeiouy][^aeiouy]/.exec(word.slice(from));
    return found ? from + found.index + 2 : word.length;
  };
  const first = /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? after(0);
  return [first, after(first)];
}

const endings2: [string, string][] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]; // prettier-ignore
const endings3: [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]; // prettier-ignore
const endings4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic'.split(' ');

function stemOf(given: string): string {
  let word = given
    .replace(/^'/, '')
    .replace(/^y/, 'Y')
    .replace(/([aeiouy])y/g, '$1Y');
  const [r1, r2] = regionsOf(word);
  const ends = (ending: string): boolean => word.endsWith(ending);
  const cut = (count: number): string => word.slice(0, word.length - count);
  const isIn = (region: number, ending: string): boolean => word.length - ending.length >= region;
  // Plurals.
  if (ends('sses')) word = cut(2);
  else if (/(?:ied|ies)$/.test(word)) word = word.length > 4 ? cut(2) : cut(1);
  else if (!/(?:us|ss)$/.test(word) && pluralWord.test(word)) word = cut(1);
  if (finished.has(word)) return word;
  // Past and continuous forms.
  const eed = /(?:eedly|eed)$/.exec(word)?.[0];
  const ed = /(?:ingly|edly|ing|ed)$/.exec(word)?.[0];
  if (eed) {
    if (isIn(r1, eed)) word = `${cut(eed.length)}ee`;
  } else if (ed && vowel.test(cut(ed.length))) {
    word = cut(ed.length);
    if (/(?:at|bl|iz)$/.test(word)) word += 'e';
    else if (/..(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$|[^aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(word)) word = cut(1);
    else if (r1 >= word.length && shortSyllable.test(word)) word += 'e';
  }
  if (/.[^aeiouy][yY]$/.test(word)) word = `${cut(1)}i`;
  word = replaceEnding(word, r1, endings2, /(?:ogi|li)$/, rest =>
    /logi$/.test(rest) ? cutEnd(rest, 1) : /[cdeghkmnrt]li$/.test(rest) ? cutEnd(rest, 2) : rest,
  );
  word = replaceEnding(word, r1, endings3, /ative$/, rest => (rest.length - 5 >= r2 ? cutEnd(rest, 5) : rest));
  const last = endings4.find(ends) ?? (/[st]ion$/.test(word) ? 'ion' : undefined);
  if (last !== undefined && isIn(r2, last)) word = cut(last.length);
  if (ends('e') && (isIn(r2, 'e') || (isIn(r1, 'e') && !shortSyllable.test(cut(1))))) word = cut(1);
  else if (ends('ll') && isIn(r2, 'l')) word = cut(1);
  return word.toLowerCase();
}

const cutEnd = (word: string, count: number): string => word.slice(0, word.length - count);

/** Replaces the longest of the endings if it is in the region; `otherwise` treats the endings that have conditions of their own. */
function replaceEnding(
  word: string,
  region: number,
  endings: readonly [string, string][],
  special: RegExp,
  otherwise: (word: string) => string,
): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found) {
    const [ending, replacement] = found;
    return word.length - ending.length >= region ? cutEnd(word, ending.length) + replacement : word;
  }
  const ending = special.exec(word)?.[0];
  return ending !== undefined && word.length - ending.length >= region ? otherwise(word) : word;
}

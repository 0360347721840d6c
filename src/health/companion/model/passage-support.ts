import type { Passage } from '../engine.ts';

/** Share of the content words of a claim that its passages must hold. */
const minCoverage = 0.5;
/** Words compared by their beginning: «exercise» and «exercising». */
const stemLength = 5;

const stopWords = new Set(
  `a about above after again all also am an and any are as at away be because been before being below between both but by can come
comes could did do does doing down during each even every few for from further get gets go goes had has have having he her here hers
him his how however i if in into is it its itself just keep let like make makes may me might more most much must my need needs now of
off often on once one or other others otherwise our out over own part people person please put rather really same seem seems she should
show shows since so some somebody someone something such than that the their them then there these they thing things this those through
to together too toward under until up upon us use used using usually very was way we well were what when where whether which while who
whom whose why will with within without would yes yet you your yours yourself able across according another around back call called case
certain else ever find first give given good help helps helpful known many mean means new next nor not no never none nothing often say
says still take takes taken tell though thus try worth article articles passage passages example mentioned states called etc
sometimes common commonly possible able lot lots kind several quite simply day days year years week weeks time times month months
everyone anyone everybody anybody own looking look want wants different
gram grams gramme grammes kilogram kilograms kilo kilos milligram milligrams litre litres liter liters millilitre millilitres milliliter milliliters
centimetre centimetres centimeter centimeters metre metres meter meters inch inches foot feet pound pounds ounce ounces percent percentage degree degrees
celsius fahrenheit mmol mol mmhg kcal minute minutes hour hours second seconds cup cups glass glasses spoon teaspoon teaspoons tablespoon tablespoons`.split(
    /\s+/,
  ),
);

/** Words that strengthen a claim or turn it into advice; they must stand in the passages. */
// recheck-ignore: one word of a sentence, which has at most 1,000 characters
const strengthening =
  /^(?:cur(?:e|es|ed|ing)|heal\w*|revers\w*|guarantee\w*|detox\w*|miracle|replac\w*|instead|superfluous|harmless|disappear\w*|vanish\w*|permanent\w*|completely|definitely|certainly|always|reliabl\w*|proven|clears?|cleared|melts?|destroy\w*|starv\w*|eliminat\w*|flush\w*|cleans\w*|autism|unnecessary|needless|pointless|useless|overrated|harmful|poison\w*|faster|better|best|stronger|superior|first-line|safely|skip\w*|quit\w*|doubl\w*|halv\w*|tripl\w*|ignor\w*|avoid\w*|only|sufficient|enough|all|nine|everyone|nobody|prevents?|advis\w*)$/;

const negation =
  /\b(?:no|not|never|nothing|none|neither|nor|without|cannot|can['’]t|don['’]t|doesn['’]t|isn['’]t|aren['’]t|won['’]t|nobody|hardly|against|myth)\b/gi;

const numberWords: ReadonlyMap<string, string> = new Map([
  ['two', '2'],
  ['three', '3'],
  ['four', '4'],
  ['five', '5'],
  ['six', '6'],
  ['seven', '7'],
  ['eight', '8'],
  ['nine', '9'],
  ['ten', '10'],
  ['twelve', '12'],
  ['fifteen', '15'],
  ['twenty', '20'],
  ['thirty', '30'],
  ['forty', '40'],
  ['fifty', '50'],
  ['sixty', '60'],
  ['hundred', '100'],
  ['thousand', '1000'],
  ['half', '1/2'],
]);

/** «1,500» is 1500, «5,5» and «5.50» are 5.5. */
const plainNumber = (number: string): string =>
  String(Number(number.replace(/,(?=\d{3}\b)/g, '').replace(',', '.')) || number);

/** Numbers of a text, also in words, without those of citations. */
function numbersOf(text: string): string[] {
  const plain = text.replace(/\[\d[\d,\s]*\]/g, '').toLowerCase();
  const digits = plain.match(/\d+(?:[.,]\d+)*/g) ?? [];
  const words = plain.match(/[a-z]+/g)?.flatMap(word => numberWords.get(word) ?? []) ?? [];
  const halves = /½|\b1\/2\b/.test(plain) ? ['1/2'] : [];
  return [...digits.map(plainNumber), ...words, ...halves];
}

/** American and British spellings of one word are the same: «fiber» and «fibre», «anemia» and «anaemia». */
const spelledAlike = (word: string): string =>
  word
    .replace(/[ao]e(?=[a-z]{2})/g, 'e')
    .replace(/our(?=s?$|ed$|ing$)/, 'or')
    .replace(/([bt])re(?=s?$)/, '$1er')
    .replace(/ys(?=e[ds]?$)/, 'yz')
    .replace(/is(?=e[ds]?$|ing$|ation)/, 'iz')
    .replace(/([a-z])\1/g, '$1');

function stem(written: string): string {
  const word = spelledAlike(written);
  const bare = word.replace(/(?:ies)$/, 'y').replace(/(?:ing|edly|ed|es|ly|s)$/, '');
  return bare.length < 3 ? word : bare;
}

function contentWords(text: string): string[] {
  const plain = text.replace(/\[\d[\d,\s]*\]/g, ' ').toLowerCase();
  return (plain.match(/[\p{L}][\p{L}'’-]*/gu) ?? [])
    .flatMap(word => [word.replace(/['’]\w*$/, '')])
    .filter(word => word.length > 2 && !stopWords.has(word) && numberWords.get(word) === undefined);
}

const isSame = (one: string, other: string): boolean =>
  one === other ||
  (one.length >= stemLength && other.length >= stemLength && one.slice(0, stemLength) === other.slice(0, stemLength));

/**
 * Whether passages say what a claim says: most of its content words, each of its numbers, no stronger words, and no
 * negation that they do not have. It compares words, not meaning: what it lets through is close to a quotation.
 */
export function isSupported(claim: string, passages: readonly Passage[], question = ''): boolean {
  const words = contentWords(claim);
  // «20 minutes on 7 days are 140 minutes».
  if (words.length === 0) return numbersOf(claim).length > 1 && hasSameNumbers(claim, passages, question);
  const text = passages.map(textOf).join('\n');
  if (!hasSameNumbers(claim, passages, question)) return false;
  const there = [...new Set(contentWords(text).map(stem))];
  const plain = new Set(text.toLowerCase().match(/[a-z-]+/g));
  if ((claim.toLowerCase().match(/[a-z-]+/g) ?? []).some(word => strengthening.test(word) && !isStrong(word, plain)))
    return false;
  const found = words.map(stem).filter(word => there.some(other => isSame(word, other)));
  if (found.length / words.length < minCoverage) return false;
  return hasSamePolarity(claim, found, text);
}

/** All that a passage says. */
const textOf = ({ headline, paragraphs, warning = '' }: Passage): string =>
  [headline, ...paragraphs, warning].join('\n');

/** Factors between units: mmol of glucose and of cholesterol, pounds, inches, kcal, days, hours, ounces, minutes, thousands. */
const factors = [0.0555, 0.0259, 0.4536, 2.2046, 2.54, 4.184, 7, 18.02, 24, 28.35, 29.57, 38.67, 60, 1000];

/** Whether two numbers are the same when rounded as the shorter one is written. */
function isRounded(value: number, written: number): boolean {
  const digits = /\.(\d+)/.exec(String(written))?.[1]?.length ?? 0;
  return Math.abs(value - written) <= 0.5 * 10 ** -digits || Math.abs(value - written) <= 0.02 * Math.abs(written);
}

/** Whether a number is reckoned from others: a sum, difference, product or quotient of two of them, or one of them in another unit. */
function isReckoned(number: number, known: readonly number[]): boolean {
  const results = (one: number, other: number): number[] => [one + other, one - other, one * other, one / other];
  if (known.some(one => factors.some(factor => isRounded(one * factor, number) || isRounded(one / factor, number))))
    return true;
  if (known.some(one => isRounded((one * 9) / 5 + 32, number) || isRounded(((one - 32) * 5) / 9, number))) return true;
  return known.some((one, at) =>
    known.some((other, place) => place !== at && results(one, other).some(value => isRounded(value, number))),
  );
}

/** Numbers of one sentence that are reckoned with, at most. */
const maxReckoned = 8;

/**
 * Whether each number of a claim stands in the passages or the question, or is reckoned from those of the same sentence that do: «three
 * walks of 10 minutes are 30 minutes»; or is how far a number of the question is from one of the passages. A dose is refused before, whatever it is reckoned from.
 */
export function hasSameNumbers(claim: string, passages: readonly Passage[], question = ''): boolean {
  const text = passages.map(textOf).join('\n');
  const [asked, told] = [numbersOf(question), [...numbersOf(text), ...spansOf(text)]];
  const known = new Set([...asked, ...told]);
  const calendar = new Set(spansOf(claim));
  const isThere = (number: string): boolean => known.has(number) || calendar.has(number);
  const written = numbersOf(claim);
  const there = written.filter(isThere).map(Number).filter(Number.isFinite).slice(0, maxReckoned);
  const differences = (number: number): boolean =>
    asked.slice(0, maxReckoned).some(one => told.some(other => Math.abs(Number(one) - Number(other)) === number));
  return written.every(number => isThere(number) || isReckoned(Number(number), there) || differences(Number(number)));
}

/** Lengths of time that have other names: «half an hour» is 30 minutes, and 7 days are a week. */
const spans: readonly [RegExp, string][] = [
  [/\bhalf an hour\b/i, '30'],
  [/\bquarter of an hour\b/i, '15'],
  [/\b(?:an|one) hour\b/i, '60'],
  [/\b(?:7|seven) days\b/i, '7'],
  [/\b24 hours\b|\ba day\b/i, '24'],
  [/\bfortnight\b/i, '14'],
];

const spansOf = (text: string): string[] => spans.flatMap(([name, number]) => (name.test(text) ? [number] : []));

const isStrong = (word: string, there: ReadonlySet<string>): boolean =>
  [...there].some(other => stem(other) === stem(word) || isSame(stem(other), stem(word)));

/** Compares with the sentence of the passages that shares most words. */
function hasSamePolarity(claim: string, words: readonly string[], text: string): boolean {
  const count = (sentence: string): number => sentence.match(negation)?.length ?? 0;
  let best = { shared: 0, negated: false };
  let anyNegated = false;
  for (const sentence of text.split(/(?<=[.!?])\s+|\n/)) {
    const stems = contentWords(sentence).map(stem);
    const shared = words.filter(word => stems.some(other => isSame(word, other))).length;
    const negated = count(sentence) > 0;
    if (shared > 0 && negated) anyNegated = true;
    if (shared > best.shared || (shared === best.shared && negated === count(claim) > 0)) best = { shared, negated };
  }
  if (count(claim) > 0) return best.negated || anyNegated;
  return !best.negated;
}

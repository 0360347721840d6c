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
everyone anyone everybody anybody own looking look want wants different`.split(/\s+/),
);

/** Words that strengthen a claim or turn it into advice; they must stand in the passages. */
const strengthening =
  /^(?:cur(?:e|es|ed|ing)|heal\w*|revers\w*|guarantee\w*|detox\w*|miracle|replac\w*|instead|superfluous|harmless|disappear\w*|vanish\w*|permanent\w*|completely|definitely|certainly|always|reliabl\w*|proven|clears?|cleared|melts?|destroy\w*|starv\w*|eliminat\w*|flush\w*|cleans\w*|autism|unnecessary|needless|pointless|useless|overrated|harmful|poison\w*|faster|better|best|stronger|superior|first-line|safely|skip\w*|quit\w*|doubl\w*|halv\w*|tripl\w*|ignor\w*|avoid\w*|only|sufficient|enough|all|nine|everyone|nobody|prevents?|advis\w*)$/;

const negation =
  /\b(?:no|not|never|nothing|none|neither|nor|without|cannot|can['’]t|don['’]t|doesn['’]t|isn['’]t|aren['’]t|won['’]t|nobody|hardly|against|myth)\b/gi;

const numberWords: Record<string, string> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  sixty: '60',
  hundred: '100',
  thousand: '1000',
  half: '1/2',
};

/** Numbers of a text, also in words, without those of citations. */
function numbersOf(text: string): string[] {
  const plain = text.replace(/\[\d[\d,\s]*\]/g, '').toLowerCase();
  const digits = plain.match(/\d+(?:[.,]\d+)*/g) ?? [];
  const words = plain.match(/[a-z]+/g)?.flatMap(word => numberWords[word] ?? []) ?? [];
  return [...digits.map(number => number.replace(/,(?=\d{3}\b)/g, '')), ...words];
}

function stem(word: string): string {
  const bare = word.replace(/(?:ies)$/, 'y').replace(/(?:ing|edly|ed|es|ly|s)$/, '');
  return bare.length < 3 ? word : bare;
}

function contentWords(text: string): string[] {
  const plain = text.replace(/\[\d[\d,\s]*\]/g, ' ').toLowerCase();
  return (plain.match(/[\p{L}][\p{L}'’-]*/gu) ?? [])
    .flatMap(word => [word.replace(/['’]\w*$/, '')])
    .filter(word => word.length > 2 && !stopWords.has(word) && numberWords[word] === undefined);
}

const isSame = (one: string, other: string): boolean =>
  one === other ||
  (one.length >= stemLength && other.length >= stemLength && one.slice(0, stemLength) === other.slice(0, stemLength));

/**
 * Whether passages say what a claim says: most of its content words, each of its numbers, no stronger words, and no
 * negation that they do not have. It compares words, not meaning: what it lets through is close to a quotation.
 */
export function isSupported(claim: string, passages: readonly Passage[]): boolean {
  const words = contentWords(claim);
  if (words.length === 0) return false;
  const text = passages.map(({ headline, paragraphs }) => [headline, ...paragraphs].join('\n')).join('\n');
  if (!hasSameNumbers(claim, passages)) return false;
  const there = [...new Set(contentWords(text).map(stem))];
  const plain = new Set(text.toLowerCase().match(/[a-z-]+/g));
  if ((claim.toLowerCase().match(/[a-z-]+/g) ?? []).some(word => strengthening.test(word) && !isStrong(word, plain)))
    return false;
  const found = words.map(stem).filter(word => there.some(other => isSame(word, other)));
  if (found.length / words.length < minCoverage) return false;
  return hasSamePolarity(claim, found, text);
}

/** Whether each number of a claim stands in the passages. */
export function hasSameNumbers(claim: string, passages: readonly Passage[]): boolean {
  const known = new Set(passages.flatMap(({ headline, paragraphs }) => numbersOf([headline, ...paragraphs].join(' '))));
  return numbersOf(claim).every(number => known.has(number));
}

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

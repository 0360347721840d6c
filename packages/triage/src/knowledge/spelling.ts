/** Shortest word that is corrected, and shortest one that may differ by two letters. */
const minLength = 5;
const minLengthOfTwo = 9;

/**
 * Corrects spelling errors by edit distance over the words of the knowledge base. Guards: a word that is known or an
 * ordinary English one stays, the first letter must agree, and of two candidates that are equally close none is taken. An
 * index of the words with one or two letters removed makes a lookup independent of the size of the vocabulary.
 */
export class SpellingCorrector {
  readonly #known: ReadonlySet<string>;
  readonly #ordinary: ReadonlySet<string>;
  readonly #byRemoval = new Map<string, string[]>();

  /** `known`: words that need no correction. */
  constructor(known: ReadonlySet<string>, ordinary: ReadonlySet<string>) {
    this.#known = known;
    this.#ordinary = ordinary;
  }

  /** Adds a word that may be the correction of others. Each once. */
  addTarget(word: string): void {
    if (word.length < minLength || !/^[a-z]+$/.test(word)) return;
    for (const key of removalsOf(word, maxDistance(word))) {
      const list = this.#byRemoval.get(key);
      if (list) list.push(word);
      else this.#byRemoval.set(key, [word]);
    }
  }

  correct(word: string): string {
    if (word.length < minLength || word.length > 24 || !/^[a-z]+$/.test(word)) return word;
    if (this.#known.has(word) || this.#ordinary.has(word)) return word;
    const candidates = new Set<string>();
    for (const key of removalsOf(word, maxDistance(word)))
      for (const one of this.#byRemoval.get(key) ?? []) if (one[0] === word[0]) candidates.add(one);
    let best: string[] = [];
    let least = maxDistance(word);
    for (const one of candidates) {
      const distance = editDistance(word, one);
      if (distance > least || distance > maxDistance(one)) continue;
      best = distance < least ? [one] : [...best, one];
      least = distance;
    }
    // Letters are left out or doubled more often than replaced: «throt» is «throat» and not «throb».
    const close = best.length > 1 ? best.filter(one => isWithin(word, one) || isWithin(one, word)) : best;
    return close.length === 1 ? (close[0] ?? word) : word;
  }
}

/** Whether the letters of `short` are in `long` in their order. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

const maxDistance = (word: string): number => (word.length >= minLengthOfTwo ? 2 : 1);

function removalsOf(word: string, count: number): Set<string> {
  const found = new Set([word]);
  let last: string[] = [word];
  for (let round = 0; round < count; round++) {
    last = last.flatMap(one => Array.from(one, (_, at) => one.slice(0, at) + one.slice(at + 1)));
    for (const one of last) found.add(one);
  }
  return found;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

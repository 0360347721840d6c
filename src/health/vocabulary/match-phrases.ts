import { isKept, keyOf, type Phrase, type PhraseKind, phrasesWith, sentenceEnd } from './vocabulary.ts';

/** A place of a text at which the vocabulary has phrases of one length. */
export interface PhraseMatch {
  /** Places of the words of the text, ascending. */
  places: number[];
  phrases: { kind: PhraseKind; subject: string }[];
}

/** Other words between those of a description, together: «the skin on my hands is really very dry and cracked». */
const maxBetween = 3;

interface Place {
  key: string;
  /** Number of the word in the text. */
  at: number;
}

/** The phrases of a text at each of its words: the longest first, at most one for each length and place. */
export function phrasesIn(words: readonly string[]): PhraseMatch[] {
  const all = words.map((word, at): Place => ({ key: keyOf(word), at }));
  const kept = all.filter(({ at, key }) => key === sentenceEnd || isKept(words[at] ?? ''));
  const numbersInKept = new Map(kept.map(({ at }, no) => [at, no]));
  const byPlaces = new Map<string, PhraseMatch>();
  for (const { key, at } of all) {
    const start = numbersInKept.get(at);
    const near = start === undefined ? [] : nearTo(kept, start);
    for (const phrase of phrasesWith(key)) {
      const places =
        phrase.order === 'any'
          ? anyOrder(phrase, near)
          : adjacent(phrase, phrase.isLiteral ? all : kept, phrase.isLiteral ? at : start);
      if (!places) continue;
      const match = byPlaces.get(places.join()) ?? { places, phrases: [] };
      const { subject, kind } = phrase;
      if (!match.phrases.some(one => one.subject === subject && one.kind === kind))
        match.phrases.push({ kind, subject });
      byPlaces.set(places.join(), match);
    }
  }
  return [...byPlaces.values()].sort((one, other) => other.places.length - one.places.length);
}

function adjacent({ places }: Phrase, text: readonly Place[], start: number | undefined): number[] | undefined {
  if (start === undefined || text.length < start + places.length) return undefined;
  if (!places.every((stems, no) => stems.has(text[start + no]?.key ?? ''))) return undefined;
  return places.map((_, no) => text[start + no]?.at ?? 0);
}

/** A word near another one: `offset` is how many kept words it stands after it. */
interface NearPlace extends Place {
  offset: number;
}

/** Words of the longest description. */
const maxWords = 8;

/** The words around one, the nearest first. */
function nearTo(kept: readonly Place[], start: number): NearPlace[] {
  const reach = maxWords - 1 + maxBetween;
  const near: NearPlace[] = [];
  const open = new Set([-1, 1]);
  for (let distance = 0; distance <= reach; distance++) {
    for (const side of distance === 0 ? [1] : [...open]) {
      const place = kept[start + side * distance];
      if (!place || place.key === sentenceEnd) open.delete(side);
      else near.push({ ...place, offset: side * distance });
    }
  }
  return near;
}

/** The places of all words of a phrase near a word that has its rarest one; undefined if one is not near. */
function anyOrder({ places }: Phrase, near: readonly NearPlace[]): number[] | undefined {
  const reach = places.length - 1 + maxBetween;
  const taken: NearPlace[] = [];
  for (const stems of places) {
    const found = near.find(
      one => Math.abs(one.offset) <= reach && stems.has(one.key) && !taken.some(({ at }) => at === one.at),
    );
    if (!found) return undefined;
    taken.push(found);
  }
  const offsets = taken.map(({ offset }) => offset).sort((one, other) => one - other);
  if ((offsets.at(-1) ?? 0) - (offsets[0] ?? 0) > reach) return undefined;
  return taken.map(({ at }) => at).sort((one, other) => one - other);
}

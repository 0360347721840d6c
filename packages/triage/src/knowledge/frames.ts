import { type Frame, governs, type Hit, hitsNear, isExcluded, maxNegationDistance, partsOf } from './frame-parts.ts';
import type { Knowledge, Symptom } from './knowledge-schema.ts';
import type { Span } from './negation.ts';
import { PhraseTrie } from './phrase-trie.ts';
import type { Word } from './tokenize.ts';
import { familyOf } from './word-family.ts';

/** Words of several classes in one sentence that together tell a symptom. */
export interface FrameMatch extends Span {
  id: string;
  /** Indexes of the words that tell it, without negations, which may speak of other words too. */
  at: number[];
  /** A negation stands between its words: «my wee does not burn». */
  takenBack: boolean;
  /** The sentence, as a range of words: matches of the symptom in it are dropped. Absent: a symptom is told. */
  drops?: Span;
}

const defaultDistance = 8;
const maxCommas = 2;
const contrasts = new Set(['but', 'though', 'although', 'however']);
const placeAtom = 0;
/** An idiom: «all right» speaks of no right side. */
const idiomAtom = 1;

/**
 * Finds frames: a frame such as `{wee} {burn}|razor` is a symptom told by one word of each class in one sentence, in any order and
 * with any words between them, so that «it burns when I wee» and «my wee is burning» need no phrase each. Words are compared by
 * their family (`word-family.ts`). `!{skin}` names what must not be there, `<3` how many
 * words may be between the first part and each other one (default 8).
 */
export class FrameFinder {
  readonly #atoms = new Map<string, number>([
    ['', placeAtom],
    ['!', idiomAtom],
  ]);
  readonly #phrases = new PhraseTrie<number[]>();
  /** Frames by the atoms of their first part. */
  readonly #frames = new Map<number, Frame[]>();
  /** Frames by the atoms of a phrase, each once. */
  readonly #framesByAtoms = new Map<readonly number[], readonly Frame[]>();
  /** For each atom the number of the hit that had it near last: a set of a few numbers per hit, without its allocation. */
  #seenAt: Float64Array | undefined;
  #seen = 0;
  readonly #negations: ReadonlySet<string>;
  /** All words of the frames, which are no misspellings. */
  readonly words = new Set<string>();
  readonly #normalize: (text: string) => string[];
  /** Members of classes. */
  readonly #named: Readonly<Record<string, string[]>>;
  #ownSteps = 0;

  /** `addFrames` adds the frames of each symptom. */
  constructor({ words, classes }: Knowledge, normalize: (text: string) => string[]) {
    this.#normalize = normalize;
    const cues = words.negation.verb.cues.filter(one => !one.includes(' '));
    this.#negations = new Set(
      ['not', 'no', 'without', 'nor', 'nothing', 'none', ...cues].flatMap(normalize).map(familyOf),
    );
    for (const place of Object.values(words.places).flat()) this.#addPhrase(place, placeAtom);
    for (const idiom of words.idioms) this.#addPhrase(idiom, idiomAtom);
    const named = { ...words.complaints, ...words.places, ...classes };
    this.#named = named;
  }

  addFrames({ id, frames, except }: Symptom): void {
    for (const frame of frames) this.#addFrame(id, frame, false);
    for (const frame of except) this.#addFrame(id, frame, true);
  }

  get steps(): number {
    return this.#ownSteps + this.#phrases.steps;
  }

  #addFrame(id: string, text: string, isException: boolean): void {
    const frame: Frame = { id, parts: [], without: [], isException, distance: defaultDistance };
    for (const part of text.split(' ')) {
      if (part.startsWith('<')) {
        frame.distance = Number(part.slice(1));
        continue;
      }
      const atoms = part
        .replace(/^!/, '')
        .split('|')
        .map(one => this.#atomOf(one));
      if (part.startsWith('!')) frame.without = frame.without.concat(atoms);
      else frame.parts.push(atoms);
    }
    for (const atom of frame.parts[0] ?? []) this.#frames.set(atom, [...(this.#frames.get(atom) ?? []), frame]);
  }

  /** A class in braces, or a word. */
  #atomOf(text: string): number {
    const before = this.#atoms.get(text);
    if (before !== undefined) return before;
    const name = /^\{(.+)\}$/.exec(text)?.[1];
    const members = name === undefined ? [text.replaceAll('_', ' ')] : (this.#named[name] ?? []);
    const atom = this.#atoms.size;
    this.#atoms.set(text, atom);
    for (const member of members) this.#addPhrase(member, atom);
    return atom;
  }

  #addPhrase(phrase: string, atom: number): void {
    const folded = this.#normalize(phrase);
    for (const word of folded) this.words.add(word);
    const before = this.#phrases.add(folded.map(familyOf), [atom]);
    if (before && !before.includes(atom)) before.push(atom);
  }

  find(words: readonly Word[]): FrameMatch[] {
    const folded = words.map(word => ({ ...word, text: familyOf(word.text) }));
    const found: FrameMatch[] = [];
    for (let start = 0; start < words.length; ) {
      let end = start + 1;
      while (end < words.length && words[end]?.gap !== 'stop') end++;
      for (const match of this.#findIn(folded, { start, end })) found.push(match);
      start = end;
    }
    return found;
  }

  #findIn(words: readonly Word[], sentence: Span): FrameMatch[] {
    const hits = this.#hitsIn(words, sentence);
    const found: FrameMatch[] = [];
    for (const [at, hit] of hits.entries()) {
      const near = hitsNear(hits, at);
      const hasNear = this.#atomsOf(near.slice(1));
      for (const frame of this.#framesOf(hit.atoms)) {
        this.#ownSteps++;
        // Nearly all frames end here: «no» begins a hundred, and «no no no …» has none of them.
        if (!frame.parts.every((part, no) => no === 0 || part.some(hasNear))) continue;
        const parts = partsOf(frame, words, near);
        if (!parts || !this.#isJoined(words, parts, near) || isExcluded(frame, words, parts, near)) continue;
        const indexes = parts.flatMap(one => Array.from({ length: one.end - one.start }, (_, n) => one.start + n));
        found.push({
          id: frame.id,
          start: parts[0]?.start ?? 0,
          end: parts.at(-1)?.end ?? 0,
          at: indexes.filter(index => !this.#negations.has(words[index]?.text ?? '')),
          takenBack: this.#isTakenBack(words, parts, frame.isException),
          ...(frame.isException ? { drops: sentence } : {}),
        });
      }
    }
    return found;
  }

  /** Whether one of some hits has an atom; valid until the next call. */
  #atomsOf(hits: readonly Hit[]): (atom: number) => boolean {
    this.#seenAt ??= new Float64Array(this.#atoms.size);
    const seenAt = this.#seenAt;
    const now = ++this.#seen;
    for (const { atoms } of hits) for (const atom of atoms) seenAt[atom] = now;
    return atom => seenAt[atom] === now;
  }

  #framesOf(atoms: readonly number[]): readonly Frame[] {
    const known = this.#framesByAtoms.get(atoms);
    if (known) return known;
    const frames = [...new Set(atoms.flatMap(atom => this.#frames.get(atom) ?? []))];
    this.#framesByAtoms.set(atoms, frames);
    return frames;
  }

  /** Class members at each word; a part of the body or idiom of several words hides its words: «back passage». */
  #hitsIn(words: readonly Word[], { start, end }: Span): Hit[] {
    const hits: Hit[] = [];
    for (let at = start; at < end; ) {
      const matches = this.#phrases.findAll(words, at);
      const longest = matches.at(-1);
      if (longest && longest.end > at + 1 && longest.value.some(atom => atom <= idiomAtom)) {
        hits.push({ start: at, end: longest.end, atoms: longest.value });
        at = longest.end;
        continue;
      }
      for (const match of matches) hits.push({ start: at, end: match.end, atoms: match.value });
      at++;
    }
    return hits;
  }

  /**
   * Commas may be between the parts («big toe swelled up, purple and shiny»), unless the clause after it speaks of another part
   * of the body, or a «but» is between.
   */
  #isJoined(words: readonly Word[], parts: readonly Hit[], hits: readonly Hit[]): boolean {
    if (!parts.every((part, index) => !this.#isNegation(words, part) || governs(words, part, parts[index + 1])))
      return false;
    const [from, to] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0];
    const commas: number[] = [];
    for (let at = from + 1; at < to; at++) {
      if (contrasts.has(words[at]?.text ?? '')) return false;
      if (words[at]?.gap === 'comma') commas.push(at);
    }
    const [second] = commas;
    if (second === undefined) return true;
    if (commas.length > maxCommas) return false;
    const places = hits.filter(one => one.start < to && one.atoms.includes(placeAtom));
    const isLed = places.some(one => one.start >= from && one.start < second);
    return places.every(one => one.start < second || (!isLed && parts.includes(one)));
  }

  #isNegation(words: readonly Word[], { start, end }: Hit): boolean {
    return end === start + 1 && this.#negations.has(words[start]?.text ?? '');
  }

  /** A negation shortly before a part; before the first one it is left to `negation.ts`, except of an exception. */
  #isTakenBack(words: readonly Word[], parts: readonly Hit[], isException: boolean): boolean {
    const used = new Set(parts.flatMap(one => Array.from({ length: one.end - one.start }, (_, n) => one.start + n)));
    const first = isException ? 0 : (parts[0]?.end ?? 0);
    return (isException ? parts : parts.slice(1)).some(({ start }) => {
      for (let at = start - 1; at >= start - maxNegationDistance && at >= first; at--) {
        if (used.has(at) || (isException && words[at + 1]?.gap !== 'none')) return false;
        if (this.#negations.has(words[at]?.text ?? '')) return true;
      }
      return false;
    });
  }
}

import type { Whose } from '../finding.ts';
import type { Token } from './fold-text.ts';
import type { Match } from './phrase-patterns.ts';

type Span = Pick<Match, 'start' | 'end'>;

interface Subject {
  start: number;
  whose: Whose;
}

/** Words between «my» and the person whom it belongs to: «my little sister». */
const maxPossessiveGap = 1;
/** Words before a crisis within which another person is its subject. */
const maxSubjectDistance = 8;

/** Words after a sign that join it to its owner: «the cough of my daughter». Those of the languages that say so. */
const links: ReadonlySet<string> = new Set(['of', 'de', 'di', 'von', 'meiner', 'meines', 'unserer', 'unseres']);
/** Words between such a word and the owner. */
const maxOwnerDistance = 2;

/** Of whom a text tells where. Each question takes constant time. */
export class Subjects {
  readonly #tokens: readonly Token[];
  /** By word: the last word for the writer or for another person up to it. */
  readonly #last: (Subject | undefined)[] = [];
  /** By sentence: its first one. */
  readonly #first = new Map<number, Subject>();
  /** Where words for others are. */
  readonly #others: ReadonlySet<number>;
  /** Numbers of the sentences with a word for the writer. */
  readonly #ofWriter = new Set<number>();

  /** `own` and `others`: words for the writer and for others. «My father» tells of another person, and «my arm» of the writer. */
  constructor(tokens: readonly Token[], own: readonly Span[], others: readonly Span[]) {
    this.#tokens = tokens;
    this.#others = new Set(others.map(({ start }) => start));
    const whose = new Map<number, Whose>(others.map(({ start }) => [start, 'other']));
    const isOfWriter = ({ start, end }: Span): boolean => {
      for (let at = end; at <= end + maxPossessiveGap; at++)
        if (whose.get(at) === 'other' && this.#sentenceOf(at) === this.#sentenceOf(start)) return false;
      return !whose.has(start);
    };
    for (const { start } of own.filter(isOfWriter)) whose.set(start, 'writer');
    let last: Subject | undefined;
    for (let at = 0; at < tokens.length; at++) {
      const one = whose.get(at);
      if (one !== undefined) {
        const sentence = this.#sentenceOf(at);
        last = { start: at, whose: one };
        if (!this.#first.has(sentence)) this.#first.set(sentence, last);
        if (one === 'writer') this.#ofWriter.add(sentence);
      }
      this.#last.push(last);
    }
  }

  /**
   * Whose what stands from `start` to `end` is: that of the nearest word before its end, of the first one of its sentence, or of the last one of
   * the sentences before; undefined where no word tells.
   */
  whoseAt(start: number, end: number): Whose | undefined {
    if (this.#isOwnedByOther(end)) return 'other';
    const sentence = this.#sentenceOf(start);
    const before = this.#last[end - 1];
    const isInSentence = before !== undefined && this.#sentenceOf(before.start) === sentence;
    return (isInSentence ? before : (this.#first.get(sentence) ?? before))?.whose;
  }

  #isOwnedByOther(end: number): boolean {
    if (!links.has(this.#tokens[end]?.text ?? '')) return false;
    for (let at = end + 1; at <= end + maxOwnerDistance; at++) if (this.#others.has(at)) return true;
    return false;
  }

  /** Whether words that mostly tell of the writer tell of another person: «she cut her wrists». */
  isOfAnother({ start, end }: Span): boolean {
    const subject = this.#last[end - 1];
    return (
      !this.#ofWriter.has(this.#sentenceOf(start)) &&
      subject?.whose === 'other' &&
      subject.start >= start - maxSubjectDistance
    );
  }

  #sentenceOf(at: number): number {
    return this.#tokens[at]?.sentence ?? 0;
  }
}

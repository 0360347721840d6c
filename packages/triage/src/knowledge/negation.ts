import type { Vocabulary } from './knowledge-schema.ts';
import { PhraseTrie } from './phrase-trie.ts';
import { tokenize, type Word } from './tokenize.ts';

/** A half-open range of words. */
export interface Span {
  start: number;
  end: number;
}

type Kind = 'noun' | 'verb';
interface Cue {
  kind: Kind;
  wholeList: boolean;
  never: boolean;
}

/** Maximum distance between a negation cue and its target, in words. */
const maxCueDistance = 5;
/** The same within a list, including its items. */
const maxListDistance = 24;

/**
 * Decides whether a match is negated: «no chest pain», «denies fever, chills or cough». In doubt it is not: an
 * unnecessary question does less harm than a missed symptom.
 */
export class Negation {
  readonly #cues = new PhraseTrie<Cue>();
  readonly #bridges: Record<Kind, ReadonlySet<string>>;
  readonly #after: ReadonlySet<string>;
  /** What a healthy person does or has: its denial is a trouble. */
  readonly #needed: ReadonlySet<string>;
  readonly #unless = new PhraseTrie<'always' | 'never'>();
  steps = 0;

  constructor({ negation }: Vocabulary, spellings: ReadonlyMap<string, readonly string[]>) {
    const folded = (text: string): string[] => tokenize(text, spellings).map(word => word.text);
    for (const kind of ['noun', 'verb'] as const) {
      for (const cue of negation[kind].cues) {
        const wholeList = negation.whole_list.includes(cue);
        this.#cues.add(folded(cue), { kind, wholeList, never: negation.never.includes(cue) });
      }
    }
    this.#bridges = {
      noun: new Set(negation.noun.bridges.flatMap(folded)),
      verb: new Set(negation.verb.bridges.flatMap(folded)),
    };
    this.#after = new Set(negation.after.flatMap(folded));
    this.#needed = new Set(negation.needed.flatMap(folded));
    for (const phrase of negation.unless) this.#unless.add(folded(phrase), 'always');
    for (const phrase of negation.unless_never) this.#unless.add(folded(phrase), 'never');
  }

  /** Finds negation cues outside the `covered` words of other matches. */
  findCues(words: readonly Word[], covered: readonly boolean[]): Map<number, Cue> {
    const cues = new Map<number, Cue>();
    for (let at = 0; at < words.length; at++) {
      if (covered[at]) continue;
      const found = this.#cues.findLongest(words, at);
      // Indexed by the last word, where a backward search meets the cue.
      if (found && !covered[found.end - 1]) cues.set(found.end - 1, found.value);
    }
    return cues;
  }

  /** `covered`: words of all matches of the text. `isLasting`: what was long ago is still true. */
  isNegated(
    words: readonly Word[],
    cues: ReadonlyMap<number, Cue>,
    covered: readonly boolean[],
    span: Span,
    isLasting = false,
  ): boolean {
    return (
      this.#isNegatedByCue(words, cues, covered, span) ||
      this.#isNegatedByAnswer(words, span) ||
      (!isLasting && isLongAgo(words, span))
    );
  }

  #isNegatedByCue(
    words: readonly Word[],
    cues: ReadonlyMap<number, Cue>,
    covered: readonly boolean[],
    span: Span,
  ): boolean {
    let [others, comma, and] = [0, false, false];
    let bridgedByNoun = true;
    let bridgedByVerb = true;
    for (let at = span.start - 1; at >= 0 && at >= span.start - maxListDistance; at--) {
      this.steps++;
      const gap = words[at + 1]?.gap;
      if (gap === 'stop') return false;
      if (gap === 'comma') comma = true;
      const text = words[at]?.text ?? '';
      const cue = covered[at] ? undefined : cues.get(at);
      if (cue) {
        if (!(cue.kind === 'noun' ? bridgedByNoun : bridgedByVerb)) return false;
        if (cue.kind === 'verb' && comma) return false;
        const isList = !comma || this.#listEndsInOr(words, covered, span) || this.#isBareList(words, covered, at);
        if (!cue.wholeList && (and || !isList)) return false;
        // Double negation: «not without chest pain».
        if (cues.has(at - 1) && words[at]?.gap === 'none') return false;
        return !this.#isRestored(words, span, cue);
      }
      if (covered[at]) continue;
      if (text === 'and') and = true;
      else if (text !== 'or' && text !== 'nor' && text !== '/') {
        if (++others > maxCueDistance) return false;
        bridgedByNoun &&= this.#bridges.noun.has(text);
        bridgedByVerb &&= this.#bridges.verb.has(text);
        if (!bridgedByNoun && !bridgedByVerb) return false;
      }
    }
    return false;
  }

  /** «No fever, cough or chest pain» is one list; in «no fever, chest pain» the second may be present. */
  #listEndsInOr(words: readonly Word[], covered: readonly boolean[], { start, end }: Span): boolean {
    const isOr = (at: number): boolean => ['or', 'nor', '/'].includes(words[at]?.text ?? '');
    if (isOr(start - 1)) return true;
    for (let at = end; at < words.length && at < end + maxListDistance; at++) {
      this.steps++;
      if (words[at]?.gap === 'stop') return false;
      if (isOr(at)) return true;
      if (!covered[at]) return false;
    }
    return false;
  }

  /** «No pain, discharge, dizziness.»: nothing but three or more matches after the cue, up to the end of the sentence. */
  #isBareList(words: readonly Word[], covered: readonly boolean[], cueAt: number): boolean {
    let items = 1;
    for (let at = cueAt + 1; at < words.length && at < cueAt + maxListDistance && words[at]?.gap !== 'stop'; at++) {
      this.steps++;
      if (!covered[at]) return false;
      if (words[at]?.gap === 'comma') items++;
    }
    return items >= 3;
  }

  /** «Never had chest pain like this»: the symptom is present now. */
  #isRestored(words: readonly Word[], { end }: Span, cue: Cue): boolean {
    for (let at = end; at < words.length && at < end + maxCueDistance; at++) {
      if (words[at]?.gap === 'stop') return false;
      const found = this.#unless.findLongest(words, at);
      if (found && (found.value === 'always' || cue.never)) return true;
    }
    return false;
  }

  /**
   * Whether each clause only denies: «not red, not oozing», «doesn't smell». What is denied needs no name. «Not moving the arm» and
   * «never so bad» are no denials of a trouble.
   */
  isDenial(words: readonly Word[]): boolean {
    if (words.length === 0 || words.some(({ text }) => this.#needed.has(text))) return false;
    const starts = words.flatMap(({ gap }, at) => (at === 0 || gap !== 'none' ? [at] : []));
    return starts.every(at => {
      const found = this.#cues.findLongest(words, at) ?? this.#cues.findLongest(words, at + 1);
      return found !== undefined && !found.value.never;
    });
  }

  /** A negative answer after the match: «chest pain: no», «cough absent». */
  #isNegatedByAnswer(words: readonly Word[], { end }: Span): boolean {
    const answer = words[end];
    if (!answer) return false;
    const last = words[end + 1] === undefined || words[end + 1]?.gap !== 'none';
    if (answer.text === 'no') return last && answer.asked;
    return last && this.#after.has(answer.text) && (answer.asked || answer.gap === 'none');
  }
}

const onsetWords = new Set(['start', 'started', 'began', 'begun', 'first', 'since', 'still']);

/** «My father had a stroke ten years ago», but not «the pain began two years ago». */
function isLongAgo(words: readonly Word[], { end }: Span): boolean {
  for (let at = end; at < words.length && at < end + maxCueDistance; at++) {
    if (words[at]?.gap === 'stop' || onsetWords.has(words[at]?.text ?? '')) return false;
    if (words[at]?.text === 'year' && words[at + 1]?.text === 'ago') return true;
  }
  return false;
}

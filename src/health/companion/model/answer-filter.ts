import { detectLanguage } from 'triage/signs/detect-language';
import { foldText } from 'triage/signs/fold-text';
import type { Passage } from '../engine.ts';
import { ModelError } from './model-error.ts';
import { hasSameNumbers, isSupported } from './passage-support.ts';
import { findSafePhrase } from './safe-phrases.ts';
import { findUnsafeClaim, isDescription, type UnsafeKind } from './unsafe-claims.ts';

const doseRefusal = 'I cannot give doses or change a medicine; ask your doctor or pharmacist for that.';
const diagnosisRefusal = 'I cannot tell what you have; only a clinician who examines you can.';

/** Strips markup and URLs. Links are removed because a model invents them or copies them from a manipulated article. */
function stripMarkup(sentence: string): string {
  // recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
  return sentence
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]{0,300}>/g, '')
    .replace(/\b(?:https?:\/\/|www\.)\S+/gi, '')
    .replace(/\p{Cc}/gu, character => (character === '\n' || character === '\t' ? character : ''));
}

/** Languages whose unsafe sentences have patterns of their own; claims in them may rest on a passage in another language. */
const foreignClassified: ReadonlySet<string> = new Set(['es', 'fr', 'de', 'pt', 'it']);

/** Where a sentence joins two statements, each of which must be safe. */
const joints = /[;:\u2013\u2014]\s+|,\s+(?:but|and|so(?! that)|because|which|as|since|or|while|yet|then|although)\s+/iu;

/** Why a sentence was not shown: a metric label. */
export type Removal = UnsafeKind | 'unsupported';

/**
 * Filters the sentences of a model's answer, and refuses by default: a sentence is shown when no unsafe claim is found in it
 * and each of its statements is supported by a passage or is a referral, sympathy, an honest limit or a question. Removes
 * citations of unknown sources and renumbers the others in order of use. Harmful content discards the whole answer.
 */
export class AnswerFilter {
  readonly #passages: readonly Passage[];
  /** What the person shared, which the answer may repeat without a number. */
  readonly #shared: readonly Passage[];
  readonly #question: string;
  readonly #refused = new Set<string>();
  /** Cited passages, in the order of their new numbers. */
  readonly sources: Passage[] = [];
  readonly removed: Removal[] = [];
  /** Sentences that say something, beyond sympathy. */
  substance = 0;

  /** @param question numbers of which an answer may repeat and reckon with */
  constructor(passages: readonly Passage[], shared: readonly string[] = [], question = '') {
    this.#passages = passages;
    this.#question = question;
    this.#shared =
      shared.length === 0 ? [] : [{ articleId: 0, headline: '', source: '', url: '', paragraphs: [...shared] }];
  }

  /**
   * Returns the filtered sentence, which may be empty.
   * @throws ModelError for harmful content
   */
  filter(written: string): string {
    const unsafe = findUnsafeClaim(withoutLinkTargets(written)) ?? this.#hasLink(written);
    const text = stripMarkup(written);
    if (unsafe === 'self_harm') throw new ModelError('unsafe');
    const space = text.slice(text.trimEnd().length);
    const isMeant =
      unsafe !== undefined &&
      !(isDescription(unsafe, text) && isSupported(text, this.#passagesFor(text), this.#question));
    const kind = isMeant ? unsafe : this.#judge(text);
    if (kind === 'dosing' || kind === 'medicine_change') return this.#refuse(kind, doseRefusal, space);
    if (kind === 'certainty') return this.#refuse(kind, diagnosisRefusal, space);
    if (kind !== undefined) {
      this.removed.push(kind);
      return '';
    }
    return text
      .replace(/\s?\[profile\]/gi, '')
      .replace(/\s?\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g, (found, numbers: string) => {
        const cited = numbers.split(',').flatMap(number => this.#cite(Number(number)));
        return cited.length === 0 ? '' : `${/^\s/.exec(found)?.[0] ?? ''}${cited.join('')}`;
      });
  }

  /** Undefined for a sentence that may be shown. */
  #judge(text: string): Removal | undefined {
    // Markup, or the number of a list.
    // recheck-ignore: a sentence has at most 1,000 characters
    if (/^[^\p{L}\d]*\d{0,2}[^\p{L}\d]*$/u.test(text)) return undefined;
    const cited = this.#citedIn(text);
    const passages = this.#passagesFor(text);
    if (isSupported(text, passages, this.#question)) {
      this.substance++;
      return undefined;
    }
    if (cited.length > 0 && this.#isForeignClaim(text, cited)) {
      this.substance++;
      return undefined;
    }
    let says = false;
    const clauses = text.split(joints);
    for (const clause of clauses) {
      const phrase = findSafePhrase(clause);
      const isSafe =
        phrase !== undefined ||
        isSupported(clause, passages, this.#question) ||
        (clauses.length > 1 && isOneWord(clause));
      if (!isSafe) return 'unsupported';
      if (phrase !== undefined && phrase !== 'empathy' && phrase !== 'acknowledgement') says = true;
    }
    if (says) this.substance++;
    return undefined;
  }

  /**
   * A claim in another European language than the passages cannot be compared by its words. With a citation, the same
   * numbers and no unsafe claim it is shown; without one it is not.
   */
  #isForeignClaim(text: string, passages: readonly Passage[]): boolean {
    const language = detectLanguage(foldText(text));
    return language !== undefined && foreignClassified.has(language) && hasSameNumbers(text, passages, this.#question);
  }

  #passagesFor(text: string): readonly Passage[] {
    const cited = this.#citedIn(text);
    return cited.length > 0 ? [...cited, ...this.#shared] : [...this.#passages, ...this.#shared];
  }

  #citedIn(text: string): Passage[] {
    return [...text.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g)]
      .flatMap(([, numbers = '']) => numbers.split(','))
      .flatMap(number => this.#passages[Number(number) - 1] ?? []);
  }

  #cite(number: number): string[] {
    const passage = this.#passages[number - 1];
    if (!passage) return [];
    if (!this.sources.includes(passage)) this.sources.push(passage);
    return [`[${this.sources.indexOf(passage) + 1}]`];
  }

  #hasLink(written: string): 'shop' | undefined {
    return /\]\(|https?:\/\/|www\./i.test(written) ? 'shop' : undefined;
  }

  #refuse(kind: Removal, refusal: string, space: string): string {
    this.removed.push(kind);
    if (this.#refused.has(refusal)) return '';
    this.#refused.add(refusal);
    return `${refusal}${space}`;
  }
}

function withoutLinkTargets(text: string): string {
  return text.replace(/<[^<>]{0,300}>/g, '');
}

function isOneWord(clause: string): boolean {
  return (clause.match(/[\p{L}\d]+/gu) ?? []).length < 2;
}

import type { Vocabulary } from './knowledge-schema.ts';
import type { Negation } from './negation.ts';
import type { Word } from './tokenize.ts';

/** What a text without a known symptom may be: `circumstance` describes, `alarming` has a word that can tell something serious. */
export type UnrecognizedKind = 'circumstance' | 'complaint' | 'alarming';

/** Judges texts in which no symptom was recognized. */
export class UnrecognizedText {
  readonly #ordinary: ReadonlySet<string>;
  /** Words that can tell a complaint, those of the body included; a text without any tells circumstances. */
  readonly #signals: ReadonlySet<string>;
  readonly #alarms: ReadonlySet<string>;
  readonly #negation: Negation;

  constructor(
    { signals, places, alarms }: Vocabulary,
    ordinary: ReadonlySet<string>,
    negation: Negation,
    wordsOf: (phrases: readonly string[]) => string[],
  ) {
    this.#ordinary = ordinary;
    this.#negation = negation;
    this.#signals = new Set(wordsOf([...signals, ...Object.values(places).flat()]));
    this.#alarms = new Set(wordsOf(alarms));
  }

  kindOf(words: readonly Word[]): UnrecognizedKind {
    if (this.#isCircumstance(words) || this.#negation.isDenial(words)) return 'circumstance';
    return words.some(({ text }) => this.#alarms.has(text)) ? 'alarming' : 'complaint';
  }

  /**
   * «Eating and playing», «tender when touched»: ordinary words that name no part of the body and nothing else that is a
   * sign by itself. Beside a symptom they describe it; alone they are no symptom, which is never self-care.
   */
  #isCircumstance(words: readonly Word[]): boolean {
    return (
      words.length > 1 &&
      words.some(({ text }) => this.#ordinary.has(text)) &&
      words.every(
        ({ text }) => !this.#signals.has(text) && (this.#ordinary.has(text) || /^(?:[0-9.,]+|[a-z]{1,2})$/.test(text)),
      )
    );
  }
}

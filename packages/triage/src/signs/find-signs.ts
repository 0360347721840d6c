import { detectLanguage } from './detect-language.ts';
import { foldText, type Token } from './fold-text.ts';
import {
  type CrisisKind,
  type Cue,
  crisisKinds,
  cues,
  type EmergencyRule,
  emergencyRules,
  type Language,
  languages,
} from './language-tables.ts';
import type { Match } from './phrase-patterns.ts';

/** What the tables of all languages find in a message. */
export interface Signs {
  crises: ReadonlySet<CrisisKind>;
  /** Whether another person than the writer is named, in the language of a crisis. */
  namesPerson: boolean;
  /** Labels of emergencies. */
  emergencies: readonly string[];
  /** Labels of signs that ask for a doctor within a day. */
  soon: readonly string[];
  /** Code of the language of the message. */
  language: string | undefined;
  /** Codes of the languages whose tables find any of them. */
  foundIn: readonly string[];
}

/** Words before a sign among which a negation is looked for. */
const maxNegationDistance = 2;

/** `facts`: signs that are known without the message; they count beside one of its own. Checks a message against the tables of every language: people mix languages, and a wrong guess must not hide a sign. */
export function findSigns(message: string, facts: readonly string[] = []): Signs {
  const tokens = foldText(message);
  const readings = languages().map(one => new Reading(one, tokens));
  const own = detectLanguage(tokens);
  const context = readings.find(({ code }) => code === own);
  const crises = new Set<CrisisKind>();
  const emergencies = new Set<string>();
  const soon = new Set<string>();
  let namesPerson = false;
  const found: string[] = [];
  for (const reading of readings) {
    const kinds = reading.crises(context);
    const rules = reading.emergencies(context, facts);
    if (kinds.length > 0 && (reading.namesPerson || context?.namesPerson)) namesPerson = true;
    if (kinds.length + rules.length > 0) found.push(reading.code);
    for (const kind of kinds) crises.add(kind);
    for (const { label, level } of rules) (level === 'urgent' ? soon : emergencies).add(label);
  }
  const language = own ?? found[0];
  return { crises, namesPerson, emergencies: [...emergencies], soon: [...soon], language, foundIn: found };
}

/** A message read with the tables of one language; undefined for a language without tables. */
export function readingIn(tokens: readonly Token[], code: string): Reading | undefined {
  const language = languages().find(one => one.code === code);
  return language && new Reading(language, tokens);
}

type Sentences = Record<Cue, Set<number>>;

/** Whether a sentence asks for knowledge and tells neither of the writer nor of now. */
const isGeneral = ({ general, present, me }: Sentences, sentence: number): boolean =>
  general.has(sentence) && !present.has(sentence) && !me.has(sentence);

/** A message read in one language. */
class Reading {
  readonly code: string;
  readonly #tokens: readonly Token[];
  readonly #matches: readonly Match[];
  readonly #harmless: readonly boolean[];
  readonly #negated: readonly boolean[];
  /** Where a negation of what precedes begins. */
  readonly #negatedBefore: ReadonlySet<number>;
  /** Numbers of the sentences with each cue. */
  readonly #sentences: Sentences;

  constructor({ code, lexicon, patterns }: Language, tokens: readonly Token[]) {
    this.code = code;
    this.#tokens = tokens;
    this.#matches = patterns.find(tokens, lexicon.readAll(tokens));
    this.#harmless = this.#cover('harmless');
    this.#negated = this.#cover('not');
    this.#negatedBefore = new Set(this.#tagged('not after').map(({ start }) => start));
    this.#sentences = Object.fromEntries(
      cues.map(cue => [cue, new Set(this.#findCues(cue).map(({ start }) => this.#sentenceOf(start)))]),
    ) as Sentences;
    for (const { text, sentence } of tokens) if (/^(?:19|20)\d\d$/.test(text)) this.#sentences.past.add(sentence);
  }

  /** Whether each sentence asks for knowledge and none tells of the writer or of now. */
  get asksGenerally(): boolean {
    return this.#tokens.every(({ sentence }) => isGeneral(this.#sentences, sentence));
  }

  /** Whether a song or a film is told of and the writer nowhere. */
  get tellsOfWork(): boolean {
    return this.#sentences.told.size > 0 && this.#sentences.me.size === 0;
  }

  /** Whether words of an idiom or of a denial stand in it. */
  get hasIdiom(): boolean {
    return this.#harmless.includes(true);
  }

  get namesPerson(): boolean {
    return this.#sentences.person.size > 0;
  }

  /** `context`: the reading in the language of the message, whose idioms hold for words that languages share. */
  crises(context: Reading | undefined): CrisisKind[] {
    const { asked, told, me, past, present, person } = this.#sentencesWith(context);
    return crisisKinds.filter(kind =>
      this.#tagged(`crisis ${kind}`).some(({ start, end }) => {
        const sentence = this.#sentenceOf(start);
        if (this.isHarmless(start, end) || context?.isHarmless(start, end)) return false;
        if (past.has(sentence) && !present.has(sentence)) return false;
        if (told.has(sentence) && !me.has(sentence) && !person.has(sentence)) return false;
        return kind !== 'any' || !asked.has(sentence) || person.has(sentence);
      }),
    );
  }

  emergencies(context: Reading | undefined, facts: readonly string[]): EmergencyRule[] {
    const sentences = this.#sentencesWith(context);
    const { asked, past, recent, present, person } = sentences;
    const isNow = (sentence: number): boolean =>
      (!past.has(sentence) && !recent.has(sentence)) || present.has(sentence);
    const isStated = (reading: Reading, match: Match): boolean =>
      !reading.isHarmless(match.start, match.end) && !reading.isNegated(match);
    const signs = new Set(
      this.#matches
        .filter(match => {
          const sentence = this.#sentenceOf(match.start);
          return (
            match.tag.startsWith('sign ') &&
            isNow(sentence) &&
            (!asked.has(sentence) || person.has(sentence)) &&
            !isGeneral(sentences, sentence) &&
            isStated(this, match) &&
            (context === undefined || isStated(context, match))
          );
        })
        .map(({ tag }) => tag.slice('sign '.length)),
    );
    if (signs.size === 0) return [];
    for (const fact of facts) signs.add(fact);
    return emergencyRules().filter(
      ({ when, unless = [] }) =>
        when.every(group => group.some(sign => signs.has(sign))) && !unless.some(sign => signs.has(sign)),
    );
  }

  #sentencesWith(context: Reading | undefined): Sentences {
    if (context === undefined || context === this) return this.#sentences;
    const other = context.#sentences;
    return Object.fromEntries(cues.map(cue => [cue, new Set([...this.#sentences[cue], ...other[cue]])])) as Sentences;
  }

  /** «A stroke ten years ago, now he is well again» is past; «now he is not well» is not. */
  #findCues(cue: Cue): Match[] {
    const found = this.#tagged(`cue ${cue}`);
    if (cue !== 'present') return found;
    const well = this.#tagged('well').filter(({ start, end }) => !this.#negated.slice(start, end).includes(true));
    return found.filter(one => !well.some(({ start, end }) => start <= one.start && one.end <= end));
  }

  #tagged(tag: string): Match[] {
    return this.#matches.filter(match => match.tag === tag);
  }

  #cover(tag: string): boolean[] {
    const covered: boolean[] = new Array(this.#tokens.length).fill(false);
    for (const { start, end } of this.#tagged(tag)) covered.fill(true, start, end);
    return covered;
  }

  #sentenceOf(at: number): number {
    return this.#tokens[at]?.sentence ?? 0;
  }

  isHarmless(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.#harmless[at]) return true;
    return false;
  }

  isNegated({ start, end }: Pick<Match, 'start' | 'end'>): boolean {
    const sentence = this.#sentenceOf(start);
    for (let at = start - 1; at >= 0 && at >= start - maxNegationDistance; at--)
      if (this.#sentenceOf(at) === sentence && this.#negated[at]) return true;
    return this.#negatedBefore.has(end) && this.#sentenceOf(end) === sentence;
  }
}

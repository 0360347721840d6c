import type { Whose } from '../finding.ts';
import type { Token } from './fold-text.ts';
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
import { Subjects } from './subjects.ts';

/** A medical sign by its label, and whose it is. */
export interface Flag {
  label: string;
  whose: Whose;
}

/** Words before a sign among which a negation is looked for. */
const maxNegationDistance = 2;
/** Kinds of a crisis whose words of hopelessness can be about a task. */
const ofOneself: ReadonlySet<CrisisKind> = new Set(['self', 'any', 'farewell']);
/** Words between a work or a task and the word of hopelessness that follows, with a verb between them in Hindi and Turkish; and after it. */
const maxTaskDistance = { before: 4, after: 3 } as const;
/** Words between «never» and an event after it that it denies. */
const maxNeverDistance = 5;
/** Signs that are events: see `eventConcepts`. */
const events: ReadonlySet<string> = new Set(['unconscious', 'seizure']);
/** Readings by the words of a message and their language: a message is asked several questions. */
const known = new WeakMap<readonly Token[], Map<string, Reading>>();

/** A message read with the tables of one language; undefined for a language without tables. */
export function readingIn(tokens: readonly Token[], code: string): Reading | undefined {
  const language = languages().find(one => one.code === code);
  if (language === undefined) return undefined;
  const ofTokens = known.get(tokens) ?? new Map<string, Reading>();
  known.set(tokens, ofTokens);
  const reading = ofTokens.get(code) ?? new Reading(language, tokens);
  ofTokens.set(code, reading);
  return reading;
}

type Sentences = Record<Cue, Set<number>>;

/** Whether a sentence asks for knowledge and tells neither of the writer nor of now. */
const isGeneral = ({ general, present, me }: Sentences, sentence: number): boolean =>
  general.has(sentence) && !present.has(sentence) && !me.has(sentence);

/** A message read in one language. */
export class Reading {
  readonly code: string;
  readonly #tokens: readonly Token[];
  readonly #matches: readonly Match[];
  readonly #harmless: readonly boolean[];
  readonly #negated: readonly boolean[];
  readonly #never: readonly boolean[];
  readonly #task: readonly boolean[];
  readonly #death: readonly boolean[];
  /** Where a negation of what precedes begins. */
  readonly #negatedBefore: ReadonlySet<number>;
  /** Numbers of the sentences with each cue. */
  readonly #sentences: Sentences;
  readonly #subjects: Subjects;
  /** Numbers of the parts between commas that tell of a song, a film or a book, and of those that quote its words. */
  readonly #toldClauses: ReadonlySet<number>;
  readonly #quotedClauses: ReadonlySet<number>;

  constructor({ code, lexicon, patterns }: Language, tokens: readonly Token[]) {
    this.code = code;
    this.#tokens = tokens;
    this.#matches = patterns.find(tokens, lexicon.readAll(tokens));
    this.#harmless = this.#cover('harmless');
    this.#negated = this.#cover('not');
    this.#never = this.#cover('never');
    this.#task = this.#cover('task');
    this.#death = this.#cover('death');
    this.#negatedBefore = new Set(this.#tagged('not after').map(({ start }) => start));
    this.#sentences = Object.fromEntries(
      cues.map(cue => [cue, new Set(this.#findCues(cue).map(({ start }) => this.#sentenceOf(start)))]),
    ) as Sentences;
    for (const { text, sentence } of tokens) if (/^(?:19|20)\d\d$/.test(text)) this.#sentences.past.add(sentence);
    const own = [...this.#tagged('my'), ...this.#tagged('cue me')];
    this.#subjects = new Subjects(tokens, own, this.#tagged('other'));
    this.#toldClauses = this.#clausesOf('cue told');
    this.#quotedClauses = this.#clausesOf('quoted');
  }

  /** Whether each sentence asks for knowledge and none tells of the writer or of now. */
  get asksGenerally(): boolean {
    return this.#tokens.every(({ sentence }) => isGeneral(this.#sentences, sentence));
  }

  /** Whether the reason of an absence is told. */
  get tellsOfAbsence(): boolean {
    return this.#sentences.absence.size > 0;
  }

  /** Whether a threat has a reason that nobody kills for, and no weapon: «I'll kill my brother, he ate my cake». */
  get isPetty(): boolean {
    return this.#sentences.petty.size > 0 && this.#sentences.weapon.size === 0;
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
    const { asked, past, present, person, absence } = this.#sentencesWith(context);
    const holds = (kind: CrisisKind, match: Match): boolean => {
      const { start, end } = match;
      const sentence = this.#sentenceOf(start);
      if (this.isHarmless(start, end) || context?.isHarmless(start, end)) return false;
      if (past.has(sentence) && !present.has(sentence)) return false;
      if (this.isTold(match) || context?.isTold(match)) return false;
      if (kind === 'farewell' && absence.size > 0) return false;
      if (kind === 'violence' && (this.isPetty || context?.isPetty)) return false;
      if (ofOneself.has(kind) && (context ?? this).isOfTask(match)) return false;
      return !(kind === 'any' || kind === 'farewell') || !asked.has(sentence) || person.has(sentence);
    };
    const found = new Set<CrisisKind>();
    for (const kind of crisisKinds)
      for (const match of this.#tagged(`crisis ${kind}`))
        if (holds(kind, match))
          found.add(kind === 'self' && (context ?? this).#subjects.isOfAnother(match) ? 'any' : kind);
    return [...found];
  }

  /** Whose what stands from `start` to `end` is; undefined where no word tells. */
  whoseAt(start: number, end: number): Whose | undefined {
    return this.#subjects.whoseAt(start, end);
  }

  emergencies(context: Reading | undefined, facts: readonly string[]): (EmergencyRule & Flag)[] {
    const sentences = this.#sentencesWith(context);
    const { asked, past, recent, present, person } = sentences;
    const isNow = (sentence: number): boolean =>
      (!past.has(sentence) && !recent.has(sentence)) || present.has(sentence);
    const isStated = (reading: Reading, match: Match): boolean =>
      !reading.isHarmless(match.start, match.end) && !reading.isNegated(match) && !reading.isTold(match);
    const signs = new Map<string, Whose>();
    for (const match of this.#matches) {
      const sentence = this.#sentenceOf(match.start);
      if (
        match.tag.startsWith('sign ') &&
        isNow(sentence) &&
        (!asked.has(sentence) || person.has(sentence)) &&
        !isGeneral(sentences, sentence) &&
        isStated(this, match) &&
        (context === undefined || isStated(context, match))
      ) {
        const sign = match.tag.slice('sign '.length);
        if (events.has(sign) && (context ?? this).isNever(match)) continue;
        if (!signs.has(sign)) signs.set(sign, (context ?? this).whoseAt(match.start, match.end) ?? 'writer');
      }
    }
    if (signs.size === 0) return [];
    for (const fact of facts) if (!signs.has(fact)) signs.set(fact, 'writer');
    return emergencyRules()
      .filter(
        ({ when, unless = [] }) =>
          when.every(group => group.some(sign => signs.has(sign))) && !unless.some(sign => signs.has(sign)),
      )
      .map(rule => {
        const told = rule.when.flatMap(group => group.find(sign => signs.has(sign)) ?? []);
        return { ...rule, whose: told.some(sign => signs.get(sign) === 'other') ? 'other' : 'writer' };
      });
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

  #clausesOf(tag: string): Set<number> {
    const clauses = new Set<number>();
    for (const { start, end } of this.#tagged(tag))
      for (const at of [start, end - 1]) clauses.add(this.#tokens[at]?.clause ?? 0);
    return clauses;
  }

  /** «In the film he bleeds to death»: of a work, and not of the writer. In what a song says «I» is nobody. */
  isTold({ start, end }: Pick<Match, 'start' | 'end'>): boolean {
    const clause = this.#tokens[start]?.clause ?? 0;
    if (this.#quotedClauses.has(clause)) return true;
    return this.#toldClauses.has(clause) && this.whoseAt(start, end) !== 'writer';
  }

  /** «I have never in my life fainted»; not where the sentence tells of now as well. */
  isNever({ start }: Pick<Match, 'start'>): boolean {
    const sentence = this.#sentenceOf(start);
    if (this.#sentences.present.has(sentence)) return false;
    for (let at = Math.max(0, start - 1 - maxNeverDistance); at <= start; at++)
      if (this.#never[at] && this.#tokens[at]?.clause === this.#tokens[start]?.clause) return true;
    return false;
  }

  /** «There is no point in this series», «I give up on the puzzle»: of a work or a task, and not of life. */
  isOfTask({ start, end }: Pick<Match, 'start' | 'end'>): boolean {
    const clause = this.#tokens[start]?.clause;
    let isTask = false;
    for (let at = Math.max(0, start - 1 - maxTaskDistance.before); at <= end + maxTaskDistance.after; at++) {
      if (this.#tokens[at]?.clause !== clause) continue;
      if (this.#death[at]) return false;
      isTask ||= this.#task[at] === true;
    }
    return isTask;
  }

  /** Whether it is told of years ago, and not of now. */
  isPast({ start }: Pick<Match, 'start'>): boolean {
    const sentence = this.#sentenceOf(start);
    return this.#sentences.past.has(sentence) && !this.#sentences.present.has(sentence);
  }

  isNegated({ start, end }: Pick<Match, 'start' | 'end'>): boolean {
    const sentence = this.#sentenceOf(start);
    for (let at = start - 1; at >= 0 && at >= start - maxNegationDistance; at--)
      if (this.#sentenceOf(at) === sentence && this.#negated[at]) return true;
    return this.#negatedBefore.has(end) && this.#sentenceOf(end) === sentence;
  }
}

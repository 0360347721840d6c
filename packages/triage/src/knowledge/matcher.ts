import { LazyTable } from '../text/lazy-table.ts';
import { type CompiledKnowledge, compileKnowledge } from './compile-knowledge.ts';
import type { FrameMatch } from './frames.ts';
import { knowledge, knowledgeTable } from './knowledge.ts';
import type { Knowledge, RedFlag } from './knowledge-schema.ts';
import type { Span } from './negation.ts';
import { completeFacts, contradictedIds, type StatedFacts, unknownPerson } from './person-facts.ts';
import { findQuantities } from './quantities.ts';
import { raisedFlags } from './red-flags.ts';
import { statedFacts } from './stated-facts.ts';
import { tokenize, type Word } from './tokenize.ts';
import type { UnrecognizedKind } from './unrecognized-text.ts';

/** Health facts found in a text. Ids are those of `knowledge/symptoms.json`. */
export interface TextFindings {
  /** Symptoms and facts that are present, including implied ones. */
  present: ReadonlySet<string>;
  /** Symptoms that are only mentioned negated. */
  negated: ReadonlySet<string>;
  /** Red flags that match without further facts, emergencies first. */
  redFlags: readonly RedFlag[];
  /** Facts about the person that the texts state. */
  stated: StatedFacts;
  /** Kinds of crisis: `suicidal`, `self-harm`, `harm-others`, `abuse`. */
  crisis: readonly string[];
  /** Number of texts without any known symptom, negated ones included. */
  unmatched: number;
  /** Those of them with a word that can tell something serious. */
  unclear: number;
  /** Number of words inspected; linear in the length of the text. For tests. */
  steps: number;
}

interface SymptomMatch extends Span {
  id: string;
  negated: boolean;
}

/** What the words of one text tell. */
interface TextReading {
  finds: SymptomMatch[];
  kind: UnrecognizedKind;
}

/** Words and readings of the texts of one request, which ends with it: the texts are health data. */
export class TextReadings {
  readonly words = new Map<string, readonly Word[]>();
  readonly corrections = new Map<string, string>();
  /** By the words. */
  readonly finds = new Map<string, TextReading>();
}

/**
 * Finds symptoms, red flags and crises in free English text: whole words, synonyms, common misspellings, and complaints
 * with places («pain in my left chest»); ignores negated mentions («no chest pain», «denies …») and idioms («dying
 * laughing»). Deterministic, linear in the length of the text, and neither stores nor logs it.
 */
export function matchText(text: string, readings?: TextReadings): TextFindings {
  return matchTexts([text], readings);
}

/**
 * Matches several texts about one person: a symptom present in one text is present, even if another negates it.
 * @param readings what the same request has read before: it matches texts of a message or a report alone and together
 */
export function matchTexts(texts: readonly string[], readings?: TextReadings): TextFindings {
  return matcherTable.get().match(texts, readings);
}

/** Display name of a symptom or fact; the id when it is unknown. */
export function labelOf(id: string): string {
  return knowledge().symptoms.get(id)?.label ?? id;
}

/** Tokenizes a text with the spellings of the knowledge base. */
export function tokenizeText(text: string): readonly Word[] {
  return matcherTable.get().words(text);
}

/** Compiled at the first message or assessment. */
export const matcherTable = new LazyTable<Matcher>(function* () {
  const known = yield* knowledgeTable.inPieces();
  return new Matcher(known, yield* compileKnowledge(known));
});

/** A knowledge base compiled for matching. */
export class Matcher {
  readonly #known: Knowledge;
  readonly #compiled: CompiledKnowledge;

  constructor(known: Knowledge, compiled: CompiledKnowledge = new LazyTable(() => compileKnowledge(known)).get()) {
    this.#known = known;
    this.#compiled = compiled;
  }

  /** Terms claimed by two symptoms, as «term: winner, other». */
  get ambiguousTerms(): readonly string[] {
    return this.#compiled.ambiguousTerms;
  }

  /** The words of a text, with their spelling corrected. */
  words(text: string, { words: known, corrections } = new TextReadings()): readonly Word[] {
    const before = known.get(text);
    if (before) return before;
    const words = tokenize(text, this.#compiled.spellings);
    for (const word of words) {
      const corrected = corrections.get(word.text) ?? this.#compiled.corrector.correct(word.text);
      corrections.set(word.text, corrected);
      word.text = corrected;
    }
    known.set(text, words);
    return words;
  }

  match(texts: readonly string[], readings = new TextReadings()): TextFindings {
    const before = this.#stepsSoFar();
    const present = new Set<string>();
    const named = new Set<string>();
    let unmatched = 0;
    let unclear = 0;
    const tokenized = texts.map(text => this.words(text, readings));
    for (const words of tokenized) {
      const { finds, kind } = this.#read(words, readings);
      if (kind !== 'circumstance') unmatched++;
      if (kind === 'alarming') unclear++;
      for (const { id, negated } of finds) (negated ? named : present).add(id);
    }
    addImplied(present, this.#known);
    const stated = statedFacts(tokenized, present);
    const person = completeFacts(unknownPerson, stated);
    const { redFlags } = this.#known;
    for (const id of contradictedIds(person)) present.delete(id);
    return {
      present,
      negated: new Set([...named].filter(id => !present.has(id))),
      // Only when it is read: each clause of a message is matched for crises alone.
      get redFlags() {
        return raisedFlags(redFlags, { present, person, days: null, isWorsening: false });
      },
      stated,
      crisis: [...present].filter(id => this.#known.symptoms.get(id)?.kind === 'crisis').sort(),
      unmatched,
      unclear,
      steps: this.#stepsSoFar() - before,
    };
  }

  #read(words: readonly Word[], { finds: known }: TextReadings): TextReading {
    const key = words.map(({ text, gap, asked }) => `${gap[0]}${asked ? '?' : ''}${text}`).join(' ');
    const before = known.get(key);
    if (before) return before;
    const { finds, hasNormal } = this.#findMatches(words);
    const isTold = hasNormal || finds.some(one => one.negated || this.#known.symptoms.get(one.id)?.kind !== 'context');
    const reading: TextReading = { finds, kind: isTold ? 'circumstance' : this.#compiled.unrecognized.kindOf(words) };
    known.set(key, reading);
    return reading;
  }

  /** `hasNormal`: a reading within the normal range tells that nothing is wrong. */
  #findMatches(words: readonly Word[]): { finds: SymptomMatch[]; hasNormal: boolean } {
    const spans: (Span & { id: string; takenBack?: boolean })[] = [];
    const framed: FrameMatch[] = this.#compiled.frames.find(words);
    const soft: (Span & { id: string })[] = [];
    const covered: boolean[] = new Array(words.length).fill(false);
    const cover = ({ start, end }: Span): void => {
      covered.fill(true, start, end);
    };
    const { found: quantities, normalAt } = findQuantities(words);
    for (let at = 0; at < words.length; ) {
      const idiom = this.#compiled.idioms.findLongest(words, at);
      const found = this.#compiled.terms.findLongest(words, at);
      if (idiom && idiom.end >= (found?.end ?? 0)) {
        cover({ start: at, end: idiom.end });
        at = idiom.end;
        continue;
      }
      if (!found) {
        at++;
        continue;
      }
      const span = { start: at, end: found.end };
      at = found.end;
      if (normalAt.has(span.start)) cover(span);
      else if (found.value.soft) soft.push({ ...span, id: found.value.symptom });
      else {
        spans.push({ ...span, id: found.value.symptom });
        cover(span);
      }
    }
    const placed = this.#compiled.places.find(words, covered);
    for (const one of [...placed, ...quantities]) spans.push(one);
    const used = new Set(placed.map(one => one.complaintAt));
    for (const one of soft) if (!used.has(one.start)) spans.push(one);
    for (const one of placed) for (const at of one.at) covered[at] = true;
    for (const one of soft) cover(one);
    for (const one of framed) {
      if (one.drops) continue;
      spans.push(one);
      for (const at of one.at) covered[at] = true;
    }
    const cues = this.#compiled.negation.findCues(words, covered);
    /** Sentences by the symptom whose matches in them do not count. */
    const dropped = new Map<string, Set<Span>>();
    for (const { id, drops, takenBack } of framed)
      if (drops && !takenBack) dropped.set(id, (dropped.get(id) ?? new Set()).add(drops));
    const isDropped = ({ id, start }: Span & { id: string }): boolean =>
      [...(dropped.get(id) ?? [])].some(sentence => start >= sentence.start && start < sentence.end);
    const finds = spans
      .filter(one => !isDropped(one))
      .map(({ id, start, end, takenBack }) => ({
        id,
        start,
        end,
        negated:
          takenBack === true ||
          this.#compiled.negation.isNegated(
            words,
            cues,
            covered,
            { start, end },
            this.#known.symptoms.get(id)?.lasting === true,
          ),
      }));
    return { finds, hasNormal: normalAt.size > 0 };
  }

  #stepsSoFar(): number {
    const { terms, idioms, places, negation, frames } = this.#compiled;
    return terms.steps + idioms.steps + places.steps() + negation.steps + frames.steps;
  }
}

/** Adds implied symptoms, which may imply others: a Set iterates over values added meanwhile. */
export function addImplied(present: Set<string>, { symptoms }: Knowledge): void {
  for (const id of present) for (const other of symptoms.get(id)?.implies ?? []) present.add(other);
}

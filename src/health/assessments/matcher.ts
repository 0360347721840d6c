import { createComplaintFinder } from './complaints.ts';
import { FrameFinder, type FrameMatch } from './frames.ts';
import { knowledge } from './knowledge.ts';
import type { Knowledge, RedFlag, Symptom } from './knowledge-schema.ts';
import { Negation, type Span } from './negation.ts';
import { completeFacts, contradictedIds, type StatedFacts, unknownPerson } from './person-facts.ts';
import { PhraseTrie } from './phrase-trie.ts';
import { findQuantities } from './quantities.ts';
import { raisedFlags } from './red-flags.ts';
import { SpellingCorrector } from './spelling.ts';
import { statedFacts } from './stated-facts.ts';
import { stem, tokenize, type Word } from './tokenize.ts';
import { UnrecognizedText } from './unrecognized-text.ts';

/** Health facts found in a text. Ids are those of `knowledge/symptoms.json`. */
export interface TextFindings {
  /** Symptoms and facts that are present, including implied ones. */
  present: ReadonlySet<string>;
  /** Those of them that only frames tell, which can misread a sentence: no phrase, complaint at a place or number does. */
  framed: ReadonlySet<string>;
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

/** Meaning of a phrase. `soft`: a complaint without a place, which a located complaint replaces. */
interface SymptomTerm {
  symptom: string;
  soft: boolean;
}
interface SymptomMatch extends Span {
  id: string;
  negated: boolean;
  isFramed: boolean;
}

/**
 * Finds symptoms, red flags and crises in free English text: whole words, synonyms, common misspellings, and complaints
 * with places («pain in my left chest»); ignores negated mentions («no chest pain», «denies …») and idioms («dying
 * laughing»). Deterministic, linear in the length of the text, and neither stores nor logs it.
 */
export function matchText(text: string): TextFindings {
  return matchTexts([text]);
}

/** Matches several texts about one person: a symptom present in one text is present, even if another negates it. */
export function matchTexts(texts: readonly string[]): TextFindings {
  matcher ??= new Matcher(knowledge());
  return matcher.match(texts);
}

/** Display name of a symptom or fact; the id when it is unknown. */
export function labelOf(id: string): string {
  return knowledge().symptoms.get(id)?.label ?? id;
}

/** Tokenizes a text with the spellings of the knowledge base. */
export function tokenizeText(text: string): Word[] {
  matcher ??= new Matcher(knowledge());
  return matcher.words(text);
}

let matcher: Matcher | undefined;

/** A knowledge base compiled for matching. */
export class Matcher {
  readonly #known: Knowledge;
  readonly #spellings: ReadonlyMap<string, readonly string[]>;
  readonly #fillers: ReadonlySet<string>;
  readonly #terms: PhraseTrie<SymptomTerm>;
  readonly #corrector: SpellingCorrector;
  readonly #unrecognized: UnrecognizedText;
  /** Idioms match word for word, without skipping fillers. */
  readonly #idioms = new PhraseTrie<true>();
  readonly #negation: Negation;
  readonly #frames: FrameFinder;
  readonly #places: ReturnType<typeof createComplaintFinder>;
  /** Terms claimed by two symptoms, as «term: winner, other». */
  readonly ambiguousTerms: string[] = [];

  constructor(known: Knowledge) {
    this.#known = known;
    const plain: ReadonlyMap<string, readonly string[]> = new Map();
    this.#spellings = new Map(Object.entries(known.words.spellings).map(([from, to]) => [from, to.split(' ')]));
    this.#fillers = new Set(known.words.fillers.flatMap(one => tokenize(one, plain).map(word => word.text)));
    this.#terms = new PhraseTrie(this.#fillers);
    this.#negation = new Negation(known.words, this.#spellings);
    this.#places = createComplaintFinder(known, this.#fillers, text => this.#normalize(text));
    this.#frames = new FrameFinder(known, text => this.#normalize(text));
    for (const idiom of known.words.idioms) this.#idioms.add(this.#normalize(idiom), true);
    for (const symptom of known.symptoms.values()) this.#addTerms(symptom);
    const { words, symptoms, classes } = known;
    const wordsOf = (phrases: readonly string[]): string[] => phrases.flatMap(one => this.#normalize(one));
    const body = wordsOf([...Object.values(words.complaints), ...Object.values(words.places)].flat());
    const targets = [...body, ...wordsOf([...symptoms.values()].flatMap(({ terms }) => terms))];
    const { noun, verb } = words.negation;
    const grammar = [noun.cues, noun.bridges, verb.cues, verb.bridges, words.fillers, words.prepositions, words.idioms];
    const ordinary = new Set(known.ordinaryWords.flatMap(one => [one, stem(one)]));
    const accepted = new Set([
      ...targets,
      ...wordsOf([...grammar.flat(), ...Object.values(classes).flat()]),
      ...this.#frames.words,
    ]);
    this.#corrector = new SpellingCorrector(new Set(targets), accepted, ordinary);
    this.#unrecognized = new UnrecognizedText(words, ordinary, this.#negation, wordsOf);
  }

  /** The words of a text, with their spelling corrected. */
  words(text: string): Word[] {
    const words = tokenize(text, this.#spellings);
    for (const word of words) word.text = this.#corrector.correct(word.text);
    return words;
  }

  #normalize(text: string): string[] {
    return tokenize(text, this.#spellings).map(word => word.text);
  }

  #addTerms({ id, terms }: Symptom): void {
    for (const term of terms.flatMap(one => expandClasses(one, this.#known.classes))) {
      const folded = this.#normalize(term);
      const before = this.#terms.add(folded, { symptom: id, soft: this.#places.isComplaint(folded) });
      if (before !== undefined && before.symptom !== id) this.ambiguousTerms.push(`${term}: ${before.symptom}, ${id}`);
    }
  }

  match(texts: readonly string[]): TextFindings {
    const before = this.#stepsSoFar();
    const present = new Set<string>();
    const named = new Set<string>();
    /** Present by something else than a frame. */
    const firm = new Set<string>();
    let unmatched = 0;
    let unclear = 0;
    const tokenized = texts.map(text => this.words(text));
    for (const words of tokenized) {
      const { finds, hasNormal } = this.#findMatches(words);
      const isTold =
        hasNormal || finds.some(one => one.negated || this.#known.symptoms.get(one.id)?.kind !== 'context');
      const kind = isTold ? 'circumstance' : this.#unrecognized.kindOf(words);
      if (kind !== 'circumstance') unmatched++;
      if (kind === 'alarming') unclear++;
      for (const { id, negated, isFramed } of finds) {
        (negated ? named : present).add(id);
        if (!negated && !isFramed) firm.add(id);
      }
    }
    addImplied(present, this.#known);
    addImplied(firm, this.#known);
    const stated = statedFacts(tokenized, present);
    const person = completeFacts(unknownPerson, stated);
    for (const id of contradictedIds(person)) present.delete(id);
    return {
      present,
      framed: new Set([...present].filter(id => !firm.has(id) && this.#known.symptoms.get(id)?.kind === 'symptom')),
      negated: new Set([...named].filter(id => !present.has(id))),
      redFlags: raisedFlags(this.#known.redFlags, { present, person, days: null, isWorsening: false }),
      stated,
      crisis: [...present].filter(id => this.#known.symptoms.get(id)?.kind === 'crisis').sort(),
      unmatched,
      unclear,
      steps: this.#stepsSoFar() - before,
    };
  }

  /** `hasNormal`: a reading within the normal range tells that nothing is wrong. */
  #findMatches(words: readonly Word[]): { finds: SymptomMatch[]; hasNormal: boolean } {
    const spans: (Span & { id: string; takenBack?: boolean; isFramed?: boolean })[] = [];
    const framed: FrameMatch[] = this.#frames.find(words);
    const soft: (Span & { id: string })[] = [];
    const covered: boolean[] = new Array(words.length).fill(false);
    const cover = ({ start, end }: Span): void => {
      covered.fill(true, start, end);
    };
    const { found: quantities, normalAt } = findQuantities(words);
    for (let at = 0; at < words.length; ) {
      const idiom = this.#idioms.findLongest(words, at);
      const found = this.#terms.findLongest(words, at);
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
    const placed = this.#places.find(words, covered);
    spans.push(...placed, ...quantities);
    const used = new Set(placed.map(one => one.complaintAt));
    spans.push(...soft.filter(one => !used.has(one.start)));
    for (const one of placed) for (const at of one.at) covered[at] = true;
    for (const one of soft) cover(one);
    for (const one of framed) {
      if (one.drops) continue;
      spans.push({ ...one, isFramed: true });
      for (const at of one.at) covered[at] = true;
    }
    const cues = this.#negation.findCues(words, covered);
    const exceptions = framed.filter(one => one.drops && !one.takenBack);
    const isDropped = (span: Span & { id: string }): boolean =>
      exceptions.some(
        ({ id, drops }) => drops && id === span.id && span.start >= drops.start && span.start < drops.end,
      );
    const finds = spans
      .filter(one => !isDropped(one))
      .map(({ id, start, end, takenBack, isFramed }) => ({
        id,
        start,
        end,
        isFramed: isFramed === true,
        negated:
          takenBack === true ||
          this.#negation.isNegated(
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
    return this.#terms.steps + this.#idioms.steps + this.#places.steps() + this.#negation.steps + this.#frames.steps;
  }
}

/** Adds implied symptoms, which may imply others: a Set iterates over values added meanwhile. */
export function addImplied(present: Set<string>, { symptoms }: Knowledge): void {
  for (const id of present) for (const other of symptoms.get(id)?.implies ?? []) present.add(other);
}

/** Expands each `{class}` of a term to all its members. */
function expandClasses(term: string, classes: Record<string, string[]>): string[] {
  const [whole, name] = /\{(\w+)\}/.exec(term) ?? [];
  if (whole === undefined || name === undefined) return [term];
  const ways = classes[name] ?? [];
  return ways.flatMap(way => expandClasses(term.replace(whole, way), classes));
}

import type { Pieces } from '../text/lazy-table.ts';
import { createComplaintFinder } from './complaints.ts';
import { FrameFinder } from './frames.ts';
import type { Knowledge } from './knowledge-schema.ts';
import { Negation } from './negation.ts';
import { PhraseTrie } from './phrase-trie.ts';
import { SpellingCorrector } from './spelling.ts';
import { stem, tokenize } from './tokenize.ts';
import { UnrecognizedText } from './unrecognized-text.ts';

/** Meaning of a phrase. `soft`: a complaint without a place, which a located complaint replaces. */
interface SymptomTerm {
  symptom: string;
  soft: boolean;
}

/** What a text is matched with. */
export interface CompiledKnowledge {
  spellings: ReadonlyMap<string, readonly string[]>;
  terms: PhraseTrie<SymptomTerm>;
  corrector: SpellingCorrector;
  unrecognized: UnrecognizedText;
  /** Idioms match word for word, without skipping fillers. */
  idioms: PhraseTrie<true>;
  negation: Negation;
  frames: FrameFinder;
  places: ReturnType<typeof createComplaintFinder>;
  /** Terms claimed by two symptoms, as «term: winner, other». */
  ambiguousTerms: readonly string[];
}

/** Compiles a knowledge base: 350 ms in pieces of at most some milliseconds. */
export function* compileKnowledge(known: Knowledge): Pieces<CompiledKnowledge> {
  const { words, symptoms, classes } = known;
  const spellings = new Map(Object.entries(words.spellings).map(([from, to]) => [from, to.split(' ')]));
  const normalize = (text: string): string[] => tokenize(text, spellings).map(word => word.text);
  const wordsOf = (phrases: readonly string[]): string[] => phrases.flatMap(normalize);
  const fillers = new Set(words.fillers.flatMap(one => tokenize(one, new Map()).map(word => word.text)));
  const negation = new Negation(words, spellings);
  const places = createComplaintFinder(known, fillers, normalize);
  yield;
  const frames = new FrameFinder(known, normalize);
  yield;
  const idioms = new PhraseTrie<true>();
  for (const idiom of words.idioms) idioms.add(normalize(idiom), true);
  const terms = new PhraseTrie<SymptomTerm>(fillers);
  const ambiguousTerms: string[] = [];
  const targets = new Set(wordsOf([...Object.values(words.complaints), ...Object.values(words.places)].flat()));
  for (const symptom of symptoms.values()) {
    frames.addFrames(symptom);
    for (const term of symptom.terms) for (const word of normalize(term)) targets.add(word);
    for (const term of symptom.terms.flatMap(one => expandClasses(one, classes))) {
      const folded = normalize(term);
      const before = terms.add(folded, { symptom: symptom.id, soft: places.isComplaint(folded) });
      if (before !== undefined && before.symptom !== symptom.id)
        ambiguousTerms.push(`${term}: ${before.symptom}, ${symptom.id}`);
    }
    yield;
  }
  const { noun, verb } = words.negation;
  const grammar = [noun.cues, noun.bridges, verb.cues, verb.bridges, words.fillers, words.prepositions, words.idioms];
  const ordinary = new Set(known.ordinaryWords.flatMap(one => [one, stem(one)]));
  yield;
  const others = wordsOf([...grammar.flat(), ...Object.values(classes).flat()]);
  const corrector = new SpellingCorrector(new Set([...targets, ...others, ...frames.words]), ordinary);
  for (const target of targets) {
    corrector.addTarget(target);
    yield;
  }
  const unrecognized = new UnrecognizedText(words, ordinary, negation, wordsOf);
  return { spellings, terms, corrector, unrecognized, idioms, negation, frames, places, ambiguousTerms };
}

/** Expands each `{class}` of a term to all its members. */
function expandClasses(term: string, classes: Readonly<Record<string, string[]>>): string[] {
  const [whole, name] = /\{(\w+)\}/.exec(term) ?? [];
  if (whole === undefined || name === undefined) return [term];
  const ways = classes[name] ?? [];
  return ways.flatMap(way => expandClasses(term.replace(whole, way), classes));
}

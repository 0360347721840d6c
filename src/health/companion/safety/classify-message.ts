import { classifyByRules, type Finding, noRisk, type SafetyClassification } from './classify-by-rules.ts';
import { conceptsIn } from './concepts.ts';
import { foldText, type Token } from './fold-text.ts';
import { scoreKinds, scoreSubjects } from './message-model.ts';

/**
 * Classifies the urgency of a message by rules and by a trained model, without storing its words. What either of them finds counts, but
 * the model is asked a second time about each finding of the rules, which see words and not what is said: see `isTakenBack`.
 */
export function classifyMessage(message: string): SafetyClassification {
  const bounded = message.slice(0, maxClassifiedLength);
  const tokens = foldText(bounded);
  const finding = classifyByRules(bounded);
  const byRules = finding.classification;
  const language = byRules.language ?? 'en';
  const { crisis, emergency, harmless } = scoreKinds(tokens, language);
  if (byRules.level !== 'none' && isTakenBack(finding, bounded, tokens, harmless))
    return { ...noRisk, ...(byRules.language === undefined ? {} : { language }) };
  const isRaised = tokens.length > 0 && harmless < limitOf(tokens.length, language);
  const least = byRules.level === 'urgent' ? minOverRule : minShare.emergency * (1 - harmless);
  const isEmergency = byRules.emergency || (isRaised && emergency >= least);
  const flags = isEmergency && !byRules.emergency ? [modelFlag, ...byRules.flags] : byRules.flags;
  const share = byRules.emergency ? minShare.crisisBesideEmergency : minShare.crisis;
  if (byRules.level !== 'crisis' && !(isRaised && crisis >= share * (1 - harmless)))
    return { ...byRules, level: flags.length > 0 ? 'urgent' : 'none', flags, emergency: isEmergency };
  const about = byRules.about ?? mostLikely(scoreSubjects(tokens, language));
  return { ...byRules, level: 'crisis', about, flags, emergency: isEmergency };
}

/** Messages are shorter; a bound keeps the time of classification in this module. */
const maxClassifiedLength = 8_000;
/** Probability of being harmless below which the model raises the level: a lower one misses more, crises in other languages first. */
const maxHarmless = { english: 0.64, short: 0.54, others: 0.54 } as const;
/** Words below which an English message is short. Of longer ones between both limits 29 were crises or emergencies and 19 harmless. */
const minWords = 5;
/** Least part of the rest that makes a crisis, and an emergency: a deliberate overdose is both. */
const minShare = { crisis: 0.4, crisisBesideEmergency: 0.7, emergency: 0.2 } as const;
/** Least probability of an emergency where a rule knows the sign and asks for a doctor within a day. */
const minOverRule = 0.9;
/** Probability of being harmless from which a finding of the rules that is not stated is taken back, and the least words for it. */
const likelyHarmless = { crisis: 0.8, urgent: 0.92 } as const;
const minContext = 12;
/** Probabilities of being harmless from which any finding is taken back: of the message, by kind, and of each part with a finding. */
const certainlyHarmless = { crisis: 0.93, urgent: 0.9, part: 0.8 } as const;
/**
 * The same for signs of an emergency where the message leaves next to no doubt: what the rules find in no part alone, such as a sign of
 * each of two sentences, counts no more then. Of 4,064 unread messages some 15 false alarms fewer, and no emergency of 738 less.
 */
const evidentlyHarmless = { message: 0.95, part: 0.5 } as const;
/** The same in a message that tells of something distant. */
const harmlessFromAfar = { message: 0.9, part: 0.6 } as const;
/** The same for what only the table of another language finds: of 35 such findings in the sets 27 were chance likenesses. */
const harmlessForeign = 0.5;
/** Most parts that are read alone. A message of more keeps what the rules found. */
const maxParts = 40;
/**
 * What tells that something is not said of the present: the past, an idiom or a negation, media, study, a joke, an animal. Without it
 * «what exercise is good for sudden weakness on one side» is general advice to the model.
 */
const distantConcepts: ReadonlySet<string> = new Set([
  'cue past',
  'cue recent',
  'harmless',
  'media',
  'study',
  'laugh',
  'past',
  'year',
  'pet',
]);

const limitOf = (words: number, language: string): number => {
  if (language !== 'en') return maxHarmless.others;
  return words < minWords ? maxHarmless.short : maxHarmless.english;
};

/**
 * Whether the model outweighs what the rules find. The probabilities that it needs were found by cross-validation:
 * - a likeness to words of another language than that of the message: more likely harmless than not, read in either language;
 * - in a longer message, where nothing is stated: likely harmless;
 * - a crisis in the first person in English is never taken back otherwise;
 * - other findings: the whole message, and alone each part that the rules find something in, are certainly harmless; less is needed of
 *   the parts where the message tells of something distant, such as a film or an illness of ten years ago, and of signs of an emergency
 *   where the message is evidently harmless.
 */
function isTakenBack(
  { classification, isStated, isFirstPerson, foreign }: Finding,
  message: string,
  tokens: readonly Token[],
  harmless: number,
): boolean {
  const level = classification.level === 'crisis' ? 'crisis' : 'urgent';
  const language = classification.language ?? 'en';
  if (!isStated && harmless >= likelyHarmless[level] && tokens.length >= minContext) return true;
  if (isFirstPerson) return false;
  const needed = foreign.length > 0 ? harmlessForeign : harmlessFromAfar.message;
  if (harmless < needed) return false;
  const parts = partsWithFindings(message);
  if (parts === undefined) return false;
  if (foreign.length > 0) {
    if (parts.length === 0) return false;
    // «Ich trinke Tee und quiero morirme»: the words count in the language whose table has them as well.
    const texts = [tokens, ...parts];
    return [language, ...foreign].every(code => leastHarmless(texts, code) >= harmlessForeign);
  }
  const ofParts = leastHarmless(parts, language);
  const isEvident = level === 'urgent' && harmless >= evidentlyHarmless.message;
  if (isEvident && ofParts >= evidentlyHarmless.part) return true;
  if (parts.length === 0) return false;
  if (harmless >= certainlyHarmless[level] && ofParts >= certainlyHarmless.part) return true;
  if (ofParts < harmlessFromAfar.part) return false;
  return conceptsIn(tokens, language).some(name => distantConcepts.has(name));
}

/**
 * The parts of a message that a rule finds something in, which are judged alone: harmless words beside a statement say nothing about it.
 * Empty if the rules find something in no part, but only in the whole; undefined for too many parts.
 */
function partsWithFindings(message: string): Token[][] | undefined {
  const parts = message.split(partBoundary);
  if (parts.length > maxParts) return undefined;
  return parts.filter(part => classifyByRules(part).classification.level !== 'none').map(foldText);
}

/** Infinity for no text. */
const leastHarmless = (texts: readonly (readonly Token[])[], language: string): number =>
  Math.min(...texts.map(tokens => scoreKinds(tokens, language).harmless));

/** Ends of sentences, commas and contrasting conjunctions. */
const partBoundary =
  /(?<=[.!?\n؟…;:,،])\s+|(?<=[。！？，；])|\s+[-–—]+\s+|\s+(?=(?:but|and now|and i|while|because)\b)/iu;

/** Label of an emergency that no rule names. */
const modelFlag = 'Signs that can be an emergency';

function mostLikely<Name extends string>(scores: Readonly<Record<Name, number>>): Name | undefined {
  const names = Object.keys(scores) as Name[];
  return names.sort((one, other) => scores[other] - scores[one])[0];
}

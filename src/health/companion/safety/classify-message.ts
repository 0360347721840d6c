import { classifyByRules, noRisk, type SafetyClassification } from './classify-by-rules.ts';
import { conceptsIn } from './concepts.ts';
import { foldText } from './fold-text.ts';
import { scoreKinds, scoreSubjects } from './message-model.ts';

/**
 * Classifies the urgency of a message by rules and by a trained model, without storing its words. What either of them finds counts. The
 * model overrides a finding of the rules in two cases: in a longer message that it scores as harmless with a high probability, where
 * nothing is stated; and where the message has a word for something distant, such as a film or an illness of ten years ago, and the model
 * scores each part with a finding as harmless. A crisis in the first person in English is never overridden in the second case.
 */
export function classifyMessage(message: string): SafetyClassification {
  const bounded = message.slice(0, maxClassifiedLength);
  const tokens = foldText(bounded);
  const { classification: byRules, isStated, isFirstPerson } = classifyByRules(bounded);
  const language = byRules.language ?? 'en';
  const { crisis, emergency, harmless } = scoreKinds(tokens, language);
  const likely = likelyHarmless[byRules.level === 'crisis' ? 'crisis' : 'urgent'];
  const isTakenBack =
    (!isStated && harmless >= likely && tokens.length >= minContext) ||
    (byRules.level !== 'none' &&
      !isFirstPerson &&
      harmless >= certainlyHarmless &&
      conceptsIn(tokens, language).some(name => distantConcepts.has(name)) &&
      isEachPartHarmless(bounded, language));
  if (isTakenBack) return { ...noRisk, ...(byRules.language === undefined ? {} : { language }) };
  const isRaised = harmless < (language === 'en' ? maxHarmless.english : maxHarmless.others);
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
const maxHarmless = { english: 0.54, others: 0.66 } as const;
/** Least part of the rest that makes a crisis, and an emergency: a deliberate overdose is both. */
const minShare = { crisis: 0.4, crisisBesideEmergency: 0.7, emergency: 0.3 } as const;
/** Least probability of an emergency where a rule knows the sign and asks for a doctor within a day. */
const minOverRule = 0.9;
/** Probability of being harmless from which a finding of the rules that is not stated is taken back, and the least words for it. */
const likelyHarmless = { crisis: 0.8, urgent: 0.92 } as const;
const minContext = 12;
/**
 * Probabilities from which any finding of a message that tells of something distant is taken back: of the message, and of each part of
 * it that a rule finds something in. Found by cross-validation.
 */
const certainlyHarmless = 0.9;
const harmlessPart = 0.6;
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

/**
 * Whether the model scores each part of a message that a rule finds something in as harmless by itself: harmless words beside a statement
 * say nothing about it. False if the rules find something in no part, but only in the whole.
 */
function isEachPartHarmless(message: string, language: string): boolean {
  const parts = message.split(partBoundary);
  if (parts.length > maxParts) return false;
  const found = parts.filter(part => classifyByRules(part).classification.level !== 'none');
  return found.length > 0 && found.every(part => scoreKinds(foldText(part), language).harmless >= harmlessPart);
}

/** Ends of sentences, commas and contrasting conjunctions. */
const partBoundary =
  /(?<=[.!?\n؟…;:,،])\s+|(?<=[。！？，；])|\s+[-–—]+\s+|\s+(?=(?:but|and now|and i|while|because)\b)/iu;

/** Label of an emergency that no rule names. */
const modelFlag = 'Signs that can be an emergency';

function mostLikely<Name extends string>(scores: Readonly<Record<Name, number>>): Name | undefined {
  const names = Object.keys(scores) as Name[];
  return names.sort((one, other) => scores[other] - scores[one])[0];
}

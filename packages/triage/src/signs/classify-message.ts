import { nextEventLoopTurn } from '../text/event-loop-turn.ts';
import { classifyByRules, type Finding, noRisk, type SafetyClassification } from './classify-by-rules.ts';
import { conceptsIn, conceptTable } from './concepts.ts';
import { foldText, type Token } from './fold-text.ts';
import { glossaryTable } from './glossary.ts';
import { emergencyRules, languageTables } from './language-tables.ts';
import { scoreKinds, scoreSubjects } from './message-model.ts';
import { deniableConcepts, type NamedSign, signsNamed, vagueConcepts } from './named-signs.ts';
import { type Flag, readingIn } from './reading.ts';
import { statedConcepts } from './stated-concepts.ts';
import { whoseIs } from './whose.ts';

/**
 * Classifies the urgency of a message without storing its words. An alarm needs a named sign: a pattern of the tables, which the score of
 * the message can take back, or a concept that names a danger, which it must confirm. The score alone raises nothing.
 */
export function classifyMessage(message: string): SafetyClassification {
  const bounded = message.slice(0, maxClassifiedLength);
  return judge(bounded, classifyByRules(bounded));
}

/**
 * The same for a request. `facts`: signs of the tables that are known of the person. The tables that the message needs are compiled in turns of the event loop, and rules and model are two slices of
 * it: work is bounded by `maxClassifiedLength` and `normalizeText`, and 2,000 characters of any kind take at most some 30 ms.
 */
export async function classifyInTurns(message: string, facts: readonly string[] = []): Promise<SafetyClassification> {
  const bounded = message.slice(0, maxClassifiedLength);
  await languageTables.load();
  const finding = classifyByRules(bounded, facts);
  const { language = 'en' } = finding.classification;
  for (const code of [language, ...finding.foreign]) {
    await conceptTable(code).load();
    await glossaryTable(code).load();
  }
  await nextEventLoopTurn();
  return judge(bounded, finding);
}

/** What the score makes of the findings of the rules. A crisis in which something is taken or bleeds needs the emergency number too. */
function judge(bounded: string, finding: Finding): SafetyClassification {
  const tokens = foldText(bounded);
  const judged = weigh(bounded, finding, tokens);
  if (judged.level !== 'crisis' || judged.emergency) return judged;
  const concepts = new Set(conceptsIn(tokens, judged.language ?? 'en'));
  const isTaken = concepts.has('took') && ['pills', 'chemicals', 'poisongas', 'hoard'].some(name => concepts.has(name));
  return { ...judged, emergency: isTaken || concepts.has('bleeding') };
}

function weigh(bounded: string, finding: Finding, tokens: readonly Token[]): SafetyClassification {
  const byRules = finding.classification;
  const language = byRules.language ?? 'en';
  const scores = scoreKinds(tokens, language);
  const inLanguage = byRules.language === undefined ? {} : { language };
  if (byRules.level === 'none') {
    const weak = weakFinding(tokens, language, scores);
    return { ...noRisk, ...weak, ...inLanguage };
  }
  if (isTakenBack(finding, bounded, tokens, scores.harmless)) return { ...noRisk, ...inLanguage };
  // «Mi brucia quando urino»: words of a crisis that the score reads as an illness beside a sign of one.
  const isIllness = byRules.flags.length > 0 && scores.crisis < 0.05 && scores.emergency > 0.5;
  if (byRules.level === 'crisis') return isIllness ? { ...byRules, level: 'urgent', about: undefined } : byRules;
  const concepts = conceptsIn(tokens, language);
  const isCrisis = scores.crisis >= confirmed && signsNamed('crisis', concepts).length > 0;
  return isCrisis ? { ...byRules, level: 'crisis', about: mostLikely(scoreSubjects(tokens, language)) } : byRules;
}

const courtesies: ReadonlySet<string> = new Set(['goodbye', 'greeting', 'force']);

/** «Thanks for everything» and nothing else. */
const isCourtesy = (tokens: readonly Token[], language: string): boolean => {
  const concepts = conceptsIn(tokens, language);
  return (
    concepts.includes('greeting') && tokens.length <= maxCourtesyWords && concepts.every(name => courtesies.has(name))
  );
};

/** What a named danger and the score say together where no pattern finds anything. */
function weakFinding(
  tokens: readonly Token[],
  language: string,
  { crisis, emergency, harmless }: ReturnType<typeof scoreKinds>,
): Partial<SafetyClassification> {
  const reading = readingIn(tokens, language);
  if (harmless >= maxHarmless.crisis || reading?.asksGenerally || isCourtesy(tokens, language)) return {};
  const concepts = statedConcepts(tokens, language, deniableConcepts);
  const danger = 1 - harmless;
  const ofCrisis = signsNamed('crisis', concepts);
  const isVague = ofCrisis.length === 1 && ofCrisis.every(({ concept }) => vagueConcepts.has(concept));
  const leastCrisis = isVague || reading?.hasIdiom ? confirmed : crisisShare * danger;
  if (crisis >= leastCrisis && isEnough(ofCrisis))
    return { level: 'crisis', about: mostLikely(scoreSubjects(tokens, language)), emergency: emergency >= danger / 3 };
  if (harmless >= maxHarmless.emergency) return {};
  const signs = signsNamed('emergency', concepts);
  const isNamed = isEnough(concepts.includes('mild') ? signs.map(ifMild) : signs);
  // A fever of 38.7 in a baby of five weeks: one sign of an ordinary illness in words that the score reads as a danger beyond doubt.
  if (!(isNamed || (signs.length > 0 && emergency >= confirmed)) || emergency < danger / 5) return {};
  // Weak signs that the score does not confirm beyond doubt ask for a doctor and do not say to call.
  const whose = whoseIs(tokens, language, new Set(signs.map(({ concept }) => concept)));
  return { level: 'urgent', flags: signs.map(({ label }) => ({ label, whose })), emergency: emergency >= confirmed };
}

/** A complaint that ordinary illnesses have, or a circumstance such as a pregnancy, needs a second sign beside it. */
const isEnough = (signs: readonly NamedSign[]): boolean =>
  signs.some(({ needsSecond }) => !needsSecond) || signs.length > 1;

/** «It bled a little» needs a second sign. */
const ifMild = (sign: NamedSign): NamedSign => (sign.concept === 'bleeding' ? { ...sign, needsSecond: true } : sign);

/** Messages are shorter; a bound keeps the time of classification in this module. */
const maxClassifiedLength = 8_000;
/**
 * Probability of being harmless from which a concept that names a danger is no alarm. A third of the training texts are dangers and one message in a hundred is, so that
 * 0.5 alarms too often; an unheard crisis is worse than an alarm.
 */
const maxHarmless = { crisis: 0.5, emergency: 0.35 } as const;
/** Longest thanks or farewell that is one alone. */
const maxCourtesyWords = 5;
/** Least part of the probability of danger that makes a crisis. */
const crisisShare = 0.4;
/** Probability of a kind from which the score raises a weaker finding to it, and that a vague word of a crisis, or one beside an idiom, needs. */
const confirmed = 0.9;
/**
 * Probability of being harmless from which a pattern of the tables counts for nothing: in the whole message, in each part with a pattern, and in each
 * part with a crisis, less where the message tells of something distant. «Watching the film where she hangs herself made me want to do the same» is like a film.
 */
const harmlessLimits = { message: 0.9, part: 0.4, partOfCrisis: 0.95, partOfDistantCrisis: 0.7 } as const;
/** The same for a likeness to words of another language than that of the message. */
const foreignLimit = 0.5;
/** Most parts that are read alone. A message of more keeps what the rules found. */
const maxParts = 40;
/**
 * Whether the score outweighs patterns of words, which see words and not what is said: «stroke patients' choir», «choking on the price».
 * The whole message must be harmless, and alone each part that holds a pattern: harmless words beside a statement say nothing about it.
 */
function isTakenBack(
  { classification, foreign }: Finding,
  message: string,
  tokens: readonly Token[],
  harmless: number,
): boolean {
  const isForeign = foreign.length > 0;
  if (harmless < (isForeign ? foreignLimit : harmlessLimits.message)) return false;
  const isDistant = tellsOfDistance(tokens, classification);
  if (!isForeign && !isDistant && (classification.flags.some(isPlain) || isUnknown(tokens, classification)))
    return false;
  const parts = message.split(partBoundary);
  if (parts.length > maxParts) return false;
  const found = parts.filter(part => classifyByRules(part).classification.level !== 'none').map(foldText);
  // «Ich trinke Tee und quiero morirme»: the words count in the language whose table has them as well.
  const codes = [classification.language ?? 'en', ...foreign];
  const ofCrisis = isDistant ? harmlessLimits.partOfDistantCrisis : harmlessLimits.partOfCrisis;
  const ofPart = classification.level === 'crisis' ? ofCrisis : harmlessLimits.part;
  const limit = isForeign ? foreignLimit : ofPart;
  const texts = isForeign ? [tokens, ...found] : found;
  return texts.every(text => codes.every(code => scoreKinds(text, code).harmless >= limit));
}

/** Whether words tell a sign so plainly that the score takes it back only where the message tells of something distant. */
const isPlain = (flag: Flag): boolean => emergencyRules().some(({ label, plain }) => plain && label === flag.label);
/** Labels of signs that an animal, a meal or a programme is part of: that the message names one says nothing about distance. */
const signsOfConcepts: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['pet', new Set(['Bite of an animal'])],
  ['food', new Set(['Too much of a medicine', 'Poisoning', 'Choking', 'Swelling of face or throat'])],
  ['media', new Set(['Delusions', 'Delusions with lack of sleep', 'Voices that give orders'])],
]);
const distantConcepts: ReadonlySet<string> = new Set([
  'media',
  'study',
  'past',
  'year',
  'laugh',
  'pet',
  'food',
  'cue past',
  'cue recent',
]);

/** Concepts of nearly every message. */
const ofEveryMessage: ReadonlySet<string> = new Set(['i', 'relative']);

/** Whether a crisis is told in words of which the score knows none but «I»: then it says nothing against the words of the tables. */
const isUnknown = (tokens: readonly Token[], { language = 'en', level }: SafetyClassification): boolean =>
  level === 'crisis' && conceptsIn(tokens, language).every(name => ofEveryMessage.has(name));

const tellsOfDistance = (
  tokens: readonly Token[],
  { language = 'en', flags }: Pick<SafetyClassification, 'language' | 'flags'>,
): boolean =>
  conceptsIn(tokens, language).some(
    name => distantConcepts.has(name) && !flags.some(({ label }) => signsOfConcepts.get(name)?.has(label)),
  );

/** Ends of sentences, commas and contrasting conjunctions. */
const partBoundary =
  /(?<=[.!?\n؟…;:,،])\s+|(?<=[。！？，；])|(?<!\s)\s+[-–—]+\s+|(?<!\s)\s+(?=(?:but|and now|and i|while|because)\b)/iu;

function mostLikely<Name extends string>(scores: Readonly<Record<Name, number>>): Name | undefined {
  const names = Object.keys(scores) as Name[];
  return names.sort((one, other) => scores[other] - scores[one])[0];
}

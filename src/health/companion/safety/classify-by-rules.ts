import { matchText } from '../../assessments/matcher.ts';
import { abusePatterns, idiomPatterns, suicidalOtherPatterns, suicidalSelfPatterns } from './crisis-patterns.ts';
import { findSigns, readEnglish, type Signs } from './find-signs.ts';

export interface SafetyClassification {
  level: 'none' | 'urgent' | 'crisis';
  /** In a crisis: danger to oneself, another person's danger to themselves, violence by others, or harm to others. */
  about: 'self' | 'other' | 'abuse' | 'harm' | undefined;
  /** Labels of medical red flags, emergencies first. */
  flags: readonly string[];
  /** Whether one of them is an emergency. */
  emergency: boolean;
  /** Code of the language of the message; undefined for English and where nothing tells. */
  language?: string;
}

/** Boundaries of clauses, each of which is classified separately. */
const clauseBoundary =
  /(?<=[.!?\n;])\s+|\s+[-–—]+\s+|,?\s+(?:but|and now|and i|and he|and she|although|though|however|while|because now)\b\s*(?=\S)/iu;

/** Present tense: overrides every reference to the past. */
const presentPattern =
  /\b(?:now|right now|today|tonight|this (?:morning|evening|afternoon|minute|week)|currently|again|still|just|suddenly|keeps?|since)\b/;

/** Long past. */
const pastPattern =
  /\b(?:years? ago|decades? ago|(?:last|a) year(?: ago)?|in (?:19|20)\d\d|back in|as a (?:child|kid|teen(?:ager)?|student)|when i was (?:a|an|in|at|young|younger|little|\d)|in (?:my|his|her) (?:teens|twenties|youth|childhood)|used to|(?:months?|weeks?) ago|last (?:month|summer|winter|spring|autumn|fall))\b/;
/** Distant past: a crisis counts as past only after years. */
const distantPastPattern =
  /\b(?:(?:years?|decades?) ago|in (?:19|20)\d\d|as a (?:child|kid|teen(?:ager)?)|when i was (?:a (?:child|kid|teen\w*|boy|girl|student)|in (?:school|college)|young|younger|little|\d)|in my (?:teens|twenties|youth|childhood))\b/;

/** Second-hand: media, research, history. */
const reportPattern =
  /\b(?:news|newspaper|headlines?|documentary|film|movie|episode|novel|book|podcast|song|lyrics|character|essay|thesis|homework|assignment|statistics|research|article|celebrity|actor|actress|politician|awareness|prevention|history of|according to|i read (?:that|about)|i (?:saw|watched|heard) (?:that|about)|on (?:tv|television|the radio))\b/;
/** Done to or by the speaker: not second-hand, whatever else the clause contains. */
const sufferedPattern = /\b(?:myself|\w+(?:s|ed|ing) me)\b/;
const mourningPattern =
  /\b(?:died|dead|death|passed away|lost (?:my|a|him|her|our|their)|funeral|anniversary|grie(?:f|ving|ve)|mourn\w*|miss (?:him|her|them)|took (?:his|her|their) own li(?:fe|ves)|killed (?:himself|herself|themselves)|committed suicide|hanged (?:himself|herself))\b/;
/** The speaker's own wish: not second-hand. */
const ownWishPattern =
  /\b(?:i|im|i'm|ive|i've|id|i'd)\b[^.!?\n]{0,40}\b(?:want|wanna|going to|gonna|will|plan\w*|thinking|think about|feel like|wish|tempted|might|could|can'?t|cannot|need|try|tried|hurt|cut|kill|end|join)\b[^.!?\n]{0,40}\b(?:die|dead|myself|my life|it all|suicid\w*|him|her|live|go on|too|same)\b/;

/** A general health question, about no particular person. */
const generalQuestionPattern =
  /^(?:please\s|can you\s|could you\s|so\s|hi,?\s|hello,?\s)*(?:what|whats|what's|which|why|how|when|who|is|are|does|do|can|could|should|(?:please )?tell me (?:about|what|how|why|more)|explain(?: to me)?|describe|list|difference|signs? of|symptoms? of|causes? of|prevent\w*|treat\w*|first aid)\b/;
/** Asks how to talk about a subject, or about one's own risk. */
const talkingAboutPattern =
  /\bhow (?:do|can|should|could) (?:i|we|you|parents|teachers)\b[^.!?\n]{0,30}\b(?:talk|speak|explain|teach|write)\b[^.!?\n]{0,40}\babout (?:suicide|self[- ]harm|abuse|domestic violence|rape)\b/;
const riskQuestionPattern =
  /\b(?:at risk|hereditary|genetic|runs? in (?:the|my) family|inherit\w*|my risk|family history|my chances)\b/;
const pronounPattern =
  /\b(?:i|im|i'm|ive|i've|me|my|mine|myself|we|our|us|he|she|his|her|him|they|their|them|someone|somebody|anyone here)\b/;
const firstPersonPattern = /\b(?:i|im|i'm|ive|i've|id|i'd|me|my|myself)\b/;

const crisisIds: ReadonlySet<string> = new Set(['suicidal', 'self-harm', 'harm-others', 'abuse']);

export const noRisk: SafetyClassification = { level: 'none', about: undefined, flags: [], emergency: false };

/** What the rules find. */
export interface Finding {
  classification: SafetyClassification;
  /** Whether the writer states their own wish to die, self-harm or abuse, or an emergency now. */
  isStated: boolean;
  /** Whether an English clause with a crisis has a word of the first person; a report, an idiom and a negated statement do not count. */
  isFirstPerson: boolean;
  /** Codes of the languages whose tables find something, where that of the message is none of them: mostly a chance likeness. */
  foreign: readonly string[];
}

/**
 * Each clause is classified separately, so that media reports, grief and past events are ignored without hiding what is said next to
 * them. In doubt a message counts as urgent: an unnecessary notice costs less than a missing one.
 */
export function classifyByRules(bounded: string): Finding {
  const english = readEnglish(bounded);
  const { classification, askedNothing, isStated } = classifyEnglish(bounded);
  const signs = findSigns(bounded);
  if (!english) return joinSigns({ classification, isStated, isFirstPerson: false }, signs);
  // What an idiom or a negation causes is gone without it; a sign stays that is found both with and without.
  const spoken = classifyEnglish(english.spoken);
  const isSpoken = spoken.classification.level === 'crisis';
  const { flags } = classifyEnglish(english.present).classification;
  const stated = {
    ...classification,
    ...(classification.level === 'crisis' && !isSpoken ? { level: 'none' as const, about: undefined } : {}),
    ...keepFlags(classification, flags),
  };
  const isFirstPerson = isStated && spoken.isStated;
  const own = findSigns(askedNothing);
  const crises = new Set([...own.crises, ...[...signs.crises].filter(kind => kind === 'self' || kind === 'abuse')]);
  return joinSigns(
    { classification: stated, isStated: isFirstPerson, isFirstPerson },
    { ...signs, crises, namesPerson: own.namesPerson, emergencies: own.emergencies },
  );
}

function keepFlags({ flags, emergency }: SafetyClassification, kept: readonly string[]): Partial<SafetyClassification> {
  const left = flags.filter(flag => kept.includes(flag));
  return { flags: left, emergency: emergency && left.length > 0 };
}

/** A crisis or emergency that either finds counts. */
function joinSigns(
  { classification: english, isStated, isFirstPerson }: Omit<Finding, 'foreign'>,
  signs: Signs,
): Finding {
  const { language, crises } = signs;
  const foundIn = english.level === 'none' ? signs.foundIn : [...signs.foundIn, 'en'];
  const flags = [...new Set([...english.flags, ...signs.emergencies])];
  const emergency = english.emergency || signs.emergencies.length > 0;
  const level = english.level === 'crisis' || crises.size > 0 ? 'crisis' : flags.length > 0 ? 'urgent' : 'none';
  const about = english.about ?? (crises.size > 0 ? subjectOf(signs) : undefined);
  const inLanguage = language === undefined || language === 'en' ? {} : { language };
  return {
    classification: { level, about, flags, emergency, ...inLanguage },
    isStated: isStated || emergency || crises.has('self') || crises.has('abuse'),
    isFirstPerson,
    foreign: language === undefined || foundIn.includes(language) ? [] : foundIn,
  };
}

function subjectOf({ crises, namesPerson }: Signs): NonNullable<SafetyClassification['about']> {
  if (crises.has('self')) return 'self';
  if (crises.has('abuse')) return 'abuse';
  if (crises.has('any')) return namesPerson ? 'other' : 'self';
  return 'harm';
}

/** `askedNothing`: the clauses that are no report, no general question and not past. */
function classifyEnglish(message: string): Pick<Finding, 'classification' | 'isStated'> & { askedNothing: string } {
  const text = removeIdioms(message.normalize('NFKC').replace(/[\u2018\u2019]/g, "'"));
  const crises = new Set<string>();
  const crisisParts: string[] = [];
  let isStated = false;
  const medicalParts: string[] = [];
  for (const part of text.split(clauseBoundary)) {
    const plain = part.toLowerCase().replace(/\s+/g, ' ').trim();
    if (plain === '') continue;
    const isSecondHand = isReport(plain) || talkingAboutPattern.test(plain);
    const found = isPast(plain, distantPastPattern) ? [] : findCrises(part, plain, isSecondHand);
    for (const one of found) crises.add(one);
    if (found.length > 0) crisisParts.push(plain);
    if (found.length > 0 && !isSecondHand && firstPersonPattern.test(plain)) isStated = true;
    if (!isSecondHand && !isPast(plain, pastPattern) && !isGeneralQuestion(plain) && !riskQuestionPattern.test(plain))
      medicalParts.push(part);
  }
  // Joined: a fever in one sentence and a stiff neck in the next are a red flag.
  const { redFlags } = matchText(medicalParts.join('.\n'));
  const medical = redFlags.filter(flag => !flag.when.flat().some(id => crisisIds.has(id)));
  const flags = medical.map(flag => flag.label);
  const emergency = medical.some(flag => flag.level === 'emergency');
  const askedNothing = medicalParts.join('.\n');
  if (crises.size > 0) {
    const about = findSubject(crises, crisisParts.join('. '));
    return { classification: { level: 'crisis', about, flags, emergency }, askedNothing, isStated };
  }
  const classification: SafetyClassification =
    flags.length === 0 ? noRisk : { level: 'urgent', about: undefined, flags, emergency };
  return { classification, askedNothing, isStated };
}

/** Crises of a clause, by their ids in the knowledge base. */
function findCrises(part: string, plain: string, isSecondHand: boolean): string[] {
  const crises: string[] = [];
  if (
    suicidalSelfPatterns.some(pattern => pattern.test(plain)) ||
    suicidalOtherPatterns.some(pattern => pattern.test(plain))
  ) {
    crises.push('suicidal');
  }
  if (abusePatterns.some(pattern => pattern.test(plain))) crises.push('abuse');
  // «What is self-harm?» is a general question; «is it self-harm if I …» is not.
  return isSecondHand || isGeneralQuestion(plain) ? crises : [...crises, ...matchText(part).crisis];
}

function findSubject(crises: ReadonlySet<string>, crisisText: string): NonNullable<SafetyClassification['about']> {
  if (crises.has('suicidal') || crises.has('self-harm')) {
    const byOneself = /\b(?:myself|i want to die|my (?:own )?life|i (?:wish|want) )/.test(crisisText);
    return !byOneself && otherPersonPattern.test(crisisText) ? 'other' : 'self';
  }
  return crises.has('abuse') ? 'abuse' : 'harm';
}

/** Another person: «my sister wants to die». */
const otherPersonPattern =
  /\b(?:he|she|they|him|her|himself|herself|themselves|my \w+) (?:wants?|says?|said|is|'s|keeps?|talks?|tried|threatens?|threatened|might|could|has|will)\b/;

function removeIdioms(text: string): string {
  let rest = text;
  for (const saying of idiomPatterns) rest = rest.replace(new RegExp(saying.source, 'gi'), ' ');
  return rest;
}

function isReport(part: string): boolean {
  if (ownWishPattern.test(part)) return false;
  if (reportPattern.test(part) && !sufferedPattern.test(part)) return true;
  // Mourning requires that the death has happened.
  return (
    mourningPattern.test(part) &&
    !/\b(?:want(?:s|ed)?|going|threaten\w*|tr(?:y|ies|ying)|better off|if i|when i|wish|was dead|were dead)\b/.test(
      part,
    )
  );
}

function isPast(part: string, past: RegExp): boolean {
  return past.test(part) && !presentPattern.test(part);
}

function isGeneralQuestion(part: string): boolean {
  const rest = part.replace(generalQuestionPattern, '');
  return rest !== part && !pronounPattern.test(rest);
}

import { knowledge } from 'triage/knowledge/knowledge';
import { type Level, levels, type RedFlag, type Symptom } from 'triage/knowledge/knowledge-schema';
import { addImplied } from 'triage/knowledge/matcher';
import { canBePregnant, factIds, matchWho, type PersonFacts, type Sex } from 'triage/knowledge/person-facts';
import { ageBands, answerTexts } from './interview-answers.ts';
import { type TriageSigns, triageLevelOf } from './triage-level.ts';

/** An answer, what to send with the next assessment for it, and the triage level that follows. */
export interface InterviewAnswer {
  text: string;
  triageLevel: Level;
  /** To add to the symptoms; a complaint to the conditions as well. */
  symptom: string;
  ageMonths: number | null;
  sexAtBirth: Sex | null;
  isPregnant: boolean | null;
}

export interface InterviewQuestion {
  question: string;
  why: string;
  about: 'age' | 'sex' | 'pregnancy' | 'history' | 'symptom';
  answers: InterviewAnswer[];
}

type LevelOf = (signs: TriageSigns) => Level;

/** What questions are found from. `level`: without any answer. */
interface Asking {
  signs: TriageSigns;
  negated: ReadonlySet<string>;
  level: Level;
  levelOf: LevelOf;
}

export const maxQuestions = 5;
export const maxAnswers = 7;

const ageFacts = new Set(['young-baby', 'baby', 'child', 'pregnant']);
const none = { ageMonths: null, sexAtBirth: null, isPregnant: null };

/**
 * Questions of which an answer raises the level, the most serious first. They are found by trying: a fact or symptom that
 * a rule lacks is assumed, and the level is decided again. An emergency leaves nothing to ask.
 *
 * @param levelOf the level that is told of signs
 */
export function interview(
  signs: TriageSigns,
  negated: ReadonlySet<string>,
  levelOf: LevelOf = triageLevelOf,
): InterviewQuestion[] {
  const level = levelOf(signs);
  if (level === 'emergency') return [];
  const rank = (one: Level): number => levels.indexOf(one);
  const { person } = signs;
  const asked: InterviewQuestion[] = [];
  const ask = (question: InterviewQuestion): void => {
    if (question.answers.some(one => rank(one.triageLevel) > rank(level))) asked.push(question);
  };
  const reason = 'The answer changes how soon care is needed.';
  if (person.ageMonths === null) {
    ask({
      about: 'age',
      question: 'How old is the person?',
      why: whyOf(signs, ['age']) ?? reason,
      answers: ageBands.map(([text, ageMonths]) => ({
        ...none,
        text,
        symptom: answerTexts.age(text),
        ageMonths,
        triageLevel: levelWith(levelOf, signs, { ageMonths }),
      })),
    });
  }
  if (person.pregnant === null && canBePregnant(person)) {
    ask({
      about: 'pregnancy',
      question: 'Is the person pregnant, or could be?',
      why: whyOf(signs, ['pregnant']) ?? reason,
      answers: [true, false].map(pregnant => ({
        ...none,
        text: pregnant ? 'Yes' : 'No',
        symptom: answerTexts.pregnant(pregnant),
        isPregnant: pregnant,
        triageLevel: levelWith(levelOf, signs, { pregnant }),
      })),
    });
  }
  if (person.sex === null) {
    ask({
      about: 'sex',
      question: 'Which sex was the person assigned at birth?',
      why: whyOf(signs, ['sex']) ?? reason,
      answers: (['female', 'male'] as const).map(sex => ({
        ...none,
        text: sex === 'female' ? 'Female' : 'Male',
        symptom: answerTexts.sex(sex),
        sexAtBirth: sex,
        triageLevel: levelWith(levelOf, signs, { sex }),
      })),
    });
  }
  for (const question of questionsOfFlags({ signs, negated, level, levelOf })) ask(question);
  const best = (one: InterviewQuestion): number =>
    one.answers.reduce((most, answer) => Math.max(most, rank(answer.triageLevel)), Number.NEGATIVE_INFINITY);
  return asked.sort((a, b) => best(b) - best(a)).slice(0, maxQuestions);
}

/** One question for each red flag that lacks a single group. A symptom is asked for once, and not when it was denied. */
function questionsOfFlags({ signs, negated, level, levelOf }: Asking): InterviewQuestion[] {
  const taken = new Set<string>();
  const { symptoms, redFlags } = knowledge();
  const found: (InterviewQuestion & { closeness: number })[] = [];
  for (const flag of redFlags) {
    if (levels.indexOf(flag.level) <= levels.indexOf(level)) continue;
    if (flag.who && matchWho(flag.who, signs.person) !== true) continue;
    const missing = flag.when.filter(group => !group.some(id => signs.present.has(id)));
    const there = flag.when.filter(group => group.some(id => signs.present.has(id)));
    const [group] = missing;
    if (missing.length !== 1 || group === undefined || there.length === 0) continue;
    if (
      there.every(one => one.every(id => !signs.present.has(id) || symptoms.get(id)?.kind === 'context')) &&
      !flag.who
    )
      continue;
    const open = group.filter(id => !negated.has(id) && !taken.has(id) && !ageFacts.has(id) && canBeAsked(id));
    const answers = open.map(id => answerOf(levelOf, signs, symptoms.get(id))).filter(one => one !== undefined);
    const raising = answers.filter(one => levels.indexOf(one.triageLevel) > levels.indexOf(level)).slice(0, maxAnswers);
    if (raising.length === 0) continue;
    for (const id of open) taken.add(id);
    const isHistory = open.every(id => symptoms.get(id)?.kind === 'context');
    found.push({
      about: isHistory ? 'history' : 'symptom',
      question: isHistory ? 'Does one of these apply to the person?' : 'Is one of these there as well?',
      why: whyOfFlag(flag, signs),
      answers: raising,
      closeness: there.length,
    });
  }
  return found.sort((a, b) => b.closeness - a.closeness).map(({ closeness: _, ...question }) => question);
}

/** Crises are answered by their own texts and not asked for in a list of symptoms. */
const canBeAsked = (id: string): boolean => knowledge().symptoms.get(id)?.kind !== 'crisis';

function answerOf(levelOf: LevelOf, signs: TriageSigns, symptom: Symptom | undefined): InterviewAnswer | undefined {
  if (!symptom) return undefined;
  const term = symptom.terms.find(one => !one.includes('{')) ?? symptom.label;
  const present = new Set(signs.present).add(symptom.id);
  addImplied(present, knowledge());
  const text = symptom.label.charAt(0).toUpperCase() + symptom.label.slice(1);
  return { ...none, text, symptom: term, triageLevel: levelOf({ ...signs, present }) };
}

function levelWith(levelOf: LevelOf, signs: TriageSigns, facts: Partial<PersonFacts>): Level {
  const person = { ...signs.person, ...facts };
  const present = new Set([...signs.present, ...factIds(person)]);
  addImplied(present, knowledge());
  return levelOf({ ...signs, person, present });
}

/** The first red flag that waits for one of these facts. */
function whyOf(signs: TriageSigns, facts: readonly string[]): string | undefined {
  const flag = knowledge().redFlags.find(one => {
    const match = one.who && matchWho(one.who, signs.person);
    return (
      typeof match === 'string' &&
      facts.includes(match) &&
      one.when.every(group => group.some(id => signs.present.has(id)))
    );
  });
  return flag && whyOfFlag(flag, signs);
}

function whyOfFlag({ label, level, when }: RedFlag, { present }: TriageSigns): string {
  const { symptoms } = knowledge();
  const told = [...new Set(when.flat())]
    .filter(id => present.has(id) && symptoms.get(id)?.kind !== 'context')
    .map(id => symptoms.get(id)?.label ?? id);
  const after = level === 'emergency' ? 'that needs help at once' : 'that should be seen within a day';
  return `${told.length === 0 ? 'It' : `Together with ${told.slice(0, 3).join(', ')} it`} would be a sign ${after}: ${label.charAt(0).toLowerCase()}${label.slice(1)}.`;
}

import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { type Concept, conceptsOf, isQuestionWord } from '../../vocabulary/concepts.ts';
import { smallTalkIn } from './small-talk.ts';

/** Longest question that only continues another, in words. */
const maxWords = 12;
/** Longest one that refers by a pronoun alone. */
const maxReferringWords = 9;

/** Beginnings that continue what was asked before. */
const opener =
  /^\W*(?:and|but|or|also|what about|how about|what if|tell me more|anything else|what else|y|et|und|e|o|ve|peki|ya|а|и|那么?|و|और)(?:\s|[?？.,!]|$)|^\W*(?:那|和)/iu;

/** «When should I go to the doctor with it?» */
const objectAtEnd = /\b(?:with|for|about|of|from|after|against|during) (?:it|that|this|them)\W*$/i;

const pronoun = /\b(?:it|its|that|this|they|them|these|those|he|she|him|her)\b/i;

/** «Should I use ice?», «can I walk?»: what to do about a complaint that the question does not name. */
const doesSomething =
  /^\W*(?:(?:so|then|ok|okay)\b\W*)?(?:should|shall|can|could|may|must|do|would|is it (?:ok|okay|safe|fine|good|better|bad))\b[^.?!]{0,20}\b(?:use|apply|put|take|rest|ice|cool|heat|warm|move|walk|run|train|exercise|stretch|massage|wrap|bandage|cover|wash|clean|wear|keep|drive|work|play|swim|sleep|see|need|wait)\b/i;

/** Subjects that treat any complaint: a question that names no other says nothing of what it is about. */
const treatments: ReadonlySet<string> = new Set(['medicine', 'painkillers', 'exercise', 'doctor', 'scan']);

const isTreatment = ({ kind, subjects }: Concept): boolean =>
  kind === 'name' && subjects.every(subject => treatments.has(subject));

/** Whether a question says its subject only together with the one before: «and for a baby?», «how long does it last?», «should I use ice?». */
export function isFollowUp(question: string): boolean {
  const words = question.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length === 0 || words.length > maxWords) return false;
  if (opener.test(question) || (words.length <= maxReferringWords && objectAtEnd.test(question))) return true;
  const concepts = conceptsOf(question).filter(({ kind, words: said }) => kind !== 'word' || !isQuestionWord(said));
  if (words.length <= maxReferringWords && doesSomething.test(question))
    return concepts.every(one => one.kind === 'word' || isTreatment(one));
  if (concepts.some(({ kind }) => kind !== 'word')) return false;
  return concepts.length === 0 || (words.length <= maxReferringWords && pronoun.test(question));
}

/** Turns of the person that are read back, and hours after which a conversation is a new one. */
const maxTurns = 4;
const maxAgeHours = 12;

/**
 * The question that a question continues; undefined where it stands alone or nothing precedes it. Messages in a crisis are not read. One
 * statement, and only for a question that continues another.
 */
export async function findEarlierQuestion(
  { read, now }: Pick<Context, 'now' | 'read'>,
  userId: number,
  question: string,
): Promise<string | undefined> {
  if (!isFollowUp(question)) return undefined;
  const since = new Date(now().getTime() - maxAgeHours * 3_600_000).toISOString();
  const turns = await read(sql<{ content: string }>`
    select content from companion_message
    where user_id = ${userId} and role = 'user' and safety <> 'crisis' and created_at > ${since}::timestamptz
    order by id desc limit ${maxTurns}`);
  return turns.find(({ content }) => !isFollowUp(content) && smallTalkIn(content) === undefined)?.content;
}

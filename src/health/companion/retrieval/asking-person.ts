import { type RawBuilder, sql } from 'kysely';
import { matchText } from 'triage/knowledge/matcher';

/** What is known of the person who asks, by their profile and by what they write. */
export interface AskingPerson {
  isPregnant: boolean;
  hasDiabetes: boolean;
  /** Stems of words for what they have: sections with one of them go first. */
  stems: readonly string[];
}

export const nobodyKnown: AskingPerson = { isPregnant: false, hasDiabetes: false, stems: [] };

/** Stems of «pregnant» and of «pregnancy». */
const pregnancyStems = ['pregnant', 'pregnanc'];

const pregnancy = /\bpregnan(?:t|cy)\b/i;
/** Diabetes that somebody has, not the stage before it. */
const diabetes = /(?<!pre-?\s?)\bdiabetes\b|\btype (?:1|2|one|two)\b/i;

/** What is read of a profile. */
export interface Profile {
  conditions: string[];
  hasDiabetes: boolean;
}

/** SQL: the profile of a user as JSON; null without one. Nothing of it leaves the installation. */
export const profileOf = (userId: number | undefined): RawBuilder<Profile | null> =>
  userId === undefined
    ? sql`null::json`
    : sql`(select json_build_object('conditions', u.conditions, 'hasDiabetes', coalesce(u.has_diabetes = 'Y', false))
        from users u where u.id = ${userId})`;

/** What a profile and the question itself say of the person. */
export function askingPerson(question: string, profile: Profile | null): AskingPerson {
  const conditions = profile?.conditions ?? [];
  const isPregnant =
    matchText(question).stated.pregnant ?? (pregnancy.test(question) || conditions.some(one => pregnancy.test(one)));
  const hasDiabetes = profile?.hasDiabetes === true || [question, ...conditions].some(one => diabetes.test(one));
  return { isPregnant, hasDiabetes, stems: isPregnant ? pregnancyStems : [] };
}

const isAbout = ({ headline, tags }: { headline: string; tags: readonly string[] }, subject: RegExp): boolean =>
  [headline, ...tags].some(text => subject.test(text));

/** Whether an article speaks to other people: about the stage before a disease that the person has. */
export function isBeside(
  article: { headline: string; tags: readonly string[] },
  question: string,
  { hasDiabetes }: AskingPerson,
): boolean {
  const prediabetes = /\bpre-?\s?diabetes\b/i;
  return hasDiabetes && isAbout(article, prediabetes) && !prediabetes.test(question);
}

import { knowledge } from 'triage/knowledge/knowledge';
import type { Condition } from 'triage/knowledge/knowledge-schema';
import { asksWhatItIs } from '../retrieval/article-sections.ts';

/** Longest name of a condition, in words. */
const maxNameWords = 6;

let named: ReadonlyMap<string, Condition> | undefined;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];

/** Conditions of the knowledge base by their names and other names. */
function byName(): ReadonlyMap<string, Condition> {
  if (named) return named;
  const found = new Map<string, Condition>();
  for (const condition of knowledge().conditions) {
    // «Heel pain (plantar fasciitis)» has two names.
    const [outer = '', inner = ''] = condition.name.split(/[()]/);
    for (const name of [condition.name, outer, inner, ...condition.aliases]) {
      const key = wordsOf(name).join(' ');
      if (key !== '' && !found.has(key)) found.set(key, condition);
    }
  }
  named = found;
  return found;
}

/** The condition that a question names, by its longest name; undefined for none. */
export function conditionIn(question: string): Condition | undefined {
  const words = wordsOf(question).slice(0, 60);
  for (let length = maxNameWords; length > 0; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const condition = byName().get(words.slice(at, at + length).join(' '));
      if (condition) return condition;
    }
  }
  return undefined;
}

/** Whether a question is about what a condition is: it asks so, or says little more than the name. */
export const asksAboutCondition = (question: string): boolean =>
  asksWhatItIs(question) || wordsOf(question).length <= 3;

/** The description of a condition. It names a publisher only if the page was read, and says otherwise who wrote it. */
export function describeCondition({ description, nextSteps, source }: Condition): string {
  const origin =
    source.read === undefined
      ? 'This text was written for this service. No clinician has reviewed it.'
      : `Compared with ${source.title} (${source.url}).`;
  return `${description} ${nextSteps} ${origin}`;
}

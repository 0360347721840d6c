import { type FallbackReason, rejections } from '../model/model-error.ts';
import type { SafetyClassification } from './classify-by-rules.ts';
import type { Resource } from './crisis-resources.ts';
import { allTexts, textsIn } from './texts.ts';

/** An answer without the disclaimer that is appended to it, whatever its language. */
export function withoutDisclaimer(answer: string): string {
  const found = Object.values(allTexts()).find(({ disclaimer }) => answer.endsWith(disclaimer));
  return found ? answer.slice(0, -found.disclaimer.length).trimEnd() : answer;
}

/** Appended to an answer that replaces one of the model. */
export function fallbackNoteOf(reason: FallbackReason, language: string | undefined): string {
  const { fallback } = textsIn(language);
  if (rejections.has(reason)) return fallback.rejected;
  return reason === 'timeout' ? fallback.late : fallback.failed;
}

const formatResources = (resources: readonly Resource[]): string =>
  resources.map(({ name, contact }) => `- ${name}: ${contact}`).join('\n');

/** The fixed answer in a crisis, in the language of the message: independent of models and articles. */
export function buildCrisisText(
  { about = 'self', emergency, language }: SafetyClassification,
  resources: readonly Resource[],
): string {
  const texts = textsIn(language);
  return [
    texts[about],
    ...(emergency ? [`**${texts.emergency}**`] : []),
    formatResources(resources),
    texts.close[about],
    texts.program,
  ].join('\n\n');
}

/** What the English notices say before the signs are named. */
const described = 'What you describe';

/** Notice before the answer to a message with a medical red flag, in the language of the message. The labels of flags are in English. */
export function buildUrgentText(
  { flags, emergency, language }: SafetyClassification,
  resources: readonly Resource[],
): string {
  const texts = textsIn(language);
  const named = language === undefined ? flags.slice(0, 3) : [];
  const labels = named.map(label => label.charAt(0).toLowerCase() + label.slice(1)).join('; ');
  const notice = emergency ? texts.urgent : texts.soon;
  const text = labels === '' ? notice : notice.replace(described, `${described} (${labels})`);
  const lines = `${text}\n${formatResources(resources)}`;
  return emergency ? `${lines}\n\n${texts.alone}` : lines;
}

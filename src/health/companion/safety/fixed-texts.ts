import { type FallbackReason, rejections } from '../model/model-error.ts';
import type { SafetyClassification } from './classify-by-rules.ts';
import type { Resource } from './crisis-resources.ts';
import { textsIn } from './texts.ts';

/** Appended to every answer. */
export const disclaimer =
  'I am a computer program, not a clinician. This is general information; it is no diagnosis and does not replace a doctor, nurse or pharmacist.';

/** Appended to an answer that replaces one of the model. */
export function fallbackNoteOf(reason: FallbackReason): string {
  if (rejections.has(reason))
    return 'The answer of the language model did not pass our safety checks, so this comes straight from our articles.';
  const what = reason === 'timeout' ? 'did not answer in time' : 'did not answer';
  return `The language model ${what}, so this comes straight from our articles.`;
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

/** Notice before the answer to a message with a medical red flag. The labels of flags are in English. */
export function buildUrgentText(
  { flags, emergency, language }: SafetyClassification,
  resources: readonly Resource[],
): string {
  if (language !== undefined && emergency) {
    const texts = textsIn(language);
    return `${texts.urgent}\n${formatResources(resources)}\n\n${texts.alone}`;
  }
  const named = flags.slice(0, 3).map(label => label.charAt(0).toLowerCase() + label.slice(1));
  const what = named.length > 0 ? ` (${named.join('; ')})` : '';
  return emergency
    ? `**Call emergency services now.** What you describe${what} can be an emergency that must not wait for an answer of mine.\n${formatResources(resources)}\n\nDo not drive yourself. If you are not alone, tell somebody near you now.`
    : `**This should be looked at within a day.** What you describe${what} can be serious. Contact a doctor or an urgent care service today, and call emergency services if it gets worse.\n${formatResources(resources)}`;
}

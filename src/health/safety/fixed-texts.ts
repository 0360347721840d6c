import type { Finding } from 'triage';
import { type FallbackReason, rejections } from '../companion/model/model-error.ts';
import type { Resource } from './crisis-resources.ts';
import { allTexts, type CrisisSubject, textsIn } from './texts.ts';

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

/** Whom a crisis is about: the first sign of one says it. */
function subjectOf({ signs }: Pick<Finding, 'signs'>): CrisisSubject {
  for (const { kind } of signs) if (kind !== 'medical') return kind;
  return 'self';
}

/** The fixed answer in a crisis, in the language of the text: independent of models and articles. */
export function buildCrisisText(
  finding: Pick<Finding, 'signs' | 'isEmergency' | 'language'>,
  resources: readonly Resource[],
): string {
  const texts = textsIn(finding.language ?? undefined);
  const about = subjectOf(finding);
  return [
    texts[about],
    ...(finding.isEmergency ? [`**${texts.emergency}**`] : []),
    formatResources(resources),
    texts.close[about],
    texts.program,
  ].join('\n\n');
}

/** What the English notices say before the signs are named. */
const described = 'What you describe';

/** Notice for a sign of an emergency, or of what a doctor must see within a day. The labels of signs are in English. */
export function buildUrgentText(
  { level, signs, language }: Pick<Finding, 'level' | 'signs' | 'language'>,
  resources: readonly Resource[],
): string {
  const texts = textsIn(language ?? undefined);
  const named = language === null || language === 'en' ? signs.slice(0, 3) : [];
  const labels = named.map(({ label }) => label.charAt(0).toLowerCase() + label.slice(1)).join('; ');
  const notice = level === 'emergency' ? texts.urgent : texts.soon;
  const text = labels === '' ? notice : notice.replace(described, `${described} (${labels})`);
  const lines = `${text}\n${formatResources(resources)}`;
  return level === 'emergency' ? `${lines}\n\n${texts.alone}` : lines;
}

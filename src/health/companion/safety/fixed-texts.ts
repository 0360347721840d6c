import type { SafetyClassification } from './classify-message.ts';
import type { Resource } from './crisis-resources.ts';

/** Appended to every answer. */
export const disclaimer =
  'I am a computer program, not a clinician. This is general information; it is no diagnosis and does not replace a doctor, nurse or pharmacist.';

/** Appended to an answer that replaces one of the model. */
export const fallbackNote = 'The language model did not answer in time, so this comes straight from our articles.';

const formatResources = (resources: readonly Resource[]): string =>
  resources.map(({ name, contact }) => `- ${name}: ${contact}`).join('\n');

const openings = {
  self: 'I am really sorry that you are going through this, and I am glad that you said it. You do not have to carry it alone, and you deserve help from a person now.',
  other:
    'Thank you for telling me; that is a heavy thing to hear from somebody. Take it seriously: ask them directly, stay with them if you can, and get help from a person now.',
  abuse:
    'I am really sorry that this is happening to you. It is not your fault, and you deserve to be safe. There are people who can help, and they keep what you tell them to themselves.',
  harm: 'I am glad that you said this instead of acting on it. Please move away from the other person and from anything that could be used to hurt them, and talk to somebody now.',
} as const;

const closings = {
  self: 'If you might act on these thoughts, or have already hurt yourself or taken something, call the emergency number now or go to the nearest emergency department. If you can, put distance between you and anything you could use to hurt yourself, and tell somebody near you that you should not be alone.',
  other:
    'If they have already hurt themselves, taken something, or have a plan and the means for it, call the emergency number now and do not leave them alone.',
  abuse:
    'If you are in danger right now, call the emergency number. If somebody may look at this phone, delete this conversation: clearing the history removes it for good.',
  harm: 'If somebody is in danger right now, call the emergency number.',
} as const;

/** The fixed answer in a crisis: independent of models and articles. */
export function buildCrisisText(classification: SafetyClassification, resources: readonly Resource[]): string {
  const about = classification.about ?? 'self';
  return [
    openings[about],
    formatResources(resources),
    closings[about],
    'I am a computer program and cannot call anybody for you.',
  ].join('\n\n');
}

/** Notice before the answer to a message with a medical red flag. */
export function buildUrgentText({ flags, emergency }: SafetyClassification, resources: readonly Resource[]): string {
  const named = flags.slice(0, 3).map(label => label.charAt(0).toLowerCase() + label.slice(1));
  const what = named.length > 0 ? ` (${named.join('; ')})` : '';
  return emergency
    ? `**Call emergency services now.** What you describe${what} can be an emergency that must not wait for an answer of mine.\n${formatResources(resources)}\n\nDo not drive yourself. If you are not alone, tell somebody near you now.`
    : `**This should be looked at within a day.** What you describe${what} can be serious. Contact a doctor or an urgent care service today, and call emergency services if it gets worse.\n${formatResources(resources)}`;
}

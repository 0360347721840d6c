import type { ConsentPurpose } from '../../../schema/health/consent.ts';

/** Version of `purposeTexts`. A change of what a sentence promises needs a new one, with the earlier texts kept. */
export const textVersion = '2026-11';

/** What a person reads before a decision. */
export const purposeTexts: Readonly<Record<ConsentPurpose, string>> = {
  messages_to_model:
    'Your messages to the companion, and earlier ones of the conversation, are sent to the provider named here, whose language model writes the answers.',
  profile_to_model:
    'Age, gender, conditions, symptoms, allergies and the other answers of your profile, latest readings and goals are sent to the provider with your messages. Your name and address are not.',
  community: 'People of your age group can find you in the community, by what you show to suggestions.',
  condition_for_peers: 'People whom you are connected with see this condition or symptom.',
  condition_for_suggestions:
    'People who show the same condition or symptom are suggested to you, you to them, and it is named as the reason.',
};

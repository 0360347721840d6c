import type { Context } from '../../../context/context.ts';
import { askForConsent } from '../../consents/ask-for-consent.ts';
import { modelConsent, modelProvider } from '../../consents/consents.ts';
import { type ModelClient, modelClientOf } from './model-client.ts';

/** The model that the messages of a person may be sent to, or what asks the person whether they may be. */
interface ConsentedModel {
  /** Undefined without a model and without the person's consent. */
  client?: ModelClient;
  /** Names the provider, and asks; until the person has decided. */
  question?: string;
}

/** The only way to a model: nothing is sent without a consent that is in force. */
export async function consentedModel(
  { config, read }: Pick<Context, 'config' | 'read'>,
  userId: number,
  language: string | undefined,
): Promise<ConsentedModel> {
  const client = modelClientOf(config);
  const provider = modelProvider(config);
  if (!client || provider === null) return {};
  const consent = await modelConsent(read, userId, provider);
  if (consent === 'given') return { client };
  return consent === 'none' ? { question: askForConsent(provider, language) } : {};
}

import type { Context } from '../../../context/context.ts';
import type { Read } from '../../../db/read.ts';
import { askForConsent } from '../../consents/ask-for-consent.ts';
import { areStillInForce, modelConsent, modelProvider } from '../../consents/consents.ts';
import { watchWithdrawals } from '../../consents/watch-withdrawals.ts';
import { type ModelClient, modelClientOf, moderatorOf } from './model-client.ts';
import { ModelError } from './model-error.ts';

/** The models that the messages of a person may be sent to, or what asks the person whether they may be. */
export interface ConsentedModel {
  /** Undefined without a model and without the person's consent. Rejects with a `ModelError` once the consent is withdrawn. */
  client?: ModelClient;
  /** The same for the model that judges answers; undefined where none is configured. */
  moderator?: ModelClient | undefined;
  /** Aborted with a `ModelError` by a withdrawal: ends a request that runs. */
  withdrawal?: AbortSignal;
  /** Names the provider, and asks; until the person has decided. */
  question?: string;
}

/**
 * The only way to a model: nothing is sent without a consent that is in force. It is read before each request, and a withdrawal ends the one
 * that runs.
 */
export async function withConsentedModel<Result>(
  context: Pick<Context, 'config' | 'notifications' | 'read'>,
  { userId, language }: { userId: number; language: string | undefined },
  work: (model: ConsentedModel) => Promise<Result>,
): Promise<Result> {
  const { config, read } = context;
  const client = modelClientOf(config);
  const provider = modelProvider(config);
  if (!client || provider === null) return work({});
  const withdrawal = new AbortController();
  // None until they are read: what is withdrawn before is found by the first request.
  let records: readonly number[] = [];
  const endWatch = await watchWithdrawals(context, userId, () => {
    // What cannot be read is taken for withdrawn.
    void areStillInForce(read, records)
      .catch(() => false)
      .then(isInForce => isInForce || withdrawal.abort(new ModelError('withdrawn')));
  });
  try {
    const { state, inForce } = await modelConsent(read, userId, provider);
    if (state !== 'given') return await work(state === 'none' ? { question: askForConsent(provider, language) } : {});
    records = inForce;
    const moderator = moderatorOf(config);
    return await work({
      client: askingFirst(read, inForce, client),
      moderator: moderator && askingFirst(read, inForce, moderator),
      withdrawal: withdrawal.signal,
    });
  } finally {
    endWatch();
  }
}

/** A notice of a withdrawal can be later than the next request. */
const askingFirst = (read: Read, inForce: readonly number[], client: ModelClient): ModelClient => ({
  async *answer(messages, live, signal) {
    if (!(await areStillInForce(read, inForce))) throw new ModelError('withdrawn');
    yield* client.answer(messages, live, signal);
  },
});

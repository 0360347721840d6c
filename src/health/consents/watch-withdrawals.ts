import { type RawBuilder, sql } from 'kysely';
import type { ConsentPurpose } from '../../../schema/health/consent.ts';
import type { Context } from '../../context/context.ts';

const withdrawalChannel = 'portico_consent';

/** What work is watched for. */
export const watchedPurposes = ['messages_to_model', 'profile_to_model'] satisfies ConsentPurpose[];

/** SQL for `returning` of rows of `consent` that are withdrawn: tells all gateways with the commit. */
export const noticeOfWithdrawal: RawBuilder<unknown> = sql`case when purpose = any(${watchedPurposes}::text[]) then pg_notify(${withdrawalChannel}, user_id::text) end`;

/** Work that a consent allows, while it runs. */
export interface WatchedConsent {
  /** Aborted when the person withdraws a consent to a model, or when a withdrawal may have been missed. */
  signal: AbortSignal;
  /** To be called when the work is done. */
  end(): void;
}

/**
 * Watches for withdrawals by a person of consents to a model. Whoever reads the consent after this has resolved misses none: it is either read or signalled.
 * @param reason of the aborted signal
 * @throws database errors
 */
export async function watchWithdrawals(
  { notifications }: Pick<Context, 'notifications'>,
  userId: number,
  reason: Error,
): Promise<WatchedConsent> {
  const withdrawal = new AbortController();
  const end = await notifications.subscribe(withdrawalChannel, String(userId), () => withdrawal.abort(reason));
  return { signal: withdrawal.signal, end };
}

import { type RawBuilder, sql } from 'kysely';
import type { ConsentPurpose } from '../../../schema/health/consent.ts';
import type { Context } from '../../context/context.ts';

const withdrawalChannel = 'portico_consent';

/** What work is watched for. */
export const watchedPurposes = ['messages_to_model', 'profile_to_model'] satisfies ConsentPurpose[];

/** SQL for `returning` of rows of `consent` that are withdrawn: tells all gateways with the commit. */
export const noticeOfWithdrawal: RawBuilder<unknown> = sql`case when purpose = any(${watchedPurposes}::text[]) then pg_notify(${withdrawalChannel}, user_id::text) end`;

/**
 * Calls `onNotice` after each withdrawal by a person of a consent to a model, and where one may have been missed. A notice can be of a
 * withdrawal before the call: the consent is to be read again. Resolves with the function that ends it.
 * @throws database errors
 */
export const watchWithdrawals = (
  { notifications }: Pick<Context, 'notifications'>,
  userId: number,
  onNotice: () => void,
): Promise<() => void> => notifications.subscribe(withdrawalChannel, String(userId), onNotice);

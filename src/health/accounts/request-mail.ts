import type { Kysely } from 'kysely';
import { decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { tryChargeMail } from '../../limits/mail-limits.ts';
import { InputChecks } from '../input/input-checks.ts';
import { resendActivation } from './activation-mail.ts';
import { checkEmail } from './check-email.ts';
import { sendPasswordReset } from './reset-password.ts';

/** A requested mail. The address is encrypted because job rows are kept for days. */
interface MailRequest {
  wanted: 'activation' | 'password-reset';
  email: string;
}

const purpose = 'mail-request';

export const mailRequestJob = defineJob<MailRequest>({
  name: 'mail-request',
  retry: { limit: 10, delaySeconds: 5, backoff: true },
  heartbeatSeconds: 10,
  retentionDays: 1,
});

type Dependencies = Pick<Context, 'actor' | 'keys' | 'rateLimiter' | 'transaction'>;

/**
 * Queues the request and lets a job decide whether to send anything: the work and the response are the same for every
 * address. Requests over `mailLimits` of the address are dropped silently. Returns the address as it is stored.
 */
export async function requestMail(
  context: Dependencies,
  wanted: MailRequest['wanted'],
  address: string,
): Promise<string> {
  await context.rateLimiter.charge([{ action: 'mailFromIp', key: context.actor.ip }]);
  const checks = new InputChecks();
  const email = checkEmail(checks, 'email', address);
  checks.assertPassed();
  if (!(await tryChargeMail(context.rateLimiter, wanted, email, context.actor.ip))) return email;
  const { keys } = context;
  await context.transaction(db =>
    enqueue(db, mailRequestJob, { wanted, email: encrypt(keys.encryption, email, purpose) }),
  );
  return email;
}

/** Handler of the job, in one transaction. */
export async function handleMailRequest(
  db: Kysely<unknown>,
  context: Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>,
  { wanted, email }: MailRequest,
): Promise<void> {
  const address = decrypt(context.keys.encryption, email, purpose);
  await (wanted === 'activation' ? resendActivation(db, context, address) : sendPasswordReset(db, context, address));
}

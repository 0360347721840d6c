import type { Kysely } from 'kysely';
import { decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { InputChecks } from '../../errors/input-checks.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { tryChargeMail } from '../../limits/mail-limits.ts';
import { resendActivation } from './activation-mail.ts';
import { checkEmail } from './check-email.ts';
import { sendPasswordReset } from './reset-password.ts';

/** A mail that somebody asked for by address. The address is sealed: a job row is kept for days. */
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
 * Takes the wish for a mail and lets a job find out whether there is anything to send: whatever the address, a request does
 * the same work and gets the same answer. What `mailBudgets` does not allow for the address is dropped in silence.
 */
export async function requestMail(
  context: Dependencies,
  wanted: MailRequest['wanted'],
  address: string,
): Promise<void> {
  await context.rateLimiter.charge([{ action: 'mailFromIp', key: context.actor.ip }]);
  const checks = new InputChecks();
  const email = checkEmail(checks, 'email', address);
  checks.assertPassed();
  if (!(await tryChargeMail(context.rateLimiter, wanted, email, context.actor.ip))) return;
  const { keys } = context;
  await context.transaction(db =>
    enqueue(db, mailRequestJob, { wanted, email: encrypt(keys.encryption, email, purpose) }),
  );
}

/** The work of the job, in one transaction. */
export async function handleMailRequest(
  db: Kysely<unknown>,
  context: Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>,
  { wanted, email }: MailRequest,
): Promise<void> {
  const address = decrypt(context.keys.encryption, email, purpose);
  await (wanted === 'activation' ? resendActivation(db, context, address) : sendPasswordReset(db, context, address));
}

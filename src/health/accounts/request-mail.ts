import type { Kysely } from 'kysely';
import { seal, unseal } from '../../auth/seal.ts';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { resendActivation } from './activation-mail.ts';
import { emailField } from './email-field.ts';
import { sendPasswordReset } from './reset-password.ts';

/** A mail that somebody asked for by address. The address is sealed: a job row is kept for days. */
interface MailRequest {
  wanted: 'activation' | 'password-reset';
  email: string;
}

const purpose = 'mail-request';

export const mailRequests = defineJob<MailRequest>({
  name: 'mail-request',
  retry: { limit: 10, delaySeconds: 5, backoff: true },
  heartbeatSeconds: 10,
  retentionDays: 1,
});

type Surroundings = Pick<Context, 'actor' | 'keys' | 'throttle' | 'transaction'>;

/**
 * Takes the wish for a mail and lets a job find out whether there is anything to send: whatever the address, a request does
 * the same work and gets the same answer. What `mailBudgets` does not allow for the address is dropped in silence.
 */
export async function requestMail(
  context: Surroundings,
  wanted: MailRequest['wanted'],
  address: string,
): Promise<void> {
  await context.throttle.spend([{ budget: 'mailFromIp', key: context.actor.ip }]);
  const checks = new Checks();
  const email = emailField(checks, 'email', address);
  checks.done();
  if (!(await context.throttle.tryTakeMail(wanted, email, context.actor.ip))) return;
  const { keys } = context;
  await context.transaction(db => enqueue(db, mailRequests, { wanted, email: seal(keys.seal, email, purpose) }));
}

/** The work of the job, in one transaction. */
export async function answerMailRequest(
  db: Kysely<unknown>,
  context: Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>,
  { wanted, email }: MailRequest,
): Promise<void> {
  const address = unseal(context.keys.seal, email, purpose);
  await (wanted === 'activation' ? resendActivation(db, context, address) : sendPasswordReset(db, context, address));
}

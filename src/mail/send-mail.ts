import type { Kysely } from 'kysely';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import { DecryptionError, decrypt, encrypt } from '../auth/encryption.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { PermanentError, UnconfirmedError } from '../jobs/job-errors.ts';
import type { Task } from '../jobs/task.ts';
import { parseMailAddress } from './mail-address.ts';
import { type MailFacts, type MailTemplate, renderMail } from './mail-templates.ts';
import { type MailTransport, smtpConnections } from './transport.ts';

/** A mail to be sent. */
export interface MailRequest<Name extends MailTemplate> {
  to: string;
  template: Name;
  facts: MailFacts[Name];
  /** Time of the request, from which the times in the mail count; now when absent. */
  at?: Date;
}

interface MailData {
  /** A MailRequest as JSON, encrypted, because it contains an address and usually a token. */
  sealed: string;
}

const encryptionPurpose = 'mail';

/**
 * An unreachable mail server delays mails and loses none: retries after 3 to 6 seconds, with exponential backoff up to an hour, 80
 * times, which takes three days. One attempt has more time than all limits of `smtpTimeouts` for a server that answers late at each step.
 */
export const mailJob = defineJob<MailData>({
  name: 'mail',
  retry: { limit: 80, delaySeconds: 3, backoff: true, maxDelaySeconds: 3600 },
  heartbeatSeconds: 10,
  timeoutSeconds: 7_200,
  retentionDays: 3,
});

/**
 * Enqueues a mail in the caller's transaction `db`; it is sent after the commit. The mail is rendered once, so that an invalid one
 * is never queued.
 *
 * @throws InvalidMailAddressError, and as `renderMail`
 */
export async function queueMail<Name extends MailTemplate>(
  db: Kysely<unknown>,
  keys: Pick<DerivedKeys, 'encryption'>,
  { to, template, facts, at = new Date() }: MailRequest<Name>,
): Promise<void> {
  const request: MailRequest<Name> = { to: parseMailAddress(to), template, facts };
  renderMail(template, facts, at);
  const text = JSON.stringify({ ...request, at: at.toISOString() });
  await enqueue(db, mailJob, { sealed: encrypt(keys.encryption, text, encryptionPurpose) });
}

/** Sends queued mails. They are rendered when they are sent, so that a corrected template applies to waiting ones. */
export function mailTask({
  keys,
  transport,
}: {
  keys: Pick<DerivedKeys, 'encryption'>;
  transport: MailTransport;
}): Task<MailData> {
  return {
    job: mailJob,
    // A server may take ten minutes for one mail.
    concurrency: smtpConnections,
    async work({ sealed }, { id, queuedAt, isRepetition, signal }) {
      const { to, template, facts, at } = decryptRequest(keys, sealed);
      try {
        await transport.send({ id, queuedAt, to, ...renderMail(template, facts, new Date(at)) }, signal);
      } catch (error) {
        // A third copy would help nobody: the server has received the mail twice, and whoever reads it has two.
        if (isRepetition && error instanceof UnconfirmedError)
          throw new PermanentError(
            'The mail server has received the mail and not said whether it takes it, more than once.',
          );
        throw error;
      }
    },
  };
}

function decryptRequest(
  keys: Pick<DerivedKeys, 'encryption'>,
  sealed: string,
): Omit<MailRequest<MailTemplate>, 'at'> & { at: string } {
  try {
    return JSON.parse(decrypt(keys.encryption, sealed, encryptionPurpose));
  } catch (error) {
    if (error instanceof DecryptionError) throw new PermanentError('The mail was sealed with another SECRET_KEY.');
    throw error;
  }
}

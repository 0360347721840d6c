import type { Kysely } from 'kysely';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import { DecryptionError, decrypt, encrypt } from '../auth/encryption.ts';
import { defineJob } from '../jobs/define-job.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { PermanentError } from '../jobs/job-errors.ts';
import type { Task } from '../jobs/run-task.ts';
import { parseMailAddress } from './mail-address.ts';
import { type MailFacts, type MailTemplate, renderMail } from './mail-templates.ts';
import type { MailTransport } from './transport.ts';

/** Who gets which mail, and what is in it. */
export interface MailRequest<Name extends MailTemplate> {
  to: string;
  template: Name;
  facts: MailFacts[Name];
  /** When it was asked for; now, when absent. The times that the mail tells count from here. */
  at?: Date;
}

interface MailData {
  /** A MailOrder as JSON, sealed: it holds an address and mostly a token, and rows are read by many eyes. */
  sealed: string;
}

const encryptionPurpose = 'mail';

/**
 * A mail server that is away delays mails and loses none: tried again after 3 to 6 seconds, then twice as long each
 * time up to an hour, 80 times in all, which is three days.
 */
export const mailJob = defineJob<MailData>({
  name: 'mail',
  retry: { limit: 80, delaySeconds: 3, backoff: true, maxDelaySeconds: 3600 },
  heartbeatSeconds: 10,
  timeoutSeconds: 90,
  retentionDays: 3,
});

/**
 * Has a mail sent when the caller's transaction commits. `db` is `em.getKysely()` of a transactional EntityManager.
 * Throws InvalidMailAddressError on an address nothing can be sent to, and as `renderMail`: what is queued can be sent.
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

/** Sends what was queued. The words are made when it is sent, so a mend in a template reaches mails that wait. */
export function mailTask({
  keys,
  transport,
}: {
  keys: Pick<DerivedKeys, 'encryption'>;
  transport: MailTransport;
}): Task<MailData> {
  return {
    job: mailJob,
    concurrency: 2,
    async work({ sealed }, { id, queuedAt, signal }) {
      const { to, template, facts, at } = decryptRequest(keys, sealed);
      await transport.send({ id, queuedAt, to, ...renderMail(template, facts, new Date(at)) }, signal);
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

import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { tryChargeMail } from '../../limits/mail-limits.ts';
import { InvalidMailAddressError, parseMailAddress } from '../../mail/mail-address.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { type EmailRow, emailColumns } from './accounts.queries.ts';
import { callingUser } from './caller.ts';
import { isEmail } from './create-user.ts';
import { newVerificationToken, verificationHours } from './verify-email.ts';

/** Addresses of one user. */
export const maxEmails = 20;

type AddContext = Pick<Context, 'actor' | 'transaction' | 'now' | 'rateLimiter' | 'keys' | 'publicOrigin'>;

/**
 * Adds e-mail addresses to the caller, which have no effect until they are verified, and sends each a mail with the link that verifies it.
 * Idempotent: an unverified address that is added again gets another mail. Mails over the limit of an address are dropped silently.
 *
 * @throws 422 for an invalid address, and for more than 20 addresses of a user
 */
export async function addEmails(context: AddContext, emails: readonly string[]): Promise<EmailRow[]> {
  const problems = emails.length === 0 ? [missingEmails] : emails.filter(one => !isMailable(one)).map(invalidEmail);
  if (problems.length > 0) throw validationFailed(problems);
  if (emails.length > maxEmails) throw tooManyEmails();
  const { accountId, login, ip } = callingUser(context.actor);
  const mayMail = new Map<string, boolean>();
  for (const email of emails) {
    mayMail.set(email, await tryChargeMail(context.rateLimiter, 'email-verification', email, ip));
  }
  return context.transaction(async db => {
    await sql`select 1 from account where id = ${accountId} for no key update`.execute(db);
    const added: EmailRow[] = [];
    for (const email of mayMail.keys()) {
      const { rows } = await sql<EmailRow>`
        insert into account_email (account_id, email, created_at) values (${accountId}, ${email}, ${context.now()})
        on conflict (account_id, lower(email)) do update set email = account_email.email
        returning ${emailColumns}`.execute(db);
      const row = rows[0] as EmailRow;
      added.push(row);
      if (row.verifiedAt === null && mayMail.get(email)) await mailVerification(context, db, login, row);
    }
    await assertNotTooMany(db, accountId);
    return added;
  });
}

async function mailVerification(
  { keys, publicOrigin, now }: AddContext,
  db: Kysely<unknown>,
  login: string,
  { id, email }: EmailRow,
): Promise<void> {
  const at = now();
  const link = `${publicOrigin}/settings/emails/verify#${newVerificationToken(keys, { id, email, at })}`;
  const facts = { name: '', login, link, validHours: verificationHours };
  await queueMail(db, keys, { to: email, template: 'email-verification', facts, at });
}

async function assertNotTooMany(db: Kysely<unknown>, accountId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from account_email where account_id = ${accountId}`.execute(db);
  if ((rows[0]?.count ?? 0) > maxEmails) throw tooManyEmails();
}

const missingEmails: ValidationEntry = { resource: 'UserEmail', field: 'emails', code: 'missing_field' };

const invalidEmail = (value: string): ValidationEntry => ({
  resource: 'UserEmail',
  field: 'email',
  code: 'invalid',
  value: value.slice(0, 254),
});

const tooManyEmails = (): Error =>
  validationFailed([
    {
      resource: 'UserEmail',
      field: 'emails',
      code: 'custom',
      message: `A user has at most ${maxEmails} e-mail addresses.`,
    },
  ]);

function isMailable(text: string): boolean {
  if (!isEmail(text)) return false;
  try {
    parseMailAddress(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidMailAddressError) return false;
    throw error;
  }
}

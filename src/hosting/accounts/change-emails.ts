import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from './caller.ts';

/**
 * Deletes e-mail addresses of the caller, all of them or none.
 *
 * @throws 404 for an address that the caller does not have; 422 for the primary one
 */
export async function removeEmails(
  context: Pick<Context, 'actor' | 'transaction'>,
  emails: readonly string[],
): Promise<void> {
  const { accountId } = callingUser(context.actor);
  const wanted = [...new Set(emails.map(one => one.toLowerCase()))];
  if (wanted.length === 0) {
    throw validationFailed([{ resource: 'UserEmail', field: 'emails', code: 'missing_field' }]);
  }
  await context.transaction(async db => {
    const { rows } = await sql<{ email: string; isPrimary: boolean }>`
      delete from account_email e using unnest(${wanted}::text[]) as wanted (email)
      where e.account_id = ${accountId} and lower(e.email) = lower(wanted.email)
      returning e.email, e.is_primary as "isPrimary"`.execute(db);
    if (rows.length < wanted.length) throw notFound();
    if (rows.some(({ isPrimary }) => isPrimary)) {
      const message = 'The primary e-mail address cannot be deleted.';
      throw validationFailed([{ resource: 'UserEmail', field: 'emails', code: 'custom', message }]);
    }
    await sql`update account set public_email = null
      where id = ${accountId} and lower(public_email) = any(${rows.map(({ email }) => email.toLowerCase())}::text[])`.execute(
      db,
    );
  });
}

/**
 * Makes the primary e-mail address of the caller the public one of the profile, or the profile one without a public address.
 *
 * @throws 422 without a primary address
 */
export async function setEmailVisibility(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  isPublic: boolean,
): Promise<void> {
  const { accountId } = callingUser(context.actor);
  await context.transaction(async db => {
    const { rows } = await sql<{ email: string }>`select email from account_email
      where account_id = ${accountId} and is_primary for share`.execute(db);
    const [primary] = rows;
    if (!primary) {
      const message = 'There is no primary e-mail address.';
      throw validationFailed([{ resource: 'UserEmail', field: 'visibility', code: 'custom', message }]);
    }
    await sql`update account set public_email = ${isPublic ? primary.email : null}, updated_at = ${context.now()}
      where id = ${accountId}`.execute(db);
  });
}

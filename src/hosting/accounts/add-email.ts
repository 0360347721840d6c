import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { type EmailRow, emailColumns } from './accounts.queries.ts';
import { callingUser } from './caller.ts';
import { isEmail } from './create-user.ts';

/**
 * Adds an unverified email address to the caller. It has no effect until it is verified. Idempotent.
 *
 * @throws 422 for an invalid address.
 */
export async function addEmail(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  email: string,
): Promise<EmailRow> {
  if (!isEmail(email)) throw validationFailed([{ resource: 'Account', field: 'email', code: 'invalid' }]);
  const { accountId } = callingUser(context.actor);
  return context.transaction(async db => {
    const inserted = await sql<EmailRow>`
      insert into account_email (account_id, email, created_at) values (${accountId}, ${email}, ${context.now()})
      on conflict (account_id, lower(email)) do update set email = account_email.email
      returning ${emailColumns}`.execute(db);
    return inserted.rows[0] as EmailRow;
  });
}

/**
 * Marks an email address of a user as verified, for site administrators. Idempotent. Null when the user has no such
 * address, or another account has verified it.
 */
export async function verifyEmail(
  context: Pick<Context, 'transaction' | 'now'>,
  accountId: number,
  email: string,
): Promise<EmailRow | null> {
  return context.transaction(async db => {
    await sql`
      update account_email e set verified_at = ${context.now()}, is_primary = not exists (
        select 1 from account_email other where other.account_id = e.account_id and other.is_primary and other.id <> e.id)
      where e.account_id = ${accountId} and lower(e.email) = lower(${email}) and e.verified_at is null
        and not exists (select 1 from account_email taken
          where lower(taken.email) = lower(${email}) and taken.verified_at is not null)`.execute(db);
    const verified = await sql<EmailRow>`select ${emailColumns} from account_email
      where account_id = ${accountId} and lower(email) = lower(${email}) and verified_at is not null`.execute(db);
    return verified.rows[0] ?? null;
  });
}

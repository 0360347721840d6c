import { type Kysely, sql } from 'kysely';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { validationFailed } from '../../errors/errors.ts';
import { type EmailRow, emailColumns } from './accounts.queries.ts';

/** Time for which the link of a mail is valid. */
export const verificationHours = 48;

const encryptionPurpose = 'email-verification';

interface VerificationToken {
  /** Number of the address. */
  id: number;
  email: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A token that proves access to the mailbox of an address. It is encrypted, so that nobody else can make one. */
export function newVerificationToken(
  { encryption }: Pick<Context['keys'], 'encryption'>,
  { id, email, at }: { id: number; email: string; at: Date },
): string {
  const token: VerificationToken = { id, email, expiresAt: at.getTime() + verificationHours * 3_600_000 };
  return encrypt(encryption, JSON.stringify(token), encryptionPurpose);
}

const refusal = (message: string): Error =>
  validationFailed([{ resource: 'UserEmail', field: 'token', code: 'custom', message }]);

/**
 * Verifies the address that the token of a mail was sent to. Idempotent.
 *
 * @throws 422 for a token that is invalid, expired, or of a deleted address, and where another account has verified the address
 */
export async function verifyEmailByToken(
  context: Pick<Context, 'transaction' | 'now' | 'keys'>,
  token: string,
): Promise<EmailRow> {
  const { id, email, expiresAt } = readToken(context.keys, token);
  if (expiresAt <= context.now().getTime()) throw refusal('The link has expired. Add the address again.');
  const verified = await withoutRace(() =>
    context.transaction(db => markVerified(db, { id, email, at: context.now() })),
  );
  if (!verified) throw refusal('The address was deleted, or another account has verified it.');
  return verified;
}

function readToken({ encryption }: Pick<Context['keys'], 'encryption'>, token: string): VerificationToken {
  try {
    return JSON.parse(decrypt(encryption, token, encryptionPurpose));
  } catch (error) {
    if (error instanceof DecryptionError) throw refusal('The link is not valid.');
    throw error;
  }
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
  return withoutRace(() =>
    context.transaction(async db => {
      const { rows } = await sql<{ id: number }>`select id from account_email
        where account_id = ${accountId} and lower(email) = lower(${email})`.execute(db);
      const [found] = rows;
      return found ? markVerified(db, { id: found.id, email, at: context.now() }) : null;
    }),
  );
}

/** The first verified address of a user becomes the primary one. */
async function markVerified(
  db: Kysely<unknown>,
  { id, email, at }: { id: number; email: string; at: Date },
): Promise<EmailRow | null> {
  // Two addresses of one user that are verified at the same time would both become the primary one.
  await sql`select 1 from account where id = (select account_id from account_email where id = ${id}) for no key update`.execute(
    db,
  );
  await sql`
    update account_email e set verified_at = ${at}, is_primary = not exists (
      select 1 from account_email other where other.account_id = e.account_id and other.is_primary and other.id <> e.id)
    where e.id = ${id} and lower(e.email) = lower(${email}) and e.verified_at is null
      and not exists (select 1 from account_email taken
        where lower(taken.email) = lower(${email}) and taken.verified_at is not null)`.execute(db);
  const verified = await sql<EmailRow>`select ${emailColumns} from account_email
    where id = ${id} and lower(email) = lower(${email}) and verified_at is not null`.execute(db);
  return verified.rows[0] ?? null;
}

/** Null where another account has verified the address at the same time. */
async function withoutRace<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'account_email_verified')) return null;
    throw error;
  }
}

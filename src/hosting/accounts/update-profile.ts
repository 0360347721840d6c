import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { isEmail } from './create-user.ts';

/** Absent fields stay unchanged; null and empty ones are removed. */
export interface ProfileChange {
  name?: string | null | undefined;
  publicEmail?: string | null | undefined;
  company?: string | null | undefined;
  blog?: string | null | undefined;
  location?: string | null | undefined;
  bio?: string | null | undefined;
}

const columns = {
  name: 'name',
  publicEmail: 'public_email',
  company: 'company',
  blog: 'blog',
  location: 'location',
  bio: 'bio',
} as const satisfies Record<keyof ProfileChange, string>;

/**
 * Changes the profile of an account. The public address of a user is one that the user has verified.
 *
 * @throws 422 for texts that are too long, and for such an address
 */
export async function updateProfile(
  context: Pick<Context, 'transaction' | 'now'>,
  { accountId, kind }: { accountId: number; kind: 'user' | 'organization' },
  change: ProfileChange,
): Promise<void> {
  const { line, address, description } = maxTextLength;
  const problems = textProblems('Account', {
    name: [change.name, line],
    email: [change.publicEmail, line],
    company: [change.company, line],
    blog: [change.blog, address],
    location: [change.location, line],
    bio: [change.bio, description],
  });
  if (change.publicEmail && !isEmail(change.publicEmail)) {
    problems.push({ resource: 'Account', field: 'email', code: 'invalid' });
  }
  if (problems.length > 0) throw validationFailed(problems);
  const names = (Object.keys(columns) as (keyof ProfileChange)[]).filter(name => change[name] !== undefined);
  if (names.length === 0) return;
  const values = names.map((name): RawBuilder<unknown> => sql`${sql.ref(columns[name])} = ${change[name] || null}`);
  await context.transaction(async db => {
    if (change.publicEmail && kind === 'user') await assertVerified(db, accountId, change.publicEmail);
    await sql`update account set ${sql.join(values)}, updated_at = ${context.now()} where id = ${accountId}`.execute(
      db,
    );
  });
}

async function assertVerified(db: Kysely<unknown>, accountId: number, email: string): Promise<void> {
  const found = await sql`select 1 from account_email where account_id = ${accountId} and lower(email) = lower(${email})
    and verified_at is not null for share`.execute(db);
  if (found.rows.length > 0) return;
  const message = 'email must be one of your verified addresses.';
  throw validationFailed([{ resource: 'Account', field: 'email', code: 'custom', message }]);
}

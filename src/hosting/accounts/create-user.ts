import { type Kysely, sql } from 'kysely';
import { type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { loginProblems } from './login.ts';

export interface NewAccount {
  login: string;
  kind: 'user' | 'organization';
  name?: string | null | undefined;
  isSiteAdmin?: boolean;
}

export interface NewUser {
  login: string;
  name?: string | null | undefined;
  /** Stored as verified: only administrators create users. */
  email?: string | null | undefined;
  isSiteAdmin?: boolean;
}

const loginTaken: ValidationEntry = { resource: 'Account', field: 'login', code: 'already_exists' };
const emailTaken: ValidationEntry = { resource: 'Account', field: 'email', code: 'already_exists' };

/**
 * Creates a user with a primary, verified email address. Returns the id.
 *
 * @throws 422 for an invalid or taken login or address.
 */
export async function createUser(db: Kysely<unknown>, user: NewUser, now: Date): Promise<number> {
  if (user.email != null && !isEmail(user.email)) {
    throw validationFailed([{ resource: 'Account', field: 'email', code: 'invalid' }]);
  }
  const id = await insertAccount(db, { ...user, kind: 'user' }, now);
  if (user.email == null) return id;
  const inserted = await sql`
    insert into account_email (account_id, email, is_primary, verified_at, created_at)
    values (${id}, ${user.email}, true, ${now}, ${now})
    on conflict (lower(email)) where verified_at is not null do nothing returning id`.execute(db);
  if (inserted.rows.length === 0) throw validationFailed([emailTaken]);
  return id;
}

/**
 * Inserts an account and returns its id. The unique index decides between concurrent requests for a login. A former
 * owner's redirect from the login ends.
 *
 * @throws 422 for an invalid or taken login.
 */
export async function insertAccount(db: Kysely<unknown>, account: NewAccount, now: Date): Promise<number> {
  const { login, kind, name = null, isSiteAdmin = false } = account;
  const problems = [...loginProblems(login), ...textProblems('Account', { name: [name, maxTextLength.line] })];
  if (problems.length > 0) throw validationFailed(problems);
  const inserted = await sql<{ id: number }>`
    insert into account (kind, login, name, is_site_admin, created_at, updated_at)
    values (${kind}, ${login}, ${name?.trim() || null}, ${isSiteAdmin}, ${now}, ${now})
    on conflict (lower(login)) do nothing returning id`.execute(db);
  const [row] = inserted.rows;
  if (!row) throw validationFailed([loginTaken]);
  await sql`delete from former_login where login = ${login.toLowerCase()}`.execute(db);
  return row.id;
}

/** A plausibility check: one @, and a dot in the domain. Verification proves the rest. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/.test(text);
}

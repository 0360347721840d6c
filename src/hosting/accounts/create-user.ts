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
  /** Taken as verified: whoever makes users for others vouches for it. */
  email?: string | null | undefined;
  isSiteAdmin?: boolean;
}

const loginTaken: ValidationEntry = { resource: 'Account', field: 'login', code: 'already_exists' };
const emailTaken: ValidationEntry = { resource: 'Account', field: 'email', code: 'already_exists' };

/** Makes a user with a primary, verified address. Throws rule entries for a login or an address that cannot be had. */
export async function createUser(db: Kysely<unknown>, user: NewUser, now: Date): Promise<number> {
  if (user.email != null && !isEmail(user.email)) {
    throw validationFailed([{ resource: 'Account', field: 'email', code: 'invalid' }]);
  }
  const id = await insertAccount(db, { ...user, kind: 'user' }, now);
  if (user.email == null) return id;
  const made = await sql`
    insert into account_email (account_id, email, is_primary, verified_at, created_at)
    values (${id}, ${user.email}, true, ${now}, ${now})
    on conflict (lower(email)) where verified_at is not null do nothing returning id`.execute(db);
  if (made.rows.length === 0) throw validationFailed([emailTaken]);
  return id;
}

/**
 * Takes a login for a new account. The unique index decides between those who want it at once; whoever had the login
 * before is no more led to by it.
 */
export async function insertAccount(db: Kysely<unknown>, account: NewAccount, now: Date): Promise<number> {
  const { login, kind, name = null, isSiteAdmin = false } = account;
  const problems = [...loginProblems(login), ...textProblems('Account', { name: [name, maxTextLength.line] })];
  if (problems.length > 0) throw validationFailed(problems);
  const made = await sql<{ id: number }>`
    insert into account (kind, login, name, is_site_admin, created_at, updated_at)
    values (${kind}, ${login}, ${name?.trim() || null}, ${isSiteAdmin}, ${now}, ${now})
    on conflict (lower(login)) do nothing returning id`.execute(db);
  const [row] = made.rows;
  if (!row) throw validationFailed([loginTaken]);
  await sql`delete from former_login where login = ${login.toLowerCase()}`.execute(db);
  return row.id;
}

/** Something before one @ and something with a dot after it; what is more is found out by a mail. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/.test(text);
}

import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { validationFailed } from '../../errors/errors.ts';
import { loginProblems } from './login.ts';

/**
 * Renames an account. The old login redirects until another account takes it.
 *
 * @throws 422 for an invalid or taken login.
 */
export async function renameAccount(
  context: Pick<Context, 'transaction' | 'now' | 'credentials'>,
  accountId: number,
  login: string,
): Promise<void> {
  const problems = loginProblems(login);
  if (problems.length > 0) throw validationFailed(problems);
  const key = login.toLowerCase();
  const { now } = context;
  try {
    await context.transaction(async db => {
      const found = await sql<{ login: string }>`
        select login from account where id = ${accountId} for update`.execute(db);
      const before = found.rows[0]?.login;
      if (before === undefined) return;
      await sql`update account set login = ${login}, updated_at = ${now()} where id = ${accountId}`.execute(db);
      await sql`delete from former_login where login = ${key}`.execute(db);
      if (before.toLowerCase() === key) return;
      await sql`insert into former_login (login, account_id, left_at) values (${before.toLowerCase()}, ${accountId}, ${now()})
        on conflict (login) do update set account_id = excluded.account_id, left_at = excluded.left_at`.execute(db);
    });
  } catch (error) {
    if (isUniqueViolation(error, 'account_login')) {
      throw validationFailed([{ resource: 'Account', field: 'login', code: 'already_exists' }]);
    }
    throw error;
  }
  // Cached tokens contain the login.
  context.credentials.invalidate();
}

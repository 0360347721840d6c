import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { organizationFor } from './organization-access.ts';

export interface MembershipRow {
  organizationId: number;
  accountId: number;
  role: 'member' | 'admin';
  isPublic: boolean;
  since: string;
}

const lastAdmin = (): Error =>
  ruleBroken([
    { resource: 'Membership', field: 'role', code: 'custom', message: 'An organization keeps one administrator.' },
  ]);

/** Takes a user into an organization or changes their role there. The last administrator stays one. */
export async function setMembership(
  context: Context,
  { organization, login, role }: { organization: string; login: string; role: 'member' | 'admin' },
): Promise<MembershipRow> {
  const { organizationId, accountId } = await both(context, organization, login);
  return context.transaction(async db => {
    const made = await sql<MembershipRow>`
      insert into membership (organization_id, account_id, role, since)
      values (${organizationId}, ${accountId}, ${role}, ${context.now()})
      on conflict (organization_id, account_id) do update set role = excluded.role
      returning organization_id as "organizationId", account_id as "accountId", role, is_public as "isPublic", since`.execute(
      db,
    );
    await demandAdmin(db, organizationId);
    return made.rows[0] as MembershipRow;
  });
}

/** Takes a user out of an organization, and with them what they were let into by it. */
export async function removeMembership(context: Context, organization: string, login: string): Promise<void> {
  const { organizationId, accountId } = await both(context, organization, login);
  await context.transaction(async db => {
    const gone = await sql`
      delete from membership where organization_id = ${organizationId} and account_id = ${accountId} returning 1`.execute(
      db,
    );
    if (gone.rows.length === 0) throw notFound();
    await sql`delete from sso_authorization s using host_credential c
      where s.credential_id = c.id and s.organization_id = ${organizationId} and c.account_id = ${accountId}`.execute(
      db,
    );
    await demandAdmin(db, organizationId);
  });
  context.credentials.forget();
}

async function both(context: Context, organization: string, login: string) {
  const found = await organizationFor(context, organization, 'members:write');
  const user = found && (await accountByLogin(context, login, new Map(), 'user'));
  if (!found || !user) throw notFound();
  return { organizationId: found.id, accountId: user.databaseId };
}

/** The row of the organization is locked first: of two who leave at once the second sees that the first has left. */
async function demandAdmin(db: Kysely<unknown>, organizationId: number): Promise<void> {
  await sql`select 1 from account where id = ${organizationId} for update`.execute(db);
  const left =
    await sql`select 1 from membership where organization_id = ${organizationId} and role = 'admin' limit 1`.execute(
      db,
    );
  if (left.rows.length === 0) throw lastAdmin();
}

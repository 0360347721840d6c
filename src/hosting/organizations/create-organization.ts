import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { insertAccount } from '../accounts/create-user.ts';

/** Creates an organization with the caller as its first administrator. Returns its id. */
export async function createOrganization(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  { login, name }: { login: string; name?: string | null | undefined },
): Promise<number> {
  const { accountId } = callingUser(context.actor);
  const { now } = context;
  return context.transaction(async db => {
    const id = await insertAccount(db, { login, name, kind: 'organization' }, now());
    await sql`insert into membership (organization_id, account_id, role, since)
      values (${id}, ${accountId}, 'admin', ${now()})`.execute(db);
    return id;
  });
}

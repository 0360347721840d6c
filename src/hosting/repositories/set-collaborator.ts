import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

export interface CollaboratorRow {
  accountId: number;
  role: string;
  since: string;
}

/** Lets a user into a repository, or changes what they may do there. */
export async function setCollaborator(
  context: Context,
  address: RepositoryAddress,
  { login, role }: { login: string; role: string },
): Promise<CollaboratorRow> {
  const { repositoryId, accountId, ownerId } = await both(context, address, login);
  if (accountId === ownerId) {
    throw ruleBroken([
      { resource: 'Collaborator', field: 'login', code: 'custom', message: 'The owner has every right.' },
    ]);
  }
  return context.transaction(async db => {
    const made = await sql<CollaboratorRow>`
      insert into collaborator (repository_id, account_id, role, since)
      values (${repositoryId}, ${accountId}, ${role}, ${context.now()})
      on conflict (repository_id, account_id) do update set role = excluded.role
      returning account_id as "accountId", role, since`.execute(db);
    return made.rows[0] as CollaboratorRow;
  });
}

/** Takes back what a user was let into a repository for. */
export async function removeCollaborator(context: Context, address: RepositoryAddress, login: string): Promise<void> {
  const { repositoryId, accountId } = await both(context, address, login);
  await context.transaction(async db => {
    const gone = await sql`delete from collaborator
      where repository_id = ${repositoryId} and account_id = ${accountId} returning 1`.execute(db);
    if (gone.rows.length === 0) throw notFound();
  });
}

async function both(context: Context, address: RepositoryAddress, login: string) {
  const found = await repositoryFor(context, address, 'administration:write');
  const user = found && (await accountByLogin(context, login, new Map(), 'user'));
  if (!found || !user) throw notFound();
  return { repositoryId: found.databaseId, ownerId: found.ownerId, accountId: user.databaseId };
}

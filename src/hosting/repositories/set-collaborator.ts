import { sql } from 'kysely';
import type { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/**
 * Adds a collaborator to a repository, or changes the role of one. Returns the repository's id.
 *
 * @throws 404 for an unknown repository or user; 422 for the owner.
 */
export async function setCollaborator(
  context: Context,
  address: RepositoryAddress,
  { userId, role }: { userId: number; role: RepositoryPermission },
): Promise<number> {
  const { repositoryId, accountId, ownerId } = await requireRepositoryAndUser(context, address, userId);
  if (accountId === ownerId) {
    throw validationFailed([
      { resource: 'Collaborator', field: 'login', code: 'custom', message: 'The owner has every right.' },
    ]);
  }
  await context.transaction(async db => {
    const at = context.now();
    const held = await sql<{ role: string }>`select role from collaborator
      where repository_id = ${repositoryId} and account_id = ${accountId} for update`.execute(db);
    // xmax is 0 for an inserted row, and the current transaction for an updated one.
    const inserted = await sql<{ isNew: boolean }>`
      insert into collaborator (repository_id, account_id, role, since)
      values (${repositoryId}, ${accountId}, ${role}, ${at})
      on conflict (repository_id, account_id) do update set role = excluded.role
      returning xmax = 0 as "isNew"`.execute(db);
    const before = held.rows[0]?.role;
    const event = memberEvent(context, repositoryId, accountId);
    if (inserted.rows[0]?.isNew) {
      const facts = { memberId: accountId };
      await recordEvents(db, { repositoryId, by: eventActor(context.actor), at }, [{ type: 'MemberEvent', facts }]);
      await recordHookEvent(db, { ...event, action: 'added', own: { changes: { permission: { to: role } } } });
    } else if (before !== undefined && before !== role) {
      const changes = { old_permission: { from: before }, permission: { from: before, to: role } };
      await recordHookEvent(db, { ...event, action: 'edited', own: { changes } });
    }
  });
  return repositoryId;
}

/**
 * Removes a collaborator from a repository. Returns the repository's id.
 *
 * @throws 404 when the user is none.
 */
export async function removeCollaborator(
  context: Context,
  address: RepositoryAddress,
  userId: number,
): Promise<number> {
  const { repositoryId, accountId } = await requireRepositoryAndUser(context, address, userId);
  await context.transaction(async db => {
    const deleted = await sql`delete from collaborator
      where repository_id = ${repositoryId} and account_id = ${accountId} returning 1`.execute(db);
    if (deleted.rows.length === 0) throw notFound();
    await recordHookEvent(db, { ...memberEvent(context, repositoryId, accountId), action: 'removed' });
  });
  return repositoryId;
}

function memberEvent(context: Context, repositoryId: number, member: number) {
  return { ...eventMetadata(context), event: 'member', repositoryId, objects: { member } } as const;
}

async function requireRepositoryAndUser(context: Context, address: RepositoryAddress, userId: number) {
  const found = await repositoryFor(context, address, 'administration:write');
  const user = found && (await accountById(context, userId, new Map(), 'user'));
  if (!found || !user) throw notFound();
  return { repositoryId: found.databaseId, ownerId: found.ownerId, accountId: user.databaseId };
}

import { type Kysely, sql } from 'kysely';
import type { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { inviterOf } from '../accounts/inviter.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Invitations that a repository sends within 24 hours. */
const maxInvitationsPerDay = 50;

/** What became of a request to add a collaborator. `invitationId` is null where the user has the permission at once. */
export interface CollaboratorChange {
  repositoryId: number;
  accountId: number;
  invitationId: number | null;
}

/** A user for a repository, with the permission to give. */
interface NewCollaborator {
  repositoryId: number;
  accountId: number;
  role: RepositoryPermission;
}

/**
 * Changes the permission of a collaborator, adds a member of the organization that owns the repository, or invites any other user: nobody
 * else becomes a collaborator without accepting. A repeated invitation replaces the permission and the time of the last one.
 *
 * @throws 404 for an unknown repository or user; 422 for the owner, and for too many invitations in a day
 */
export async function setCollaborator(
  context: Context,
  address: RepositoryAddress,
  { userId, role }: { userId: number; role: RepositoryPermission },
): Promise<CollaboratorChange> {
  const { repositoryId, accountId, ownerId } = await requireRepositoryAndUser(context, address, userId);
  if (accountId === ownerId) {
    throw validationFailed([
      { resource: 'Collaborator', field: 'login', code: 'custom', message: 'The owner has every right.' },
    ]);
  }
  const wanted = { repositoryId, accountId, role };
  return context.transaction(async db => {
    // Against an answer to the invitation at the same time.
    await sql`select 1 from repository where id = ${repositoryId} for no key update`.execute(db);
    const hasAccess = (await changeRole(context, db, wanted)) || (await addMember(context, db, wanted, ownerId));
    return { repositoryId, accountId, invitationId: hasAccess ? null : await invite(context, db, wanted) };
  });
}

/** Whether the user was a collaborator already, whose permission is now the wanted one. */
async function changeRole(context: Context, db: Kysely<unknown>, wanted: NewCollaborator): Promise<boolean> {
  const { repositoryId, accountId, role } = wanted;
  const { rows } = await sql<{ before: string }>`update collaborator c set role = ${role} from collaborator held
    where held.repository_id = ${repositoryId} and held.account_id = ${accountId}
      and c.repository_id = held.repository_id and c.account_id = held.account_id
    returning held.role as before`.execute(db);
  const [changed] = rows;
  if (!changed) return false;
  const { before } = changed;
  if (before !== role) {
    const changes = { old_permission: { from: before }, permission: { from: before, to: role } };
    await recordHookEvent(db, {
      ...memberEvent(context, repositoryId, accountId),
      action: 'edited',
      own: { changes },
    });
  }
  return true;
}

/** Adds a member of the owning organization. False for everybody else. */
async function addMember(
  context: Context,
  db: Kysely<unknown>,
  added: NewCollaborator,
  ownerId: number,
): Promise<boolean> {
  const { repositoryId, accountId, role } = added;
  // The lock keeps the membership until the commit, so that its end also ends this collaboration.
  const { rows } = await sql`select 1 from membership
    where organization_id = ${ownerId} and account_id = ${accountId} for share`.execute(db);
  if (rows.length === 0) return false;
  await sql`insert into collaborator (repository_id, account_id, role, since)
    values (${repositoryId}, ${accountId}, ${role}, ${context.now()})`.execute(db);
  await sql`delete from repository_invitation
    where repository_id = ${repositoryId} and account_id = ${accountId}`.execute(db);
  await recordAddedMember(context, db, { ...added, addedById: null });
  return true;
}

/** Returns the number of the invitation. */
async function invite(
  context: Context,
  db: Kysely<unknown>,
  { repositoryId, accountId, role }: NewCollaborator,
): Promise<number> {
  const at = context.now();
  const { rows } = await sql<{ id: number }>`
    insert into repository_invitation (repository_id, account_id, role, inviter_id, created_at)
    values (${repositoryId}, ${accountId}, ${role}, ${inviterOf(context.actor)}, ${at})
    on conflict (repository_id, account_id) do update
      set role = excluded.role, inviter_id = excluded.inviter_id, created_at = excluded.created_at
    returning id`.execute(db);
  const recent = await sql<{ count: number }>`select count(*)::int as count from repository_invitation
    where repository_id = ${repositoryId} and created_at > ${new Date(at.getTime() - 86_400_000)}::timestamptz`.execute(
    db,
  );
  if ((recent.rows[0]?.count ?? 0) > maxInvitationsPerDay) {
    const message = `A repository invites at most ${maxInvitationsPerDay} users within 24 hours.`;
    throw validationFailed([{ resource: 'RepositoryInvitation', code: 'custom', message }]);
  }
  return rows[0]?.id ?? 0;
}

/** Records that a user became a collaborator. `addedById` is who invited; null for the caller. */
export async function recordAddedMember(
  context: Context,
  db: Kysely<unknown>,
  { repositoryId, accountId, role, addedById }: NewCollaborator & { addedById: number | null },
): Promise<void> {
  const by = addedById === null ? eventActor(context.actor) : { accountId: addedById };
  const facts = { memberId: accountId };
  await recordEvents(db, { repositoryId, by, at: context.now() }, [{ type: 'MemberEvent', facts }]);
  const changes = { permission: { to: role } };
  await recordHookEvent(db, { ...memberEvent(context, repositoryId, accountId), action: 'added', own: { changes } });
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

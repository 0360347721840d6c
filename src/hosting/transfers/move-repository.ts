import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { nameTaken } from '../repositories/create-repository.ts';
import { redirectFormerName } from '../repositories/former-name.ts';
import { recordRepositoryEvent } from '../repositories/repository-events.ts';

/** A repository as a transfer finds it, locked until the end of the transaction. */
export interface LockedRepository {
  id: number;
  ownerId: number;
  ownerKind: 'user' | 'organization';
  name: string;
  isPrivate: boolean;
  parentId: number | null;
}

/** Locks a repository. @throws 404 when it does not exist */
export async function lockRepository(db: Kysely<unknown>, id: number): Promise<LockedRepository> {
  const { rows } = await sql<LockedRepository>`
    select r.id, r.owner_id as "ownerId", o.kind as "ownerKind", r.name, r.is_private as "isPrivate",
      r.parent_id as "parentId"
    from repository r join account o on o.id = r.owner_id where r.id = ${id} for update of r`.execute(db);
  if (!rows[0]) throw notFound();
  return rows[0];
}

const refused = (message: string): ValidationEntry => ({
  resource: 'Repository',
  field: 'new_owner',
  code: 'custom',
  message,
});

/**
 * Whether the new owner may get the repository, apart from its name.
 *
 * @throws 422 for the present owner, one with another repository of the fork network, and for private forks
 */
export async function assertTransferable(
  db: Kysely<unknown>,
  { id, ownerId, isPrivate, parentId }: LockedRepository,
  newOwnerId: number,
): Promise<void> {
  if (newOwnerId === ownerId) throw validationFailed([refused('The account owns the repository already.')]);
  // Its readers are those of its origin, which the new owner need not be able to read.
  if (isPrivate && parentId !== null) throw validationFailed([refused('A private fork cannot be transferred.')]);
  const other = await sql`select 1 from repository r join repository other
      on coalesce(other.network_root_id, other.id) = coalesce(r.network_root_id, r.id) and other.id <> r.id
    where r.id = ${id} and other.owner_id = ${newOwnerId} limit 1`.execute(db);
  if (other.rows.length > 0)
    throw validationFailed([refused('The account has a repository of the same fork network.')]);
}

interface NewOwner {
  id: number;
  kind: 'user' | 'organization';
}

/**
 * Gives a locked repository to its new owner, in the caller's transaction. The old address redirects. Hooks, deploy keys, stars,
 * watchers and collaborators stay; apps and tokens that selected the repository lose it. Who gave it away stays a collaborator: the
 * old owner if it is a user, and in an organization the member who brought it.
 *
 * @throws 422 for a name that is taken, and as `assertTransferable`
 */
export async function moveRepository(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  repository: LockedRepository,
  { owner, newName }: { owner: NewOwner; newName: string | null },
): Promise<void> {
  await assertTransferable(db, repository, owner.id);
  const { id, name: oldName, ownerId, ownerKind } = repository;
  const [name, at] = [newName ?? oldName, context.now()];
  try {
    await sql`update repository set owner_id = ${owner.id}, name = ${name}, updated_at = ${at} where id = ${id}`.execute(
      db,
    );
  } catch (error) {
    throw isUniqueViolation(error, 'repository_name') ? validationFailed([nameTaken]) : error;
  }
  const [from, to] = [
    { ownerId, name: oldName },
    { ownerId: owner.id, name },
  ];
  await redirectFormerName(db, { repositoryId: id, from, to, at });
  await sql`delete from repository_transfer where repository_id = ${id}`.execute(db);
  await sql`delete from installation_repository where repository_id = ${id}`.execute(db);
  await sql`delete from credential_repository where repository_id = ${id}`.execute(db);
  await sql`delete from collaborator where repository_id = ${id} and account_id = ${owner.id}`.execute(db);
  const giver = giverOf(context, repository, owner);
  // Neither an owner nor a collaborator is invited.
  await sql`delete from repository_invitation
    where repository_id = ${id} and account_id = any(${[owner.id, giver ?? owner.id]}::bigint[])`.execute(db);
  if (giver !== undefined) {
    const role = owner.kind === 'organization' ? 'admin' : 'write';
    await sql`insert into collaborator (repository_id, account_id, role, since)
      values (${id}, ${giver}, ${role}, ${at}) on conflict (repository_id, account_id) do nothing`.execute(db);
  }
  const former = ownerKind === 'organization' ? { formerOrganization: ownerId } : { formerUser: ownerId };
  await recordRepositoryEvent(db, context, id, 'transferred', {}, former);
}

function giverOf(
  { actor }: Pick<Context, 'actor'>,
  { ownerId, ownerKind }: LockedRepository,
  { kind }: NewOwner,
): number | undefined {
  if (ownerKind === 'user') return ownerId;
  return kind === 'organization' && actor.kind === 'user' ? actor.accountId : undefined;
}

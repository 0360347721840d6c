import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountByLogin } from '../accounts/accounts.queries.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { roleOfUser } from './repository-access.ts';
import { type CollaboratorFilter, collaboratorsOf } from './repository-people.queries.ts';

/** A user in the list of a repository, with the name of the permission in it. */
export type CollaboratorRow = AccountRow & { permission: (typeof roleNames)[number] };

export const roleNames = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
/** In `permission`, triage counts as read and maintain as write. */
const permissionNames = ['none', 'read', 'read', 'write', 'write', 'admin'] as const;
const writeRole = 3;
const callersRole = new Map([['collaborators', noSelection]]);

/** Id of a repository to which the caller can push. @throws 404 otherwise */
async function requirePushable(context: Context, address: RepositoryAddress): Promise<number> {
  const found = await repositoryFor(context, address, 'metadata:read', callersRole);
  if (!found || found.collaborators < writeRole) throw notFound();
  return found.databaseId;
}

/** Collaborators of a repository by login. @throws 404 unless the caller can push to it */
export async function collaboratorsIn(
  context: Context,
  address: RepositoryAddress,
  filter: CollaboratorFilter,
): Promise<ListSource<CollaboratorRow>> {
  const id = await requirePushable(context, address);
  return batchedList(context, 'Repository.collaborators', filter, id, collaboratorsOf(context, filter));
}

/** The permission of a user in a repository. @throws 404 for an unknown user, and unless the caller can push */
export async function permissionOf(
  context: Context,
  address: RepositoryAddress,
  login: string,
  wanted: Selection,
): Promise<{ permission: string; roleName: string; user: CollaboratorRow }> {
  const id = await requirePushable(context, address);
  const user = await accountByLogin(context, login, wanted, 'user');
  if (!user) throw notFound();
  const found = await repositoryFor<number>(context, { id }, 'metadata:read', undefined, roleOfUser(user.databaseId));
  if (!found) throw notFound();
  const role = Number(found.extraColumn);
  const roleName = roleNames[role] ?? 'none';
  return { permission: permissionNames[role] ?? 'none', roleName, user: { ...user, permission: roleName } };
}

/** True. @throws 404 when the user is no collaborator, nor a member with a permission, nor the owner */
export async function requireCollaborator(
  context: Context,
  address: RepositoryAddress,
  login: string,
): Promise<boolean> {
  const id = await requirePushable(context, address);
  const user = await accountByLogin(context, login, noSelection, 'user');
  const found =
    user &&
    (await context.read(sql`select 1 from repository r where r.id = ${id} and (r.owner_id = ${user.databaseId}
      or exists (select 1 from collaborator c where c.repository_id = r.id and c.account_id = ${user.databaseId})
      or exists (select 1 from membership m join account o on o.id = m.organization_id where m.organization_id = r.owner_id
        and m.account_id = ${user.databaseId} and (m.role = 'admin' or o.base_permission <> 'none')))`));
  if (!found || found.length === 0) throw notFound();
  return true;
}

import { sql } from 'kysely';
import type { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';

interface InvitationAddress {
  repositoryId: number;
  id: number;
}

/** Changes the permission that an invitation offers. @throws 404 when the repository has no such invitation */
export async function changeRepositoryInvitation(
  context: Context,
  { repositoryId, id }: InvitationAddress,
  role: RepositoryPermission,
): Promise<void> {
  await context.transaction(async db => {
    const { rows } = await sql`update repository_invitation set role = ${role}
      where id = ${id} and repository_id = ${repositoryId} returning 1`.execute(db);
    if (rows.length === 0) throw notFound();
  });
}

/** Withdraws an invitation. @throws 404 when the repository has no such invitation */
export async function deleteRepositoryInvitation(
  context: Context,
  { repositoryId, id }: InvitationAddress,
): Promise<void> {
  await context.transaction(async db => {
    const { rows } = await sql`delete from repository_invitation
      where id = ${id} and repository_id = ${repositoryId} returning 1`.execute(db);
    if (rows.length === 0) throw notFound();
  });
}

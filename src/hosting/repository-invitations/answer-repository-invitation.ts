import { type Kysely, sql } from 'kysely';
import type { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { Context } from '../../context/context.ts';
import { conflict, notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { recordAddedMember } from '../repositories/set-collaborator.ts';
import { invitationJoins, isExpired, isInviterStillAdmin } from './repository-invitations.queries.ts';

interface AnsweredInvitation {
  repositoryId: number;
  inviterId: number | null;
  role: RepositoryPermission;
  isExpired: boolean;
}

/**
 * Accepts an invitation of the caller, who becomes a collaborator with the permission that was offered last. Returns the number of
 * the repository.
 *
 * @throws 404 when there is no such invitation; 409 when it is expired
 */
export function acceptRepositoryInvitation(context: Context, id: number): Promise<number> {
  const { accountId } = callingUser(context.actor);
  return context.transaction(async db => {
    const { repositoryId, inviterId, role, isExpired: isLate } = await takeInvitation(context, db, id);
    if (isLate) throw conflict({}, 'The invitation has expired.');
    await sql`insert into collaborator (repository_id, account_id, role, since)
      values (${repositoryId}, ${accountId}, ${role}, ${context.now()})
      on conflict (repository_id, account_id) do update set role = excluded.role`.execute(db);
    await recordAddedMember(context, db, { repositoryId, accountId, role, addedById: inviterId });
    return repositoryId;
  });
}

/** Declines an invitation of the caller, expired or not. @throws 404 when there is no such invitation */
export async function declineRepositoryInvitation(context: Context, id: number): Promise<void> {
  await context.transaction(db => takeInvitation(context, db, id));
}

/** Deletes the invitation: of two answers, one finds it. */
async function takeInvitation(context: Context, db: Kysely<unknown>, id: number): Promise<AnsweredInvitation> {
  const { accountId } = callingUser(context.actor);
  // The lock of the repository comes first, as in `setCollaborator`.
  await sql`select 1 from repository where id = (
    select repository_id from repository_invitation where id = ${id} and account_id = ${accountId}) for no key update`.execute(
    db,
  );
  const { rows } = await sql<AnsweredInvitation>`delete from repository_invitation taken using ${invitationJoins}
    where taken.id = n.id and n.id = ${id} and n.account_id = ${accountId} and ${isInviterStillAdmin}
    returning n.repository_id as "repositoryId", n.inviter_id as "inviterId", n.role, ${isExpired(context)} as "isExpired"`.execute(
    db,
  );
  const [invitation] = rows;
  if (!invitation) throw notFound();
  return invitation;
}

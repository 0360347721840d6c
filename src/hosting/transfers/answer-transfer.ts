import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { requireOwnerId } from '../repositories/create-repository.ts';
import { type LockedRepository, lockRepository, moveRepository } from './move-repository.ts';
import { isOpenOffer } from './transfers.queries.ts';

/**
 * Accepts the offer of a repository: the caller owns it. Returns the repository's id.
 *
 * @throws 404 when the caller has no such offer, or it has expired or its sender no longer administers the repository; 403 when the
 *   credential does not cover new repositories; 422 as `moveRepository`
 */
export function acceptTransfer(context: Context, transferId: number): Promise<number> {
  const { accountId: id } = callingUser(context.actor);
  return answerTransfer(context, transferId, async (db, repository, newName) => {
    await requireOwnerId(context, { ownerId: id, isPrivate: repository.isPrivate });
    await moveRepository(db, context, repository, { owner: { id, kind: 'user' }, newName });
  });
}

/** Declines the offer of a repository. @throws 404 as `acceptTransfer` */
export async function declineTransfer(context: Context, transferId: number): Promise<void> {
  await answerTransfer(context, transferId, async () => {});
}

/** Withdraws the offer of a repository; the caller has been found to administer it. @throws 404 when there is none */
export async function cancelTransfer(context: Context, repositoryId: number): Promise<void> {
  await context.transaction(async db => {
    const deleted = await sql`delete from repository_transfer where repository_id = ${repositoryId}
      and expires_at > ${context.now()} returning 1`.execute(db);
    if (deleted.rows.length === 0) throw notFound();
  });
}

/** Deletes an offer to the caller and runs `work` in the same transaction. */
async function answerTransfer(
  context: Context,
  transferId: number,
  work: (db: Kysely<unknown>, repository: LockedRepository, newName: string | null) => Promise<void>,
): Promise<number> {
  const { accountId } = callingUser(context.actor);
  return context.transaction(async db => {
    // The repository is locked before the offer, as by every other transfer.
    const offered = await sql<{ repositoryId: number }>`
      select repository_id as "repositoryId" from repository_transfer where id = ${transferId}`.execute(db);
    if (!offered.rows[0]) throw notFound();
    const repository = await lockRepository(db, offered.rows[0].repositoryId);
    const taken = await sql<{ newName: string | null }>`
      delete from repository_transfer t using repository r join account o on o.id = r.owner_id
      where t.id = ${transferId} and t.new_owner_id = ${accountId} and r.id = t.repository_id and ${isOpenOffer(context)}
      returning t.new_name as "newName"`.execute(db);
    if (!taken.rows[0]) throw notFound();
    await work(db, repository, taken.rows[0].newName);
    return repository.id;
  });
}

import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { requireOwnerId } from '../repositories/create-repository.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { nameProblems } from '../repositories/repository-name.ts';
import { assertTransferable, type LockedRepository, lockRepository, moveRepository } from './move-repository.ts';

/** How long an offer can be accepted, in milliseconds. */
const offerLifetimeMs = 24 * 60 * 60 * 1000;

interface Transfer {
  newOwnerId: number;
  /** Null for the present name. */
  newName: string | null;
}

/**
 * Transfers a repository: at once to the caller, or to an organization in which the caller may create repositories; any other user
 * gets an offer for one day, which replaces an earlier one. Returns the repository's id.
 *
 * @throws 404 for an unknown repository or account; 403 for an organization in which the caller may not create repositories; 422 as
 *   `moveRepository`
 */
export async function transferRepository(
  context: Context,
  address: RepositoryAddress,
  { newOwnerId, newName }: Transfer,
): Promise<number> {
  const problems = newName === null ? [] : nameProblems(newName);
  if (problems.length > 0) throw validationFailed(problems);
  const found = await repositoryFor(context, address, 'administration:write');
  const owner = found && (await accountById(context, newOwnerId, noSelection));
  if (!found || !owner || owner.kind === 'bot') throw notFound();
  const { kind } = owner;
  const { actor } = context;
  const isOffer = kind === 'user' && !(actor.kind === 'user' && actor.accountId === newOwnerId);
  // To its present owner is refused below, with a better message than that of a credential.
  if (!isOffer && newOwnerId !== found.ownerId) {
    await requireOwnerId(context, { ownerId: newOwnerId, isPrivate: found.isPrivate });
  }
  await context.transaction(async db => {
    const repository = await lockRepository(db, found.databaseId);
    // Another transfer was faster: who decides has changed.
    if (repository.ownerId !== found.ownerId) throw notFound();
    if (isOffer) await offerRepository(db, context, repository, { newOwnerId, newName });
    else await moveRepository(db, context, repository, { owner: { id: newOwnerId, kind }, newName });
  });
  return found.databaseId;
}

async function offerRepository(
  db: Kysely<unknown>,
  { actor, now }: Pick<Context, 'actor' | 'now'>,
  repository: LockedRepository,
  { newOwnerId, newName }: Transfer,
): Promise<void> {
  await assertTransferable(db, repository, newOwnerId);
  const requesterId = actor.kind === 'user' ? actor.accountId : null;
  const expiresAt = new Date(now().getTime() + offerLifetimeMs);
  // An offer to someone else is another one: its id was shown to the first receiver.
  await sql`delete from repository_transfer where repository_id = ${repository.id}`.execute(db);
  await sql`
    insert into repository_transfer (repository_id, new_owner_id, requester_id, new_name, requested_at, expires_at)
    values (${repository.id}, ${newOwnerId}, ${requesterId}, ${newName}, ${now()}, ${expiresAt})`.execute(db);
}

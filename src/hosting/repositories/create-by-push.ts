import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { PushContext, PushRequest, PushResult } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import { createInTransaction, type NewRepository, newRepositoryId } from './create-repository.ts';

/**
 * Creates a validated repository with the refs and objects of a push, in one transaction. Returns its id.
 *
 * @throws 409 when rules of the owner refuse the push; 422 when the name is taken
 */
export async function createByPush(
  context: Context,
  ownerId: number,
  settings: NewRepository,
  content: Pick<PushRequest, 'updates' | 'objects' | 'store'>,
): Promise<number> {
  const [{ id } = { id: 0 }] = await context.read(sql<{ id: number }>`select ${newRepositoryId}::bigint as id`);
  const creating = createdWith(context, db => createInTransaction(db, context, ownerId, { ...settings, id }));
  const request = { repositoryId: id, ...pusherFor(context, { ownerId }), ...content };
  assertPushed(await translateGitErrors(() => push(creating, request)));
  return id;
}

/** A context whose push creates its repository in the same transaction; nothing is kept of a push that is not accepted. */
function createdWith(context: Context, create: (db: Kysely<unknown>) => Promise<unknown>): PushContext {
  const { read, workBudget, now, publicOrigin, deadline } = context;
  const transaction: PushContext['transaction'] = work =>
    context.transaction(async db => {
      await create(db);
      const result = await work(db);
      assertPushed(result as PushResult);
      return result;
    });
  return { read, workBudget, now, publicOrigin, deadline, transaction };
}

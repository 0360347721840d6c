import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { recordRepositoryEvent } from './repository-events.ts';

/**
 * Makes a repository public or private. Idempotent.
 *
 * @throws 422 when a fork would become public while its parent or root is private.
 */
export async function setVisibility(
  db: Kysely<unknown>,
  context: Context,
  repositoryId: number,
  isPrivate: boolean,
): Promise<void> {
  const at = context.now();
  if (!isPrivate) {
    const shut = await sql`select 1 from repository r join repository above
      on above.id = r.parent_id or above.id = r.network_root_id where r.id = ${repositoryId} and above.is_private
      for share of above`.execute(db);
    if (shut.rows.length > 0) throw validationFailed([forkOfPrivate]);
  }
  const changed = await sql`update repository set is_private = ${isPrivate}, updated_at = ${at}
    where id = ${repositoryId} and is_private <> ${isPrivate}`.execute(db);
  if (changed.numAffectedRows !== 1n) return;
  await recordRepositoryEvent(db, context, repositoryId, isPrivate ? 'privatized' : 'publicized');
  if (isPrivate) return;
  const by = eventActor(context.actor);
  await recordEvents(db, { repositoryId, by, at }, [{ type: 'PublicEvent', facts: {} }]);
  await recordHookEvent(db, { ...eventMetadata(context), event: 'public', repositoryId });
}

const forkOfPrivate = {
  resource: 'Repository',
  field: 'visibility',
  code: 'custom',
  message: 'A fork of a private repository cannot be public.',
} as const;

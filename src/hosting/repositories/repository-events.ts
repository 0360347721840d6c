import type { Kysely } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { HookEvent } from '../webhooks/hook-event.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';

/** Records a webhook event `repository`. */
export async function recordRepositoryEvent(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  repositoryId: number,
  action: 'created' | 'edited' | 'renamed' | 'archived' | 'unarchived' | 'publicized' | 'privatized' | 'transferred',
  own: NonNullable<HookEvent['own']> = {},
  objects: NonNullable<HookEvent['objects']> = {},
): Promise<void> {
  await recordHookEvent(db, { ...eventMetadata(context), event: 'repository', action, repositoryId, own, objects });
}

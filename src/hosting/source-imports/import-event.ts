import type { Kysely } from 'kysely';
import { recordHookEvent } from '../webhooks/record-hook-event.ts';

/** Records the webhook event for the end of an import, in the caller's transaction. */
export async function recordImportEvent(
  db: Kysely<unknown>,
  { repositoryId, accountId }: { repositoryId: number; accountId: number | null },
  status: 'success' | 'cancelled' | 'failure',
  at: Date,
): Promise<void> {
  const senderId = accountId ?? undefined;
  await recordHookEvent(db, { event: 'repository_import', repositoryId, senderId, own: { status }, at });
}

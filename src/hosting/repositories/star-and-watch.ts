import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { recordEvents } from '../events/record-events.ts';
import { formatPayloadTime } from '../webhooks/payload-time.ts';
import { recordHookEvent } from '../webhooks/record-hook-event.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Stars or unstars a repository. Idempotent. */
export async function setStarred(context: Context, address: RepositoryAddress, starred: boolean): Promise<OwnedRow> {
  const repository = await requireReadable(context, address);
  const { databaseId: repositoryId } = repository;
  const { accountId } = callingUser(context.actor);
  await context.transaction(async db => {
    const at = context.now();
    const changed = starred
      ? await sql`insert into star (account_id, repository_id, starred_at)
          values (${accountId}, ${repositoryId}, ${at}) on conflict do nothing returning account_id`.execute(db)
      : await sql`delete from star where account_id = ${accountId} and repository_id = ${repositoryId}
          returning account_id`.execute(db);
    if (changed.rows.length === 0) return;
    const event = { repositoryId, senderId: accountId, at };
    const own = { starred_at: starred ? formatPayloadTime(at) : null };
    await recordHookEvent(db, { ...event, event: 'star', action: starred ? 'created' : 'deleted', own });
    if (starred) await recordEvents(db, { repositoryId, by: { accountId }, at }, [{ type: 'WatchEvent', facts: {} }]);
    // As published: starring sends the event `watch`; watching sends none.
    if (starred) await recordHookEvent(db, { ...event, event: 'watch', action: 'started' });
  });
  return repository;
}

/** Watches or unwatches a repository. Idempotent. */
export async function setWatched(context: Context, address: RepositoryAddress, watched: boolean): Promise<OwnedRow> {
  const repository = await requireReadable(context, address);
  const { databaseId: repositoryId } = repository;
  const { accountId } = callingUser(context.actor);
  await context.transaction(async db => {
    if (!watched) {
      await sql`delete from watch where account_id = ${accountId} and repository_id = ${repositoryId}`.execute(db);
      return;
    }
    await sql`insert into watch (account_id, repository_id, watched_at)
      values (${accountId}, ${repositoryId}, ${context.now()}) on conflict do nothing`.execute(db);
  });
  return repository;
}

async function requireReadable(context: Context, address: RepositoryAddress): Promise<OwnedRow> {
  const found = await repositoryFor(context, address, 'metadata:read');
  if (!found) throw notFound();
  return found;
}

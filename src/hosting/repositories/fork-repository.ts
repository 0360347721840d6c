import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { copyAtOnce, copyJob, isLongCopy } from './copy-git-data.ts';
import { admitCreator, insertRepository, requireOwnerId } from './create-repository.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';
import { nameProblems } from './repository-name.ts';

export interface NewFork {
  /** Account that owns the fork; the caller when omitted. */
  ownerId?: number | null | undefined;
  /** Name of the fork; the parent's name when omitted. */
  name?: string | null | undefined;
}

const forkToOwnOwner = {
  resource: 'Repository',
  field: 'owner',
  code: 'custom',
  message: 'A repository cannot be forked to its own owner.',
} as const;

/**
 * Forks a repository with all its git data for the caller or an organization. The fork has the visibility and the
 * network of its parent. The data of a large repository are copied by a job; until then the fork is empty and takes no pushes. Returns
 * the id of the existing fork if the owner has one.
 */
export async function forkRepository(context: Context, address: RepositoryAddress, input: NewFork): Promise<number> {
  const wanted = new Map(['description', 'homepageUrl', 'topics'].map(name => [name, new Map()]));
  const parent = await repositoryFor(context, address, 'contents:read', wanted);
  if (!parent) throw notFound();
  const { databaseId: parentId, isPrivate, description, homepageUrl, defaultBranch, topics } = parent;
  const name = input.name ?? parent.name;
  const problems = nameProblems(name);
  if (problems.length > 0) throw validationFailed(problems);
  const owner = await requireOwnerId(context, { ownerId: input.ownerId, isPrivate });
  if (owner === parent.ownerId) throw validationFailed([forkToOwnOwner]);
  const at = context.now();
  const isLong = await isLongCopy(context.read, parentId);
  return context.transaction(async db => {
    // Concurrent forks by one owner are serialized, because neither would see the other. An advisory lock instead of a
    // row lock on the parent: pushes update that row, and copying can take seconds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`fork of ${parentId} by ${owner}`}, 0))`.execute(db);
    const before = await sql<{ id: number; isCopying: boolean }>`
      select id, is_copying as "isCopying" from repository where parent_id = ${parentId} and owner_id = ${owner} order by id limit 1`.execute(
      db,
    );
    const [existing] = before.rows;
    if (existing) {
      // The job may have failed too often.
      if (existing.isCopying) await enqueueCopy(db, existing.id);
      return existing.id;
    }
    const facts = { name, description, homepageUrl, isPrivate, defaultBranch, topics };
    const forkeeId = await insertRepository(db, owner, facts, at);
    const linked =
      await sql`update repository f set parent_id = r.id, network_root_id = coalesce(r.network_root_id, r.id),
      is_private = r.is_private, is_copying = ${isLong}, primary_language_name = r.primary_language_name, stored_bytes = ${sql.raw(storedBytesSql)}, pushed_at = ${sql.raw(pushedAtSql)}
      from repository r where f.id = ${forkeeId} and r.id = ${parentId} returning f.id`.execute(db);
    // The parent was deleted meanwhile.
    if (linked.rows.length === 0) throw notFound();
    await admitCreator(db, context, { repositoryId: forkeeId, ownerId: owner });
    if (isLong) await enqueueCopy(db, forkeeId);
    else await copyAtOnce(db, parentId, forkeeId);
    const by = eventActor(context.actor);
    await recordEvents(db, { repositoryId: parentId, by, at }, [{ type: 'ForkEvent', facts: { forkeeId } }]);
    await recordRepositoryEvent(db, context, forkeeId, 'created');
    const objects = { forkee: forkeeId };
    await recordHookEvent(db, { ...eventMetadata(context), event: 'fork', repositoryId: parentId, objects });
    return forkeeId;
  });
}

const enqueueCopy = (db: Kysely<unknown>, repositoryId: number): Promise<void> =>
  enqueue(db, copyJob, { repositoryId }, { singletonKey: `${repositoryId}` });

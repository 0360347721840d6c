import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { setStatementTimeout } from '../../db/statement-timeout.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
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

/** Statement timeout for copying, in milliseconds. Longer than for other statements, because it copies all objects. */
const copyTimeoutMs = 300_000;

const forkToOwnOwner = {
  resource: 'Repository',
  field: 'owner',
  code: 'custom',
  message: 'A repository cannot be forked to its own owner.',
} as const;

/**
 * Forks a repository with all its git data for the caller or an organization. The fork has the visibility and the
 * network of its parent. Returns the id of the existing fork if the owner has one.
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
  return context.transaction(async db => {
    // Concurrent forks by one owner are serialized, because neither would see the other. An advisory lock instead of a
    // row lock on the parent: pushes update that row, and copying can take minutes.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`fork of ${parentId} by ${owner}`}, 0))`.execute(db);
    const before = await sql<{ id: number }>`
      select id from repository where parent_id = ${parentId} and owner_id = ${owner} order by id limit 1`.execute(db);
    if (before.rows[0]) return before.rows[0].id;
    const facts = { name, description, homepageUrl, isPrivate, defaultBranch, topics };
    const forkeeId = await insertRepository(db, owner, facts, at);
    const linked =
      await sql`update repository f set parent_id = r.id, network_root_id = coalesce(r.network_root_id, r.id),
      is_private = r.is_private, primary_language_name = r.primary_language_name, stored_bytes = ${sql.raw(storedBytesSql)}, pushed_at = ${sql.raw(pushedAtSql)}
      from repository r where f.id = ${forkeeId} and r.id = ${parentId} returning f.id`.execute(db);
    // The parent was deleted meanwhile.
    if (linked.rows.length === 0) throw notFound();
    await admitCreator(db, context, { repositoryId: forkeeId, ownerId: owner });
    await copyGit(db, parentId, forkeeId);
    const by = eventActor(context.actor);
    await recordEvents(db, { repositoryId: parentId, by, at }, [{ type: 'ForkEvent', facts: { forkeeId } }]);
    await recordRepositoryEvent(db, context, forkeeId, 'created');
    const objects = { forkee: forkeeId };
    await recordHookEvent(db, { ...eventMetadata(context), event: 'fork', repositoryId: parentId, objects });
    return forkeeId;
  });
}

/** One statement for all objects and refs, so that a concurrent push is copied completely or not at all. */
async function copyGit(db: Kysely<unknown>, from: number, to: number): Promise<void> {
  await setStatementTimeout(db, copyTimeoutMs);
  // Chunks of large blobs have ids of their own in each repository.
  const own = sql`md5(chunks::text || '/' || ${to}::bigint::text)::uuid`;
  await sql`
    with objects as (
      insert into git_object (repository_id, oid, type, size, sha256, stored_at, links, committed_at, z, chunks,
        delta, delta_base, delta_size)
      select ${to}::bigint, oid, type, size, sha256, stored_at, links, committed_at, z, ${own},
        delta, delta_base, delta_size
      from git_object where repository_id = ${from}),
    pieces as (
      insert into git_chunk (chunks, position, repository_id, z)
      select ${own}, position, ${to}::bigint, z from git_chunk where repository_id = ${from}),
    segments as (
      insert into git_commit_segment (repository_id, number, size, oldest, newest, commits, details)
      select ${to}::bigint, number, size, oldest, newest, commits, details
      from git_commit_segment where repository_id = ${from}),
    unindexed as (
      insert into git_unindexed_commit (repository_id, committed_at, oid)
      select ${to}::bigint, committed_at, oid from git_unindexed_commit where repository_id = ${from}),
    repacked as (
      insert into git_maintenance (repository_id, repacked_at, repacked_bytes)
      select ${to}::bigint, repacked_at, repacked_bytes from git_maintenance where repository_id = ${from})
    insert into git_ref (repository_id, name, oid)
    select ${to}::bigint, name, oid from git_ref where repository_id = ${from}`.execute(db);
}

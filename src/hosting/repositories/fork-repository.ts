import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { eventActor, recordEvents } from '../events/record-events.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import { insertRepository, requireOwnerId } from './create-repository.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';
import { nameProblems } from './repository-name.ts';

export interface NewFork {
  /** Login of who shall own it; the caller when left out. */
  owner?: string | null | undefined;
  /** That of the parent when left out. */
  name?: string | null | undefined;
}

/** Milliseconds that copying may take: more than other statements, for it is all objects of a repository. */
const copyTimeoutMs = 300_000;

const forkToOwnOwner = {
  resource: 'Repository',
  field: 'owner',
  code: 'custom',
  message: 'A repository cannot be forked to its own owner.',
} as const;

/**
 * Copies a repository, with everything in it, for the caller or an organization. The copy is as private as its parent and goes back to
 * the same first repository. An owner who has a fork of it already is given that one.
 */
export async function forkRepository(context: Context, address: RepositoryAddress, input: NewFork): Promise<number> {
  const wanted = new Map(['description', 'homepage', 'topics'].map(name => [name, new Map()]));
  const parent = await repositoryFor(context, address, 'contents:read', wanted);
  if (!parent) throw notFound();
  const { databaseId: parentId, isPrivate, description, homepage, defaultBranch, topics } = parent;
  const name = input.name ?? parent.name;
  const problems = nameProblems(name);
  if (problems.length > 0) throw validationFailed(problems);
  const owner = await requireOwnerId(context, { owner: input.owner, isPrivate });
  if (owner === parent.ownerId) throw validationFailed([forkToOwnOwner]);
  const at = context.now();
  return context.transaction(async db => {
    // Forks by one owner are made one after the other: two would not see each other. The row of the parent is not locked for
    // it: pushes write that, and copying may take minutes.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`fork of ${parentId} by ${owner}`}, 0))`.execute(db);
    const before = await sql<{ id: number }>`
      select id from repository where parent_id = ${parentId} and owner_id = ${owner} order by id limit 1`.execute(db);
    if (before.rows[0]) return before.rows[0].id;
    const facts = { name, description, homepage, isPrivate, defaultBranch, topics };
    const forkeeId = await insertRepository(db, owner, facts, at);
    await sql`update repository f set parent_id = r.id, network_root_id = coalesce(r.network_root_id, r.id),
      is_private = r.is_private, stored_bytes = ${sql.raw(storedBytesSql)}, pushed_at = ${sql.raw(pushedAtSql)}
      from repository r where f.id = ${forkeeId} and r.id = ${parentId}`.execute(db);
    await copyGit(db, parentId, forkeeId);
    const by = eventActor(context.actor);
    await recordEvents(db, { repositoryId: parentId, by, at }, [{ type: 'ForkEvent', facts: { forkeeId } }]);
    await recordRepositoryEvent(db, context, forkeeId, 'created');
    const objects = { forkee: forkeeId };
    await recordHookEvent(db, { ...eventMetadata(context), event: 'fork', repositoryId: parentId, objects });
    return forkeeId;
  });
}

/** All objects and refs in one statement, so that a push to the parent meanwhile is in the copy wholly or not at all. */
async function copyGit(db: Kysely<unknown>, from: number, to: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${copyTimeoutMs}`}, true)`.execute(db);
  // Chunks of a large blob are found by a number of their own, which each copy needs for itself.
  const own = sql`md5(chunks::text || '/' || ${to}::bigint::text)::uuid`;
  await sql`
    with objects as (
      insert into git_object (repository_id, oid, type, size, sha256, stored_at, links, committed_at, z, chunks)
      select ${to}::bigint, oid, type, size, sha256, stored_at, links, committed_at, z, ${own}
      from git_object where repository_id = ${from}),
    pieces as (
      insert into git_chunk (chunks, position, repository_id, z)
      select ${own}, position, ${to}::bigint, z from git_chunk where repository_id = ${from})
    insert into git_ref (repository_id, name, oid)
    select ${to}::bigint, name, oid from git_ref where repository_id = ${from}`.execute(db);
}

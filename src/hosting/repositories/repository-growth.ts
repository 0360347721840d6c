import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fixedStatement } from '../../db/fixed-statement.ts';

/**
 * The parts of a statement that note by how much a repository grew: by `bytes` of the part `brought`, and that something was
 * pushed to it where `pushedAt` is a time.
 *
 * The row of the repository is one for all its writers: where each waited for it until the others had committed, 16 of them on
 * branches of their own made 122 commits a second instead of 320. So whoever finds it free writes into it, and what others have
 * left beside it meanwhile; who does not, leaves a row beside it. Readers add both up, see `grownBytes` and `lastPush`. It is
 * locked behind everything that may wait. Who commits later may have begun earlier: greatest() leaves NULL out.
 */
export const growthNoted = ({
  repositoryId,
  pushedAt,
}: {
  repositoryId: number;
  pushedAt: string | null;
}): RawBuilder<unknown> => sql`
  free as materialized (select r.id, brought.bytes from brought, repository r where r.id = ${repositoryId}
    for no key update of r skip locked),
  left_over as (delete from repository_growth g using free where g.repository_id = free.id returning g.bytes, g.pushed_at),
  written as (
    update repository r set
      stored_bytes = r.stored_bytes + free.bytes + coalesce((select sum(bytes)::bigint from left_over), 0),
      pushed_at = greatest(r.pushed_at, ${pushedAt}::timestamptz, (select max(pushed_at) from left_over))
    from free where r.id = free.id),
  left_behind as (
    insert into repository_growth (repository_id, bytes, pushed_at)
    select ${repositoryId}::bigint, bytes, ${pushedAt}::timestamptz from brought where not exists (select 1 from free))`;

interface Growth {
  repositoryId: number;
  bytes: number;
  pushedAt: string | null;
}

const noting = fixedStatement<Growth, unknown>(
  ['repositoryId', 'bytes', 'pushedAt'],
  v => sql`with brought as (select ${v.bytes}::bigint as bytes), ${growthNoted(v)} select 1`,
);

/** Notes that a repository grew by so many bytes of objects, and with `pushedAt` that something was pushed to it. */
export async function noteGrowth(
  db: Kysely<unknown>,
  { repositoryId, bytes, pushedAt }: { repositoryId: number; bytes: number; pushedAt?: Date },
): Promise<void> {
  if (bytes === 0 && !pushedAt) return;
  await noting({ repositoryId, bytes, pushedAt: pushedAt?.toISOString() ?? null }).execute(db);
}

/** Bytes of all objects of the repository `r` of a statement. */
export const grownBytes = `(r.stored_bytes + coalesce((select sum(g.bytes)::bigint from repository_growth g
  where g.repository_id = r.id), 0))`;

/** When something was last pushed to the repository `r` of a statement. */
export const lastPush = `greatest(r.pushed_at, (select max(g.pushed_at) from repository_growth g where g.repository_id = r.id))`;

/** The same counted anew: after an import, when what one that was interrupted had stored counts as well. */
export async function countGrowth(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`
    with left_over as (delete from repository_growth where repository_id = ${repositoryId} returning pushed_at)
    update repository set stored_bytes = (select coalesce(sum(size), 0) from git_object where repository_id = ${repositoryId}),
      pushed_at = greatest(pushed_at, (select max(pushed_at) from left_over))
    where id = ${repositoryId}`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Notes that a repository grew by so many bytes of objects, and with `pushedAt` that something was pushed to it.
 *
 * The row of the repository is one for all its writers: where each waited for it until the others had committed, 16 of them on
 * branches of their own made 122 commits a second instead of 320. So whoever finds it free writes into it, and what others have
 * left beside it meanwhile; who does not, leaves a row beside it. Readers add both up, see `grownBytes` and `lastPush`.
 */
export async function noteGrowth(
  db: Kysely<unknown>,
  { repositoryId, bytes, pushedAt }: { repositoryId: number; bytes: number; pushedAt?: Date },
): Promise<void> {
  if (bytes === 0 && !pushedAt) return;
  const at = sql`${pushedAt?.toISOString() ?? null}::timestamptz`;
  // Who commits later may have begun earlier: greatest() leaves NULL out.
  await sql`
    with free as materialized (select id from repository where id = ${repositoryId} for no key update skip locked),
      left_over as (delete from repository_growth g using free where g.repository_id = free.id returning g.bytes, g.pushed_at),
      written as (
        update repository r set
          stored_bytes = r.stored_bytes + ${bytes}::bigint + coalesce((select sum(bytes)::bigint from left_over), 0),
          pushed_at = greatest(r.pushed_at, ${at}, (select max(pushed_at) from left_over))
        from free where r.id = free.id)
    insert into repository_growth (repository_id, bytes, pushed_at)
    select ${repositoryId}::bigint, ${bytes}::bigint, ${at} where not exists (select 1 from free)`.execute(db);
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

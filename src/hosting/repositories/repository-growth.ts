import { type Kysely, type RawBuilder, sql } from 'kysely';
import { compiledStatement } from '../../db/compiled-statement.ts';

/** Rows beside a repository from which on they are added to it. */
const maxGrowthRows = 16;

interface Growth {
  repositoryId: number;
  pushedAt: string | null;
}

/**
 * The parts of a statement that note by how much a repository grew: by `bytes` of the part `brought`, and that something was
 * pushed to it where `pushedAt` is a time. `beside` counts the rows that were there before: see `foldGrowth`.
 *
 * The row of the repository is one for all its writers: where each waited for it until the others had committed, 16 of them on
 * branches of their own made 122 commits a second instead of 320. Where each took it if it was free, by the same statement that
 * stores objects, two of them waited for each other in a circle once in some ten thousand: SKIP LOCKED does wait where a row
 * was updated since the statement began. So each leaves a row beside it. Readers add up, see `grownBytes` and `lastPush`.
 */
export const insertGrowthParts = ({ repositoryId, pushedAt }: Growth): RawBuilder<unknown> => sql`
  left_beside as (insert into repository_growth (repository_id, bytes, pushed_at)
    select ${repositoryId}::bigint, bytes, ${pushedAt}::timestamptz from brought),
  beside as (select count(*)::int as count from repository_growth where repository_id = ${repositoryId})`;

const insertGrowthStatement = compiledStatement<Growth & { bytes: number }, { beside: number }>(
  ['repositoryId', 'bytes', 'pushedAt'],
  v =>
    sql`with brought as (select ${v.bytes}::bigint as bytes), ${insertGrowthParts(v)} select count as beside from beside`,
);

/** Notes that a repository grew by so many bytes of objects, and with `pushedAt` that something was pushed to it. */
export async function recordGrowth(
  db: Kysely<unknown>,
  { repositoryId, bytes, pushedAt }: { repositoryId: number; bytes: number; pushedAt?: Date },
): Promise<void> {
  if (bytes === 0 && !pushedAt) return;
  const values = { repositoryId, bytes, pushedAt: pushedAt?.toISOString() ?? null };
  const [noted] = (await insertGrowthStatement(values).execute(db)).rows;
  await foldGrowth(db, repositoryId, noted?.beside ?? 0);
}

const foldGrowthStatement = compiledStatement<{ repositoryId: number }, unknown>(
  ['repositoryId'],
  v => sql`
    with free as materialized (select id from repository where id = ${v.repositoryId} for no key update skip locked),
      left_over as (delete from repository_growth g using free where g.repository_id = free.id returning g.bytes, g.pushed_at)
    update repository r set
      stored_bytes = r.stored_bytes + coalesce((select sum(bytes)::bigint from left_over), 0),
      pushed_at = greatest(r.pushed_at, (select max(pushed_at) from left_over))
    from free where r.id = free.id`,
);

/** Adds to a repository what stands beside it, once that is many rows and unless somebody else is writing it. */
export async function foldGrowth(db: Kysely<unknown>, repositoryId: number, rowCount: number): Promise<void> {
  if (rowCount >= maxGrowthRows) await foldGrowthStatement({ repositoryId }).execute(db);
}

/** Bytes of all objects of the repository `r` of a statement. */
export const storedBytesSql = `(r.stored_bytes + coalesce((select sum(g.bytes)::bigint from repository_growth g
  where g.repository_id = r.id), 0))`;

/** When something was last pushed to the repository `r` of a statement. */
export const pushedAtSql = `greatest(r.pushed_at, (select max(g.pushed_at) from repository_growth g where g.repository_id = r.id))`;

/** The same counted anew: after an import, when what one that was interrupted had stored counts as well. */
export async function recountStoredBytes(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`
    with left_over as (delete from repository_growth where repository_id = ${repositoryId} returning pushed_at)
    update repository set stored_bytes = (select coalesce(sum(size), 0) from git_object where repository_id = ${repositoryId}),
      pushed_at = greatest(pushed_at, (select max(pushed_at) from left_over))
    where id = ${repositoryId}`.execute(db);
}

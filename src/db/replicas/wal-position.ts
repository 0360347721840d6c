import type pg from 'pg';

/** Receives a position that the WAL of the primary had reached when a statement or a commit had ended, in bytes. */
export type OnPosition = (position: number) => void | Promise<void>;

/**
 * The end of all WAL of the primary so far, in bytes; 0 on a standby. The position of insertions and not of flushes, because with
 * `synchronous_commit = off` a commit that was reported is not flushed yet.
 */
export const insertPosition =
  "case when pg_is_in_recovery() then 0 else pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') end as position";

/** Named, so that a connection parses it once. */
export const positionQuery: pg.QueryConfig = { name: 'wal_position', text: `select ${insertPosition}` };

/** Commits and reads the position after the commit in one message. Its results: see `commitResult`. */
export const commitWithPosition = `commit; select ${insertPosition}`;

/** The outcome of `commit` or of `commitWithPosition`, for which `pg` returns an array of results. */
export function commitResult(sent: pg.QueryResult): { command: string; position: number | undefined } {
  const [commit, position] = [sent].flat() as (pg.QueryResult | undefined)[];
  return { command: commit?.command ?? '', position: position && positionOf(position) };
}

export function positionOf({ rows: [row] }: pg.QueryResult): number | undefined {
  const position = endOfRecord(Number(row?.position));
  return position > 0 ? position : undefined;
}

const pageBytes = 8192;
/** Of the first page of a segment, and of any other. */
const pageHeaderBytes = [40, 24];

/**
 * The position at which a replica has replayed everything before `position`. Where a record ends with its page, PostgreSQL reports
 * insertions to continue behind the header of the next page, and replay to have reached the end of this one.
 */
export function endOfRecord(position: number): number {
  const offset = position % pageBytes;
  return pageHeaderBytes.includes(offset) ? position - offset : position;
}

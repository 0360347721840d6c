import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { jobsSchema } from '../jobs/jobs-database.ts';
import { BackupWriter } from './backup-file.ts';
import { columnsOf, executedMigrations, quoted } from './catalog.ts';

/** Counts of a backup. */
export interface BackupResult {
  tables: number;
  rows: number;
  /** Of the file. */
  bytes: number;
}

interface WriteOptions {
  client: pg.Client;
  /** Opens a further session of the same database. Absent: tables are read one after the other. */
  connect?: () => Promise<pg.Client>;
  path: string;
  /** What to encrypt the file with; undefined for one that is not encrypted. */
  backupKey?: string | undefined;
  secretCheck: string;
  now: Date;
  /** Bytes of a table, on the disk of the server, that one reader reads; larger tables are read in parts. 64 MB by default. */
  partBytes?: number;
  /** Ends the backup, and deletes what was written. */
  signal?: AbortSignal;
}

/** Sessions that read tables at the same time. Each takes a core of the server, and compression takes those of this process. */
const readers = 4;
const defaultPartBytes = 64 * 1024 * 1024;

const beginSnapshot = 'begin transaction isolation level repeatable read, read only';

/**
 * Writes all rows of one snapshot, while others write. Jobs that have ended are left out.
 * @throws BackupFileError when `path` exists; Error of the file system, such as an existing `<path>.partial` of a backup that is being
 * written; the reason of the signal
 */
export async function writeBackup(options: WriteOptions): Promise<BackupResult> {
  const { client, path, backupKey, secretCheck, now, partBytes = defaultPartBytes, signal } = options;
  signal?.throwIfAborted();
  const sessions = [client];
  const writer = await BackupWriter.create(path, backupKey);
  // A statement that runs ends with its connection.
  const cutOff = (): void => {
    for (const { connection } of sessions as (pg.Client & Connected)[]) connection.stream.destroy();
  };
  signal?.addEventListener('abort', cutOff, { once: true });
  try {
    await client.query(beginSnapshot);
    const server = await client.query<{ version: string; snapshot: string }>(
      `select current_setting('server_version') as version, pg_export_snapshot() as snapshot`,
    );
    await writer.record({
      kind: 'header',
      format: 1,
      at: now.toISOString(),
      postgres: server.rows[0]?.version ?? '',
      migrations: await executedMigrations(client),
      secretCheck,
    });
    for (const partition of await partitions(client)) await writer.record({ kind: 'partition', ...partition });
    const tables = await tablesOf(client);
    const parts = [...tables.flatMap(table => partsOf(table, partBytes)), await waitingJobs(client)];
    for (let more = Math.min(readers, parts.length) - 1; options.connect && more > 0; more--)
      sessions.push(await joinSnapshot(options.connect, server.rows[0]?.snapshot ?? ''));
    signal?.throwIfAborted();
    let rows = 0;
    const next = parts.values();
    await Promise.all(
      sessions.map(async session => {
        for (const part of next) {
          const count = await writeRows(session, writer, part);
          rows += count;
        }
      }),
    );
    for (const sequence of await sequences(client)) await writer.record({ kind: 'sequence', ...sequence });
    await writer.record({ kind: 'end', rows });
    await client.query('commit');
    signal?.throwIfAborted();
    await writer.finish();
    return { tables: tables.length, rows, bytes: writer.bytes };
  } catch (error) {
    await writer.abort();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cutOff);
    await Promise.all(sessions.slice(1).map(session => session.end().catch(() => {})));
  }
}

/** The connection of a client, which is not in the types. */
interface Connected {
  connection: { stream: Duplex };
}

/** A session that sees the same rows. */
async function joinSnapshot(connect: () => Promise<pg.Client>, snapshot: string): Promise<pg.Client> {
  const session = await connect();
  await session.query(beginSnapshot);
  await session.query(`set transaction snapshot ${session.escapeLiteral(snapshot)}`);
  return session;
}

interface RowSource {
  schema: string;
  table: string;
  columns: string[];
  /** Condition of the rows; all when absent. */
  where?: string;
}

async function writeRows(client: pg.Client, writer: BackupWriter, source: RowSource): Promise<number> {
  const { schema, table, columns, where = 'true' } = source;
  const name = `${quoted(schema)}.${quoted(table)}`;
  // A query and not the table: COPY of a partitioned table is empty.
  const rows = client.query(
    copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${name} where ${where}) to stdout`),
  );
  await writer.rows({ kind: 'rows', schema, table, columns }, rows);
  return rows.rowCount;
}

interface BackupTable {
  table: string;
  columns: string[];
  /** Pages of its rows; 0 for a partitioned one. */
  pages: number;
  /** With what is stored beside the rows. */
  bytes: number;
}

/** A large table by ranges of pages, of which the last one has no end. */
function partsOf({ table, columns, pages, bytes }: BackupTable, partBytes: number): RowSource[] {
  const count = Math.max(1, Math.min(pages, Math.ceil(bytes / partBytes)));
  return Array.from({ length: count }, (_, at): RowSource => {
    const [from, to] = [at, at + 1].map(part => Math.floor((pages * part) / count));
    const isLast = at === count - 1;
    const where = `ctid >= '(${from},0)'${isLast ? '' : ` and ctid < '(${to},0)'`}`;
    return { schema: 'public', table, columns, ...(count > 1 ? { where } : {}) };
  });
}

/** Tables that hold rows of their own, and those whose partitions do. */
async function tablesOf(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<{ table: string; pages: string; bytes: string }>(`
    select c.relname as table, pg_table_size(c.oid) as bytes,
      case c.relkind when 'r' then pg_relation_size(c.oid) / current_setting('block_size')::int else 0 end as pages
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'mikro_orm_migrations' order by 1`);
  const tables = [];
  for (const { table, pages, bytes } of rows)
    tables.push({
      table,
      columns: await columnsOf(client, 'public', table),
      pages: Number(pages),
      bytes: Number(bytes),
    });
  return tables;
}

/** Jobs that wait, are tried again or run. */
async function waitingJobs(client: pg.Client): Promise<RowSource> {
  return {
    schema: jobsSchema,
    table: 'job',
    columns: await columnsOf(client, jobsSchema, 'job'),
    where: `state in ('created', 'retry', 'active')`,
  };
}

/** Parents come before their children. */
async function partitions(client: pg.Client): Promise<{ parent: string; name: string; bound: string }[]> {
  const { rows } = await client.query<{ parent: string; name: string; bound: string }>(`
    select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by c.oid`);
  return rows;
}

async function sequences(client: pg.Client): Promise<{ name: string; value: string; isCalled: boolean }[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace and c.relname !~ '^mikro_orm_' order by 1`);
  const values = [];
  for (const { name } of rows) {
    // Not `pg_sequences`: it has no `is_called`.
    const found = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from public.${quoted(name)}`,
    );
    if (found.rows[0]) values.push({ name, ...found.rows[0] });
  }
  return values;
}

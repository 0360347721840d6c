import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { jobsSchema } from '../jobs/jobs-database.ts';
import { BackupWriter } from './backup-file.ts';
import { columnsOf, executedMigrations, quoted } from './catalog.ts';

/** Counts of a backup. */
export interface BackupResult {
  tables: number;
  rows: number;
}

interface WriteOptions {
  client: pg.Client;
  path: string;
  /** What to encrypt the file with; undefined for one that is not encrypted. */
  backupKey?: string | undefined;
  secretCheck: string;
  now: Date;
}

/**
 * Writes all rows of one snapshot, while others write. Jobs that have ended are left out. @throws Error of the file system, such as an
 * existing `<path>.partial` of a backup that is being written
 */
export async function writeBackup({ client, path, backupKey, secretCheck, now }: WriteOptions): Promise<BackupResult> {
  const writer = await BackupWriter.create(path, backupKey);
  try {
    await client.query('begin transaction isolation level repeatable read, read only');
    const server = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
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
    let rows = 0;
    for (const { table, columns } of tables)
      rows += await writeRows(client, writer, { schema: 'public', table, columns });
    rows += await writeRows(client, writer, await waitingJobs(client));
    for (const sequence of await sequences(client)) await writer.record({ kind: 'sequence', ...sequence });
    await writer.record({ kind: 'end', rows });
    await client.query('commit');
    await writer.finish();
    return { tables: tables.length, rows };
  } catch (error) {
    await writer.abort();
    throw error;
  }
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
  await writer.record({ kind: 'rows', schema, table, columns });
  const name = `${quoted(schema)}.${quoted(table)}`;
  // A query and not the table: COPY of a partitioned table is empty.
  const rows = client.query(
    copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${name} where ${where}) to stdout`),
  );
  await writer.rows(rows);
  return rows.rowCount;
}

/** Tables that hold rows of their own, and those whose partitions do. */
async function tablesOf(client: pg.Client): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await client.query<{ table: string }>(`
    select c.relname as table from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'mikro_orm_migrations' order by 1`);
  const tables = [];
  for (const { table } of rows) tables.push({ table, columns: await columnsOf(client, 'public', table) });
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

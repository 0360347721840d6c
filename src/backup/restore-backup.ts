import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { jobsSchema } from '../jobs/jobs-database.ts';
import { assertIntact, type BackupHeader, BackupReader, type BackupRecord } from './backup-file.ts';
import { BackupFileError } from './backup-file-error.ts';
import { quoted } from './catalog.ts';

/** The backup cannot be restored here. The message says why and what to do. */
export class RestoreRefusedError extends Error {}

interface RestoreOptions {
  path: string;
  /** Needed for a file that is encrypted. */
  backupKey: string | undefined;
  client: pg.Client;
  /** Names of the migrations of this version, in their order. */
  knownMigrations: readonly string[];
  /** Makes the tables of these migrations, in their order, and of the jobs, in an empty database. */
  prepare(migrations: readonly string[]): Promise<void>;
  /** Runs the migrations that the backup did not have. */
  finish(): Promise<void>;
}

/**
 * Restores a backup into an empty database: the tables as they were, their rows in one transaction, then the migrations that came later.
 * What fails is removed again. Triggers do not run, since their effects are rows of the backup.
 *
 * @throws RestoreRefusedError, BackupFileError
 */
export async function restoreBackup(options: RestoreOptions): Promise<{ header: BackupHeader; rows: number }> {
  const { client, path, backupKey } = options;
  await assertIntact(path, backupKey);
  const reader = await BackupReader.open(path, backupKey);
  const header = await reader.record();
  if (header?.kind !== 'header') throw new BackupFileError('The file is not a backup.');
  assertKnown(header, options.knownMigrations);
  await assertEmpty(client);
  try {
    await options.prepare(options.knownMigrations.filter(name => header.migrations.includes(name)));
    const rows = await loadRows(client, reader);
    await options.finish();
    await client.query('analyze');
    return { header, rows };
  } catch (error) {
    await client.query(
      `drop schema if exists ${quoted(jobsSchema)} cascade; drop schema public cascade; create schema public`,
    );
    throw error;
  }
}

function assertKnown({ format, migrations }: BackupHeader, known: readonly string[]): void {
  const unknown = migrations.find(name => !known.includes(name));
  if (format === 1 && unknown === undefined) return;
  const what = format === 1 ? `the migration ${unknown}` : `the format ${format}`;
  throw new RestoreRefusedError(
    `The backup is of a newer version of Portico: this one does not know ${what}. Restore it with that version.`,
  );
}

async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class c
     where c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relnamespace in (select oid from pg_namespace where nspname in ('public', $1))
     limit 1`,
    [jobsSchema],
  );
  if (!rows[0]) return;
  throw new RestoreRefusedError(
    `The database is not empty: it has ${rows[0].name}. Restore into a new database, or into a PORTICO_DATA folder that does not exist yet.`,
  );
}

async function loadRows(client: pg.Client, reader: BackupReader): Promise<number> {
  let rows = 0;
  await client.query('begin');
  try {
    await disableTriggers(client);
    // Some migrations insert rows, which the backup has as well.
    await truncateAll(client);
    for (;;) {
      const record = await reader.record();
      if (!record) throw new BackupFileError('The file ends too early.');
      if (record.kind === 'end') {
        if (record.rows !== rows) throw new BackupFileError(`The file has ${rows} rows and says ${record.rows}.`);
        break;
      }
      rows += await loadRecord(client, reader, record);
    }
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback');
    throw asMisfit(error);
  }
}

/** Of SQLSTATE: 22 is a value that its type refuses, 23 a constraint, 42 a table or column that does not exist. */
function asMisfit(error: unknown): unknown {
  const isMisfit = error instanceof pg.DatabaseError && /^(22|23|42)/.test(error.code ?? '');
  return isMisfit ? new BackupFileError(`The file does not fit its tables: ${error.message}.`) : error;
}

async function disableTriggers(client: pg.Client): Promise<void> {
  try {
    await client.query('set local session_replication_role = replica');
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw new RestoreRefusedError(
      'The database role may not switch triggers off. Restore as a superuser, or let one run: grant set on parameter ' +
        'session_replication_role to <role>.',
    );
  }
}

async function truncateAll(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'mikro_orm_migrations'`);
  if (rows.length > 0) await client.query(`truncate ${rows.map(({ name }) => `public.${quoted(name)}`).join(', ')}`);
}

/** Returns the number of rows. */
async function loadRecord(client: pg.Client, reader: BackupReader, record: BackupRecord): Promise<number> {
  switch (record.kind) {
    case 'partition':
      await client.query(
        `create table if not exists public.${quoted(record.name)} partition of public.${quoted(record.parent)} ${record.bound}`,
      );
      return 0;
    case 'sequence':
      await client.query('select setval($1::regclass, $2::bigint, $3)', [
        `public.${quoted(record.name)}`,
        record.value,
        record.isCalled,
      ]);
      return 0;
    case 'rows':
      return record.schema === jobsSchema ? loadJobs(client, reader, record) : copyRows(client, reader, record);
    default:
      throw new BackupFileError(`The file has an unknown record: ${record.kind}.`);
  }
}

type Rows = Extract<BackupRecord, { kind: 'rows' }>;

async function copyRows(client: pg.Client, reader: BackupReader, { schema, table, columns }: Rows): Promise<number> {
  const name = `${quoted(schema)}.${quoted(table)}`;
  const rows = client.query(copyFrom(`copy ${name} (${columns.map(quoted).join(', ')}) from stdin`));
  await pipeline(Readable.from(reader.rows(), { objectMode: false }), rows);
  return rows.rowCount;
}

/**
 * The tables of jobs are those of this version of pg-boss: columns that it no longer has are left out, as are jobs of queues that no
 * longer exist. A job that ran during the backup waits again.
 */
async function loadJobs(client: pg.Client, reader: BackupReader, record: Rows): Promise<number> {
  const texts = record.columns.map(column => `${quoted(column)} text`).join(', ');
  await client.query(`create temporary table if not exists restored_job (${texts}) on commit drop`);
  // Rows of a record before this one are in place.
  await client.query('truncate restored_job');
  const rows = await copyRows(client, reader, { ...record, schema: 'pg_temp', table: 'restored_job' });
  const { rows: types } = await client.query<{ name: string; type: string }>(
    'select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attnum > 0',
    [`${quoted(jobsSchema)}.job`],
  );
  const kept = types.filter(({ name }) => record.columns.includes(name) && name !== 'state');
  await client.query(`
    insert into ${quoted(jobsSchema)}.job (${kept.map(({ name }) => quoted(name)).join(', ')}, state)
    select ${kept.map(({ name, type }) => `${quoted(name)}::${type}`).join(', ')}, 'created'
    from restored_job where name in (select name from ${quoted(jobsSchema)}.queue)`);
  return rows;
}

import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pg from 'pg';
import { deriveKeys } from '../auth/derived-keys.ts';
import { BackupFileError } from '../backup/backup-file-error.ts';
import { isEncrypted } from '../backup/encrypted-stream.ts';
import { RestoreRefusedError, restoreBackup } from '../backup/restore-backup.ts';
import { writeBackup } from '../backup/write-backup.ts';
import type { Config } from '../config/config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { migrate, migrateTo, migrationNames, withStartLock } from '../db/migrate.ts';
import { openPostgres } from '../db/open-postgres.ts';
import { heard } from '../errors/heard.ts';
import { CommandError } from '../hosting/accounts/accounts.commands.ts';
import { createJobRunner } from '../server/job-runner.ts';
import { interrupted } from './interrupted.ts';
import { printError, printLine } from './with-database.ts';

/** The commands `backup` and `restore`. */
export function addBackup(portico: Command, config: Config): void {
  portico
    .command('backup')
    .description(
      'Writes all rows of the database to one file, encrypted with BACKUP_KEY, while the gateway runs. For databases of up to some 10 GB.',
    )
    .argument('<file>', 'a new file')
    .action((file: string) => backup(config, resolve(file)));
  portico
    .command('restore')
    .description('Restores a backup into an empty database, such as that of a new PORTICO_DATA folder.')
    .argument('<file>', 'a file of `backup`')
    .action((file: string) => restore(config, resolve(file)));
}

async function backup(config: Config, path: string): Promise<void> {
  const { BACKUP_KEY: backupKey } = config;
  const signal = interrupted();
  await withSession(config, async (client, url) => {
    const startedAt = performance.now();
    const { tables, rows, bytes } = await explained(() =>
      writeBackup({
        client,
        connect: () => connect(url),
        path,
        backupKey,
        secretCheck: secretCheck(config),
        now: new Date(),
        signal,
      }),
    );
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const secrets =
      backupKey === undefined
        ? 'It holds personal data that is not encrypted, and no SECRET_KEY: keep both, apart.'
        : 'It is encrypted with BACKUP_KEY, and holds no SECRET_KEY: keep all three, apart.';
    printLine(
      `${path}: ${rows} rows of ${tables} tables. ${Math.ceil(bytes / 1_000_000)} MB in ${seconds} s. ${secrets}`,
    );
    if (bytes > largeBytes) printError(sizeAdvice);
  });
}

async function restore(config: Config, path: string): Promise<void> {
  await withSession(config, async (client, url) => {
    const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 0 });
    try {
      await withStartLock(url, async () => {
        const { header, rows } = await explained(() =>
          restoreBackup({
            path,
            backupKey: config.BACKUP_KEY,
            client,
            knownMigrations: migrationNames(),
            prepare: async migrations => {
              await migrateTo(database, migrations);
              await jobTables(config, database, url);
            },
            finish: async () => void (await migrate(database)),
          }),
        );
        printLine(`${rows} rows of ${header.at} are restored.`);
        if (config.BACKUP_KEY !== undefined && !(await isEncrypted(path)))
          printError('The backup was not encrypted, although BACKUP_KEY is set: anybody may have made or changed it.');
        if (header.secretCheck !== secretCheck(config)) {
          printError(
            'The backup was made with another SECRET_KEY: sessions end, and secrets of webhooks cannot be read. Set SECRET_KEY to it, or copy secret.key of the old data folder into the new one.',
          );
        }
      });
    } finally {
      await database.close();
    }
  });
}

const jobTables = (config: Config, database: Database, url: string): Promise<void> =>
  createJobRunner({
    config,
    database,
    keys: deriveKeys(config),
    clock: () => new Date(),
    url,
    logger: { info() {}, warn: (_, message) => printError(message), error: (_, message) => printError(message) },
  }).prepare();

/** Of a file that takes too long to restore after a failure. */
const largeBytes = 10_000_000_000;
const sizeAdvice =
  'A backup of this kind is for databases of up to some 10 GB: restoring it inserts every row. Larger ones need copies of the files with an archive of the WAL (docs/operations.md, "Point-in-time recovery").';

async function connect(url: string): Promise<pg.Client> {
  const client = heard(new pg.Client({ connectionString: url, application_name: 'portico backup' }));
  await client.connect();
  return client;
}

/** One session without time limits: that of the running gateway's server, or of the embedded one for the duration of `work`. */
async function withSession(config: Config, work: (client: pg.Client, url: string) => Promise<void>): Promise<void> {
  const server = await openPostgres(config, 'join', { info() {}, warn: printError, error: printError });
  const client = heard(new pg.Client({ connectionString: server.sessionUrl, application_name: 'portico backup' }));
  try {
    await client.connect();
    await work(client, server.sessionUrl);
  } finally {
    await client.end();
    await server.stop();
  }
}

/** Errors that the operator can act on, without a stack trace. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isOfFiles = ['ENOENT', 'EACCES', 'EEXIST', 'EISDIR', 'ENOSPC', 'EROFS'].includes(code ?? '');
    if (isOfFiles || error instanceof BackupFileError || error instanceof RestoreRefusedError)
      throw new CommandError(message);
    throw error;
  }
}

/** Differs for different values of SECRET_KEY. */
const secretCheck = (config: Config): string =>
  createHmac('sha256', deriveKeys(config).encryption[0]).update('portico backup').digest('hex').slice(0, 16);

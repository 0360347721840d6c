import type { Config } from '../config/config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { migrate, withStartLock } from '../db/migrate.ts';
import { openPostgres } from '../db/open-postgres.ts';

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** Overwrites the current line of a terminal; prints nothing to a pipe or a file. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/**
 * Opens the database for one command, migrated: that of the running gateway, or the embedded one for the duration of the command.
 */
export function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  return withUnmigratedDatabase(config, async (database, url) => {
    await withStartLock(url, () => migrate(database));
    return work(database);
  });
}

/** As it is found. `url` is the address for work that needs a session. */
export async function withUnmigratedDatabase<T>(
  config: Config,
  work: (database: Database, url: string) => Promise<T>,
): Promise<T> {
  const log = { info: () => {}, warn: printError, error: printError };
  const server = await openPostgres(config, 'join', log);
  try {
    const database = await openDatabase({
      url: server.url,
      directUrl: server.directUrl,
      poolSize: 2,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    });
    try {
      return await work(database, server.sessionUrl);
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

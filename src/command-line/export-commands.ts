import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Database } from '../db/database.ts';
import { exportPersonCommand } from '../health/accounts/accounts.commands.ts';
import { CommandError } from '../hosting/accounts/accounts.commands.ts';
import { exportAccountCommand } from '../hosting/accounts/export-account.ts';
import { interrupted } from './interrupted.ts';
import { printLine, withDatabase } from './with-database.ts';

/** The commands `export`. */
export function addExport(portico: Command, config: Config): void {
  const exports = portico
    .command('export')
    .description('Writes everything of one account into a folder, as JSON and git bundles.');
  const folder = { name: '<folder>', description: 'a new or empty folder' };
  exports
    .command('account')
    .description('An organization or a user of the code hosting product, with the repositories.')
    .argument('<login>', 'whom')
    .argument(folder.name, folder.description)
    .action((login: string, path: string) =>
      writeFolder(config, path, (database, into, write) =>
        exportAccountCommand(login, into, { database, now: new Date(), signal: interrupted(), write }),
      ),
    );
  exports
    .command('person')
    .description('A person of the health product: what the person can download, and the pictures.')
    .argument('<email>', 'address of the account')
    .argument(folder.name, folder.description)
    .action((email: string, path: string) =>
      writeFolder(config, path, async (database, into, write) => {
        const origin = new PublicOrigin(config).value;
        const isFound = await exportPersonCommand(email, into, { config, database, now: new Date(), origin, write });
        if (!isFound) throw new CommandError(`There is no account with the address ${email}.`);
      }),
    );
}

/** Makes the folder when all of it is written: an export that fails or is interrupted leaves nothing. */
async function writeFolder(
  config: Config,
  path: string,
  work: (database: Database, folder: string, write: (line: string) => void) => Promise<void>,
): Promise<void> {
  const target = resolve(path);
  const lines: string[] = [];
  let made: string | undefined;
  try {
    if ((await readdir(target).catch(absent)).length > 0) throw new CommandError(`${path} is not empty.`);
    await mkdir(dirname(target), { recursive: true });
    const folder = await mkdtemp(`${target}.`);
    made = folder;
    await withDatabase(config, database => work(database, folder, line => lines.push(line.replaceAll(folder, path))));
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    const { code, path: failed } = error as NodeJS.ErrnoException;
    if (code !== undefined && failed !== undefined) throw new CommandError(`${failed} cannot be written (${code}).`);
    throw error;
  }
  for (const line of lines) printLine(line);
}

function absent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

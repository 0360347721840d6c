import type { Command } from 'commander';
import { deriveKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import { inTransaction } from '../db/database.ts';
import { reencryptSecrets } from './reencrypt-secrets.ts';
import { printError, printLine, withDatabase } from './with-database.ts';

/** The commands `keys`. */
export function addKeys(portico: Command, config: Config): void {
  portico
    .command('keys')
    .description('The secret that signs tokens and encrypts stored secrets.')
    .command('reencrypt')
    .description(
      'Encrypts every stored secret with SECRET_KEY, so that SECRET_KEY_PREVIOUS is no longer needed for them.',
    )
    .action(async () => {
      const { encryption } = deriveKeys(config);
      const counts = await withDatabase(config, database =>
        inTransaction(database, db => reencryptSecrets(db, encryption)),
      );
      printLine(`${counts.changed} encrypted with SECRET_KEY, ${counts.current} had it already.`);
      for (const [column, count] of counts.unreadable) {
        printError(
          `${column}: ${count} cannot be decrypted. Add the secret they were encrypted with to SECRET_KEY_PREVIOUS.`,
        );
        process.exitCode = 1;
      }
    });
}

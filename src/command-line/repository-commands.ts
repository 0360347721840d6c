import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/config.ts';
import {
  collectCommand,
  exportCommand,
  type MaintenanceCommandContext,
  verifyCommand,
} from '../hosting/repositories/maintenance.commands.ts';
import { importRepositoryCommand } from '../hosting/repositories/repositories.commands.ts';
import { interrupted } from './interrupted.ts';
import { printLine, progress, withDatabase } from './with-database.ts';

/** The commands `repos`. */
export function addRepositories(portico: Command, config: Config): void {
  const repos = portico.command('repos').description('Repositories of the code hosting product.');
  repos
    .command('import')
    .description('Imports a git repository of this machine with all its refs. Running it again brings what is new.')
    .argument('<path>', 'a folder that git takes for a repository, bare or not')
    .requiredOption('--to <owner/name>', 'the repository it goes to')
    .option('--create', 'make the repository if it is not there', false)
    .option('--private', 'when it is made: seen only by those who are let in', false)
    .action((path: string, options: { to: string; create: boolean; private: boolean }) =>
      withDatabase(config, database =>
        importRepositoryCommand(
          { path, to: options.to, create: options.create, isPrivate: options.private },
          { database, now: () => new Date(), write: printLine, progress },
        ),
      ),
    );
  const maintain = (work: (context: MaintenanceCommandContext) => Promise<unknown>): Promise<void> =>
    withDatabase(config, async database => {
      const isDone = await work({ database, config, now: () => new Date(), signal: interrupted(), write: printLine });
      if (isDone === false) process.exitCode = 1;
    });
  const repository = { name: '[owner/name]', description: 'the repository' };
  repos
    .command('gc')
    .description('Deletes objects that nothing reaches any more, and stores older versions of files as deltas.')
    .argument(repository.name, repository.description)
    .option('--all', 'all repositories', false)
    .option('--grace-days <days>', 'how long objects that nothing reaches are kept', wholeNumber, 14)
    .action((name: string | undefined, options: { all: boolean; graceDays: number }) =>
      maintain(context => collectCommand({ name, ...options }, context)),
    );
  repos
    .command('verify')
    .description(
      'Checks every stored object, what it refers to, and the refs. Lists defects; the exit code is 1 if there are any.',
    )
    .argument(repository.name, repository.description)
    .option('--all', 'all repositories', false)
    .action((name: string | undefined, options: { all: boolean }) =>
      maintain(context => verifyCommand({ name, ...options }, context)),
    );
  repos
    .command('export')
    .description('Writes all refs and what they reach into a bare repository, or into a bundle.')
    .argument('<owner/name>', 'the repository')
    .argument('<path>', 'an empty or new folder; a new file with --bundle')
    .option('--bundle', 'write a bundle, a file from which git clones', false)
    .action((name: string, path: string, { bundle }: { bundle: boolean }) =>
      maintain(context => exportCommand({ name, path, isBundle: bundle }, context)),
    );
}

function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

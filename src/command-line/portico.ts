import 'reflect-metadata';
import { join } from 'node:path';
import { Command } from 'commander';
import { GraphQLError } from 'graphql';
import { deriveKeys } from '../auth/derived-keys.ts';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { inTransaction } from '../db/database.ts';
import { DraftRefused, draftStatements, writeMigration } from '../db/draft-migration.ts';
import { EmbeddedInUseError } from '../db/embedded.ts';
import { MigrationLockError } from '../db/migrate.ts';
import type { InputProblem } from '../errors/errors.ts';
import { erasureCommand } from '../health/accounts/accounts.commands.ts';
import { type AdOptions, addAdCommand, endAdCommand, listAdsCommand } from '../health/ads/ads.commands.ts';
import {
  decideReportCommand,
  liftSuspensionCommand,
  listModerationCommand,
  listReportsCommand,
  type ModerationCommandContext,
  setModeratorCommand,
  suspendCommand,
} from '../health/moderation/moderation.commands.ts';
import {
  CommandError,
  createTokenCommand,
  createUserCommand,
  type HostingCommandContext,
  registerClientCommand,
  setPlanCommand,
} from '../hosting/accounts/accounts.commands.ts';
import {
  createServiceCredentialCommand,
  listServiceCredentialsCommand,
  revokeServiceCredentialCommand,
} from '../hosting/credentials/service-credentials.commands.ts';
import { addArticles } from './article-commands.ts';
import { addBackup } from './backup-commands.ts';
import { addExport } from './export-commands.ts';
import { addJobs } from './job-commands.ts';
import { addKeys } from './key-commands.ts';
import { addMigrate } from './migrate-command.ts';
import { addRepositories } from './repository-commands.ts';
import { addTop } from './top-command.ts';
import { printError, printLine, withDatabase } from './with-database.ts';

function program(config: Config): Command {
  const portico = new Command('portico').description('Looks after a Portico installation: what no API should do.');
  addArticles(portico, config);
  addAds(portico, config);
  addModeration(portico, config);
  addErasure(portico, config);
  addHostingCommands(portico, config);
  addServiceCredentials(portico, config);
  addRepositories(portico, config);
  addBackup(portico, config);
  addExport(portico, config);
  addJobs(portico, config);
  addKeys(portico, config);
  addMigrate(portico, config);
  addMigrations(portico, config);
  addTop(portico, config);
  return portico;
}

function addAds(portico: Command, config: Config): void {
  const ads = portico.command('ads').description('Ads of the health product.');
  const inOneGo = <T>(work: (around: Parameters<typeof listAdsCommand>[0]) => Promise<T>): Promise<T> =>
    withDatabase(config, database => inTransaction(database, db => work({ db, now: new Date(), write: printLine })));
  ads
    .command('add')
    .description('Adds an ad. Texts are plain, addresses http or https.')
    .requiredOption('--title <text>', 'at most 120 characters')
    .requiredOption('--target <url>', 'where a click leads')
    .option('--body <text>', 'at most 500 characters')
    .option('--image <url>', 'address of a picture')
    .option('--advertiser <name>', 'who advertises')
    .option('--weight <number>', 'how often it is shown in proportion to the others, 1 to 1000', '1')
    .option('--starts <time>', 'not shown before, such as 2026-02-14T09:30:00Z')
    .option('--ends <time>', 'not shown from then on')
    .option('--impressions <number>', 'how often it may be shown')
    .option('--clicks <number>', 'how many clicks are wanted')
    .action((options: AdOptions) => inOneGo(around => addAdCommand(options, around)));
  ads
    .command('list')
    .description('Lists every ad with its counts.')
    .action(() => inOneGo(listAdsCommand));
  ads
    .command('end')
    .description('Takes an ad down.')
    .argument('<id>', 'number of the ad')
    .action(async (id: string) => {
      if (!(await inOneGo(around => endAdCommand(id, around)))) process.exitCode = 1;
    });
}

function addErasure(portico: Command, config: Config): void {
  portico
    .command('erasure')
    .description('Says when an account of the health product was deleted, and when its data was erased.')
    .argument('<number>', 'number of the account, which the mail about the deletion names')
    .action(async (number: string) => {
      const id = /^\d{1,15}$/.test(number) ? Number(number) : 0;
      const isFound = await withDatabase(config, database =>
        inTransaction(database, db => erasureCommand(id, { db, write: printLine })),
      );
      if (!isFound) throw new CommandError(`There is no deleted account with the number ${number}.`);
    });
}

function addModeration(portico: Command, config: Config): void {
  const moderation = portico.command('moderation').description('Reports and suspensions of the health product.');
  const inOneGo = (work: (around: ModerationCommandContext) => Promise<void>): Promise<void> =>
    withDatabase(config, database =>
      inTransaction(database, db => work({ db, keys: deriveKeys(config), now: new Date(), write: printLine })),
    );
  const email = { name: '<email>', description: 'mail address of the account' };
  moderation
    .command('reports')
    .description('Lists the reports that wait for a decision.')
    .option('--all', 'those with a decision as well', false)
    .action(({ all }: { all: boolean }) => inOneGo(around => listReportsCommand(all, around)));
  moderation
    .command('decide')
    .description('Decides on a report: dismiss, hide, restore, warn or suspend.')
    .argument('<report>', 'number of the report')
    .argument('<decision>', 'dismiss, hide, restore (what was hidden), warn or suspend')
    .option('--until <time>', 'end of a suspension, such as 2026-02-14T09:30:00Z')
    .option('--note <text>', 'explanation, which a person who is warned or suspended is told')
    .action((report: string, decision: string, options: { until?: string; note?: string }) =>
      inOneGo(around => decideReportCommand(report, decision, options, around)),
    );
  moderation
    .command('suspend')
    .description('Suspends a person without a report. All sessions end at once.')
    .argument(email.name, email.description)
    .requiredOption('--until <time>', 'end of the suspension, such as 2026-02-14T09:30:00Z')
    .requiredOption('--note <text>', 'explanation, which the person is told')
    .action((address: string, options: { until: string; note: string }) =>
      inOneGo(around => suspendCommand(address, options, around)),
    );
  moderation
    .command('lift')
    .description('Ends a suspension early.')
    .argument(email.name, email.description)
    .option('--note <text>', 'explanation for the audit trail', '')
    .action((address: string, { note }: { note: string }) =>
      inOneGo(around => liftSuspensionCommand(address, note, around)),
    );
  for (const [name, description, isModerator] of [
    ['add-moderator', 'Makes an account a moderator.', true],
    ['remove-moderator', 'Takes the rights of a moderator away.', false],
  ] as const) {
    moderation
      .command(name)
      .description(description)
      .argument(email.name, email.description)
      .action((address: string) => inOneGo(around => setModeratorCommand(address, isModerator, around)));
  }
  moderation
    .command('log')
    .description('Prints the audit trail.')
    .action(() => inOneGo(listModerationCommand));
}

function addHostingCommands(portico: Command, config: Config): void {
  const hosting = portico.command('hosting').description('Accounts of the code hosting product.');
  const around = (work: (surroundings: HostingCommandContext) => Promise<void>): Promise<void> =>
    withDatabase(config, database => inTransaction(database, db => work({ db, now: new Date(), write: printLine })));
  hosting
    .command('create-user')
    .description('Makes a user. The first administrator of an installation begins here.')
    .argument('<login>', 'ASCII letters, digits and single hyphens')
    .option('--name <name>', 'name for people')
    .option('--email <address>', 'primary address, taken as verified')
    .option('--admin', 'looks after the installation', false)
    .action((login: string, { name, email, admin }: { name?: string; email?: string; admin: boolean }) =>
      around(surroundings => createUserCommand({ login, name, email, isSiteAdmin: admin }, surroundings)),
    );
  hosting
    .command('create-token')
    .description('Makes a classic token for a user and prints it, once.')
    .argument('<login>', 'whom it acts for')
    .option('--scopes <list>', 'comma separated', commaSeparated, ['repo', 'user'])
    .option('--note <text>', 'what it is called', 'made on the command line')
    .option('--sso <list>', 'organizations with single sign-on that it is authorized for', commaSeparated, [])
    .action((login: string, options: { scopes: string[]; note: string; sso: string[] }) =>
      around(surroundings => createTokenCommand({ login, ...options }, surroundings)),
    );
  hosting
    .command('register-client')
    .description('Lets a program sign users in that has a client id of its own: gh, git-credential-manager.')
    .argument('<name>', 'gh or git-credential-manager')
    .requiredOption('--owner <login>', 'the user or organization that owns the app here')
    .action((name: string, { owner }: { owner: string }) =>
      around(surroundings => registerClientCommand({ name, owner }, surroundings)),
    );
  hosting
    .command('set-plan')
    .description('Puts an account on a plan: its apps, installations and workflows have the limits of an enterprise.')
    .argument('<login>', 'an organization, or a user')
    .argument('<plan>', 'free or enterprise')
    .action((login: string, plan: string) => around(surroundings => setPlanCommand({ login, plan }, surroundings)));
}

function addServiceCredentials(portico: Command, config: Config): void {
  const credentials = portico
    .command('service-credentials')
    .description(
      'Credentials of dashboards and other programs, which read counts across all accounts and nothing else.',
    );
  const around = (work: (surroundings: HostingCommandContext) => Promise<void>): Promise<void> =>
    withDatabase(config, database => inTransaction(database, db => work({ db, now: new Date(), write: printLine })));
  credentials
    .command('create')
    .description('Makes a service credential and prints it, once.')
    .argument('<name>', 'what it is for, such as "usage board"')
    .option('--expires <time>', 'not valid from then on, such as 2027-01-01T00:00:00Z; never by default')
    .action((name: string, { expires }: { expires?: string }) =>
      around(surroundings => createServiceCredentialCommand({ name, expires }, surroundings)),
    );
  credentials
    .command('list')
    .description('Lists them with their numbers and last uses; those that ended for another month.')
    .action(() => around(listServiceCredentialsCommand));
  credentials
    .command('revoke')
    .description('Ends a service credential at once.')
    .argument('<number>', 'as listed')
    .action((number: string) => around(surroundings => revokeServiceCredentialCommand(number, surroundings)));
}

function addMigrations(portico: Command, config: Config): void {
  const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'db', 'migrations');
  portico
    .command('migration')
    .description('Migrations of a checkout.')
    .command('new')
    .description('Drafts a migration from what the classes declare and the migrated database lacks. Edit it.')
    .argument('<name>', 'lower-case words with hyphens, such as article-languages')
    .action((name: string) =>
      withDatabase(config, async ({ orm }) => {
        const statements = await draftStatements(orm);
        printLine(`${writeMigration(folder, name, statements)}: ${statements.length} statements.`);
      }),
    );
}

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '');

/** Includes the field names, if any: «Enter a valid address.» alone does not name the option. */
function describeError(error: Error): string {
  const { problems } = (error as Partial<GraphQLError>).extensions ?? {};
  if (!Array.isArray(problems)) return error.message;
  return (problems as InputProblem[])
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('\n');
}

/** Input errors of a write function: the command line is wrong, and the message says how. */
function isBadInput(error: unknown): error is Error {
  return error instanceof GraphQLError && ['BAD_USER_INPUT', 'NOT_FOUND'].includes(String(error.extensions.code));
}

try {
  await program(loadConfig('command')).parseAsync();
} catch (error) {
  const isExpected =
    [ConfigError, EmbeddedInUseError, CommandError, DraftRefused, MigrationLockError].some(
      kind => error instanceof kind,
    ) || isBadInput(error);
  printError(isExpected ? describeError(error as Error) : ((error as Error).stack ?? String(error)));
  process.exitCode = 1;
}

import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { hasCluster } from '../db/embedded-cluster.ts';
import { migrate, withStartLock } from '../db/migrate.ts';
import { type MigrationPlan, pendingMigrations } from '../db/pending-migrations.ts';
import { CommandError } from '../hosting/accounts/accounts.commands.ts';
import { printLine, withUnmigratedDatabase } from './with-database.ts';

/** The command `migrate`. */
export function addMigrate(portico: Command, config: Config): void {
  portico
    .command('migrate')
    .description('Runs the pending migrations, as a gateway does at its start.')
    .option('--plan', 'print their SQL and change nothing', false)
    .action(({ plan }: { plan: boolean }) => (plan ? printPlan(config) : runPending(config)));
}

async function printPlan(config: Config): Promise<void> {
  if (config.DATABASE_URL === undefined && !hasCluster(config.PORTICO_DATA))
    throw new CommandError(`There is no database in ${config.PORTICO_DATA}: the first start creates it.`);
  const plans = await withUnmigratedDatabase(config, database => pendingMigrations(database));
  for (const plan of plans) printLine(formatPlan(plan));
  printLine(`-- ${plans.length} pending. ${transactionsOf(plans)}`);
}

function transactionsOf(plans: readonly MigrationPlan[]): string {
  if (plans.every(plan => plan.isTransactional)) return 'They run in one transaction.';
  return 'Those that build indexes concurrently run outside of a transaction, and those between them in one transaction each.';
}

const formatPlan = ({ name, statements, lookups, isTransactional }: MigrationPlan): string =>
  [
    `-- ${name}`,
    ...(isTransactional ? [] : ['-- Outside of a transaction: the tables are read and written meanwhile.']),
    ...lookups.map(one => `-- Statements that depend on the rows of: ${one.replace(/\s+/g, ' ').trim()}`),
    ...statements.map(one => `${one.trim()};`),
    '',
  ].join('\n');

async function runPending(config: Config): Promise<void> {
  const names = await withUnmigratedDatabase(config, (database, url) => withStartLock(url, () => migrate(database)));
  for (const name of names) printLine(name);
  printLine(names.length === 0 ? 'Nothing was pending.' : `${names.length} migrations ran.`);
}

import type { Migration } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import { ConcurrentIndexes } from './concurrent-indexes.ts';
import type { Database } from './database.ts';
import { migrations } from './migrations/list.ts';

/** What a migration does to a database. */
export interface MigrationPlan {
  name: string;
  statements: string[];
  /** Statements that it sends one by one, because the next ones depend on the rows. The rest is known when it runs. */
  lookups: string[];
  /** False for one that builds indexes concurrently. */
  isTransactional: boolean;
}

export type ListedMigration = (typeof migrations)[number];

/** A migration that runs by itself, outside of a transaction. */
export interface ConcurrentStep {
  name: string;
  migration: ConcurrentIndexes;
}

/** The migrations in their order, in as few transactions as possible: one, if none builds indexes concurrently. */
export function migrationSteps(
  database: Pick<Database, 'orm'>,
  listed: readonly ListedMigration[],
): ({ names: string[] } | ConcurrentStep)[] {
  const steps: ({ names: string[] } | ConcurrentStep)[] = [];
  for (const one of listed) {
    const { name } = one;
    const migration = instanceOf(database, one);
    const last = steps.at(-1);
    if (migration instanceof ConcurrentIndexes) steps.push({ name, migration });
    else if (last && 'names' in last) last.names.push(name);
    else steps.push({ names: [name] });
  }
  return steps;
}

/** The plans of the migrations that the database lacks, in their order. Reads only, unlike the migrator, which makes its table. */
export async function pendingMigrations(
  database: Database,
  listed: readonly ListedMigration[] = migrations,
): Promise<MigrationPlan[]> {
  const done = new Set(await appliedMigrations(database));
  const plans: MigrationPlan[] = [];
  for (const one of listed) if (!done.has(one.name)) plans.push(await planOf(database, one));
  return plans;
}

export async function planOf(database: Pick<Database, 'orm'>, listed: ListedMigration): Promise<MigrationPlan> {
  const { name } = listed;
  const migration = instanceOf(database, listed);
  const lookups: string[] = [];
  migration.execute = async statement => {
    lookups.push(String(statement));
    return [];
  };
  await migration.up();
  const isTransactional = migration.isTransactional();
  return { name, statements: migration.getQueries().map(String), lookups, isTransactional };
}

function instanceOf({ orm }: Pick<Database, 'orm'>, listed: ListedMigration): Migration {
  const Listed = listed.class as new (...given: ConstructorParameters<typeof Migration>) => Migration;
  return new Listed(orm.em.getDriver(), orm.config);
}

/** Names of the migrations that the database has. */
export async function appliedMigrations({ read }: Database): Promise<string[]> {
  const [table] = await read<{ exists: boolean }>(
    sql`select to_regclass('mikro_orm_migrations') is not null as exists`,
  );
  if (!table?.exists) return [];
  return (await read<{ name: string }>(sql`select name from mikro_orm_migrations`)).map(({ name }) => name);
}

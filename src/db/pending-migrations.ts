import type { Migration } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { migrations } from './migrations/list.ts';

/** What a migration does to a database. */
export interface MigrationPlan {
  name: string;
  statements: string[];
  /** Statements that it sends one by one, because the next ones depend on the rows. The rest is known when it runs. */
  lookups: string[];
}

/** The plans of the migrations that the database lacks, in their order. Reads only, unlike the migrator, which makes its table. */
export async function pendingMigrations(database: Database): Promise<MigrationPlan[]> {
  const done = new Set(await appliedMigrations(database));
  const plans: MigrationPlan[] = [];
  for (const { name } of migrations) if (!done.has(name)) plans.push(await planOf(database, name));
  return plans;
}

/** @param name one of `migrationNames` */
export async function planOf({ orm }: Pick<Database, 'orm'>, name: string): Promise<MigrationPlan> {
  const listed = migrations.find(one => one.name === name);
  if (listed === undefined) throw new Error(`There is no migration ${name}.`);
  const Listed = listed.class as new (...given: ConstructorParameters<typeof Migration>) => Migration;
  const migration = new Listed(orm.em.getDriver(), orm.config);
  const lookups: string[] = [];
  migration.execute = async statement => {
    lookups.push(String(statement));
    return [];
  };
  await migration.up();
  return { name, statements: migration.getQueries().map(String), lookups };
}

async function appliedMigrations({ read }: Database): Promise<string[]> {
  const [table] = await read<{ exists: boolean }>(
    sql`select to_regclass('mikro_orm_migrations') is not null as exists`,
  );
  if (!table?.exists) return [];
  return (await read<{ name: string }>(sql`select name from mikro_orm_migrations`)).map(({ name }) => name);
}

import { Migration } from '@mikro-orm/migrations';
import type pg from 'pg';

/** An index that is built while its table is read and written. */
export interface ConcurrentIndex {
  name: string;
  /** The rest of the statement, from the table on: `git_ref using btree (name) where name like 'refs/tags/%'`. */
  on: string;
  isUnique?: boolean;
}

/**
 * A migration that only builds indexes on tables with many rows. It runs outside of a transaction, as PostgreSQL requires, and may be
 * repeated: `create index concurrently` that is interrupted leaves an index that is written and never used.
 */
export abstract class ConcurrentIndexes extends Migration {
  abstract readonly indexes: readonly ConcurrentIndex[];

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const index of this.indexes) this.addSql(createStatement(index));
  }

  override down(): void {
    for (const { name } of this.indexes) this.addSql(dropStatement(name));
  }
}

/** Builds the indexes that are missing or unusable. One that cannot be built leaves nothing. @throws the error of PostgreSQL */
export async function buildIndexes(client: pg.Client, indexes: readonly ConcurrentIndex[]): Promise<void> {
  for (const index of indexes) {
    await dropIfUnusable(client, index.name);
    try {
      await client.query(createStatement(index));
    } catch (error) {
      // A lost connection reports the first error, and the next start drops the index.
      await dropIfUnusable(client, index.name).catch(() => {});
      throw error;
    }
  }
}

async function dropIfUnusable(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not (indisvalid and indisready)',
    [name],
  );
  if (rowCount !== 0) await client.query(dropStatement(name));
}

const createStatement = ({ name, on, isUnique }: ConcurrentIndex): string =>
  `create ${isUnique ? 'unique ' : ''}index concurrently if not exists ${name} on ${on}`;

const dropStatement = (name: string): string => `drop index concurrently if exists ${name}`;

import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A set of seed data. Its name is stored, so that it is inserted once. */
export interface Seed {
  name: string;
  insert(em: EntityManager): Promise<void>;
}

/**
 * Inserts a seed in one transaction unless this database has had it before, so that deleted rows do not return at the next start.
 * Returns whether it did.
 */
export async function seedOnce({ orm }: Database, { name, insert }: Seed): Promise<boolean> {
  return orm.em.fork().transactional(async em => {
    const inserted =
      await sql`insert into planting (name) values (${name}) on conflict do nothing returning name`.execute(
        em.getKysely(),
      );
    if (inserted.rows.length === 0) return false;
    await insert(em);
    return true;
  });
}

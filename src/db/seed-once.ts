import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A world to plant: its name, under which it is planted once and never again, and what it consists of. */
export interface Seed {
  name: string;
  insert(em: EntityManager): Promise<void>;
}

/**
 * Plants a world unless this database has had it before, in one transaction: half a world is never seen, and what people
 * deleted from it does not grow back at the next start. Returns whether it did.
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

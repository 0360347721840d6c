import { sql } from 'kysely';
import { openKeys } from '../../src/auth/keys.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { Tokens } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config/config.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** Somebody who was written into the tables: no password, no mail, one session. */
export interface BulkPerson {
  id: number;
  access: string;
}

/** Verified people with a session each that lasts 60 days, without the argon2 and the mails of registering. */
export async function peopleInBulk({ database, clock }: TestGateway, count: number): Promise<BulkPerson[]> {
  const tokens = new Tokens(openKeys(readConfig({ SECRET_KEY: testSecret })).tokens);
  const now = clock.now;
  const made = await sql<{ id: number }>`
    insert into users (email, first_name, last_name, is_active, is_verified, date_joined, last_seen_at)
    select gen_random_uuid() || '@example.org', 'Bulk', 'Person', true, true, ${now.toISOString()}, ${now.toISOString()}
    from generate_series(1, ${count}::int) returning id`.execute(database.sql);
  return Promise.all(
    made.rows.map(async ({ id }) => {
      const { access } = await openSession({ db: database.sql, tokens, now }, { id, isGuest: false });
      // A quarter of an hour is too short where a test moves the clock by days.
      const claims = await tokens.read('access', access, now);
      const expiresAt = new Date(now.getTime() + 60 * 24 * 3_600_000);
      return { id, access: await tokens.write('access', { ...claims, expiresAt }) };
    }),
  );
}

import { type Kysely, sql } from 'kysely';
import { openKeys } from '../../src/auth/keys.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { Tokens } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config/config.ts';
import { inTransaction } from '../../src/db/database.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** Somebody signed in, with an account that was written into the tables. */
export interface BulkPerson {
  id: number;
  access: string;
}

const tokens = new Tokens(openKeys(readConfig({ SECRET_KEY: testSecret })).tokens);

async function signedIn(db: Kysely<unknown>, id: number, now: Date): Promise<BulkPerson> {
  const { access } = await openSession({ db, tokens, now }, { id, isGuest: false });
  return { id, access };
}

/**
 * Writes `count` activated accounts and opens a session for each by the product's own function: for tests that need many
 * people and not how they came to be. They have no password.
 */
export function peopleInBulk(gateway: TestGateway, count: number): Promise<BulkPerson[]> {
  const { now } = gateway.clock;
  return inTransaction(gateway.database, async db => {
    const { rows } = await sql<{ id: number }>`
      insert into users (email, first_name, last_name, is_verified, is_active, date_joined, last_seen_at)
      select 'bulk-' || gen_random_uuid() || '@example.org', 'Robin', 'Vale ' || number, true, true, ${now}, ${now}
      from generate_series(1, ${count}::int) number returning id`.execute(db);
    const people: BulkPerson[] = [];
    for (const { id } of rows) people.push(await signedIn(db, id, now));
    return people;
  });
}

/** Opens another session for somebody, as of now: tokens of before have expired where a test moves the clock. */
export function signedInAgain(gateway: TestGateway, { id }: BulkPerson): Promise<BulkPerson> {
  return inTransaction(gateway.database, db => signedIn(db, id, gateway.clock.now));
}

import { type Kysely, sql } from 'kysely';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { readConfig } from '../../src/config/config.ts';
import { inTransaction } from '../../src/db/database.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** Somebody signed in, with an account that was written into the tables. */
export interface BulkPerson {
  id: number;
  email: string;
  access: string;
}

const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: testSecret })).sessionTokens);

async function signedIn(
  db: Kysely<unknown>,
  { id, email }: Pick<BulkPerson, 'id' | 'email'>,
  now: Date,
): Promise<BulkPerson> {
  const { access } = await openSession({ db, tokens, now }, { id, isGuest: false });
  // A quarter of an hour is too short where a test moves the clock by days.
  const claims = await tokens.verify('access', access, now);
  const expiresAt = new Date(now.getTime() + 60 * 24 * 3_600_000);
  return { id, email, access: await tokens.sign('access', { ...claims, expiresAt }) };
}

/**
 * Writes `count` activated accounts and opens a session for each by the product's own function: for tests that need many
 * people and not how they came to be. They have no password.
 */
export function peopleInBulk(gateway: TestGateway, count: number): Promise<BulkPerson[]> {
  const { now } = gateway.clock;
  return inTransaction(gateway.database, async db => {
    const { rows } = await sql<{ id: number; email: string }>`
      insert into users (email, first_name, last_name, is_verified, is_active, date_joined, last_seen_at)
      select 'bulk-' || gen_random_uuid() || '@example.org', 'Robin', 'Vale ' || number, true, true, ${now}, ${now}
      from generate_series(1, ${count}::int) number returning id, email`.execute(db);
    const people: BulkPerson[] = [];
    for (const row of rows) people.push(await signedIn(db, row, now));
    return people;
  });
}

/** Opens another session for somebody, as of now: tokens of before have expired where a test moves the clock. */
export function signedInAgain(gateway: TestGateway, person: BulkPerson): Promise<BulkPerson> {
  return inTransaction(gateway.database, db => signedIn(db, person, gateway.clock.now));
}

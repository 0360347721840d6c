import { sql } from 'kysely';
import { openKeys } from '../../src/auth/keys.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { Tokens } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config/config.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** Somebody who is signed in and cannot log in: there is no password. */
export interface SignedInPerson {
  id: number;
  email: string;
  access: string;
}

let made = 0;

/** People with activated accounts and open sessions, without mails and passwords: 2 ms each, where `person` takes 200. */
export async function peopleInBulk(gateway: TestGateway, count: number): Promise<SignedInPerson[]> {
  const tokens = new Tokens(openKeys(readConfig({ SECRET_KEY: testSecret })).tokens);
  const now = gateway.clock.now;
  const db = gateway.database.sql;
  const people: SignedInPerson[] = [];
  for (let one = 0; one < count; one++) {
    const email = `bulk-${process.pid}-${++made}@example.org`;
    const { rows } = await sql<{ id: number }>`
      insert into users (email, first_name, last_name, is_active, is_verified, date_joined, last_seen_at)
      values (${email}, 'Robin', 'Vale', true, true, ${now.toISOString()}, ${now.toISOString()}) returning id`.execute(
      db,
    );
    const id = rows[0]?.id ?? 0;
    const { access } = await openSession({ db, tokens, now }, { id, isGuest: false });
    people.push({ id, email, access });
  }
  return people;
}

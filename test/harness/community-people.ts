import { type RawBuilder, sql } from 'kysely';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { readConfig } from '../../src/config/config.ts';
import { refreshMatchingTerms } from '../../src/health/profiles/matching-terms.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** Somebody with an account and a session, made without mail and password. */
export interface Someone {
  id: number;
  name: string;
  email: string;
  access: string;
  refresh: string;
}

let made = 0;

const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: testSecret })).sessionTokens);

/**
 * One activated account with a session for each row of `columns` of `users`: hundreds of milliseconds of argon2 less than by
 * registering. Everybody wants to be found in the community unless the row says otherwise.
 */
export async function people(
  gateway: TestGateway,
  rows: readonly Record<string, unknown>[] | number,
): Promise<Someone[]> {
  const db = gateway.database.sql;
  const now = gateway.clock.now;
  const all: Someone[] = [];
  for (const columns of typeof rows === 'number' ? Array.from({ length: rows }, () => ({})) : rows) {
    const number = ++made;
    const user: Record<string, unknown> = {
      email: `bulk-${process.pid}-${number}@example.org`,
      first_name: 'Robin',
      last_name: `Number${number}`,
      is_active: true,
      is_verified: true,
      is_visible_in_community: true,
      date_joined: now.toISOString(),
      last_seen_at: now.toISOString(),
      ...columns,
    };
    const names = Object.keys(user).map(name => sql.ref(name));
    const values: RawBuilder<unknown>[] = Object.values(user).map(value => sql`${value}`);
    const inserted = await sql<{ id: number }>`insert into users (${sql.join(names)}) values (${sql.join(values)})
      returning id`.execute(db);
    const id = inserted.rows[0]?.id ?? 0;
    const opened = await openSession({ db, tokens, now }, { id, isGuest: user.is_guest === true });
    all.push({ id, name: `${user.first_name} ${user.last_name}`.trim(), email: String(user.email), ...opened });
  }
  await refreshMatchingTerms(
    db,
    all.map(one => one.id),
    now,
  );
  return all;
}

/** An access token of a new session, for after the clock was moved. */
export async function signIn(gateway: TestGateway, id: number): Promise<string> {
  const { access } = await openSession(
    { db: gateway.database.sql, tokens, now: gateway.clock.now },
    { id, isGuest: false },
  );
  return access;
}

/** Connects two people as they would themselves: one asks, the other accepts. Gives the number of the connection. */
export async function connect(gateway: TestGateway, one: Someone, other: Someone): Promise<number> {
  const call = (method: string, path: string, body: object, access: string): Promise<{ json: { id: number } }> =>
    gateway.request(`/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
      body: JSON.stringify(body),
    });
  const asked = await call('POST', '/community/peers/connect/', { receiver_id: other.id }, one.access);
  await call('PATCH', `/community/peers/${asked.json.id}/`, { status: 'accepted' }, other.access);
  return asked.json.id;
}

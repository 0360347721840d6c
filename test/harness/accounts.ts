import { type RawBuilder, sql } from 'kysely';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { openSession } from '../../src/auth/sessions.ts';
import { readConfig } from '../../src/config/config.ts';
import { refreshMatchingTerms } from '../../src/health/profiles/matching-terms.ts';
import type { TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** An account with an open session, inserted without registration and mail. */
export interface TestAccount {
  id: number;
  name: string;
  email: string;
  /** Valid for 60 days: the default lifetime of 15 minutes is too short for tests that move the clock. */
  access: string;
  refresh: string;
}

let created = 0;

const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: testSecret })).sessionTokens);

/**
 * Inserts activated accounts with a session each, which avoids the hundreds of milliseconds of argon2 that registering
 * takes. `rows`: columns of `users` for each account, or the number of accounts.
 */
export async function createAccounts(
  gateway: Pick<TestGateway, 'clock' | 'database'>,
  rows: readonly Record<string, unknown>[] | number,
): Promise<TestAccount[]> {
  const now = gateway.clock.now;
  const all: TestAccount[] = [];
  for (const columns of typeof rows === 'number' ? Array.from({ length: rows }, () => ({})) : rows) {
    const number = ++created;
    const user: Record<string, unknown> = {
      email: `bulk-${process.pid}-${number}@example.org`,
      first_name: 'Robin',
      last_name: `Number${number}`,
      date_of_birth: '1990-05-04',
      is_active: true,
      is_verified: true,
      date_joined: now.toISOString(),
      last_seen_at: now.toISOString(),
      ...columns,
    };
    const values: RawBuilder<unknown>[] = Object.values(user).map(value => sql`${value}`);
    const inserted = await sql<{ id: number }>`
      insert into users (${sql.join(Object.keys(user).map(name => sql.ref(name)))}) values (${sql.join(values)})
      returning id`.execute(gateway.database.sql);
    const id = inserted.rows[0]?.id ?? 0;
    const session = await signIn(gateway, id, user.is_guest === true);
    all.push({ id, name: `${user.first_name} ${user.last_name}`.trim(), email: String(user.email), ...session });
  }
  return all;
}

/**
 * The same for accounts that have opted in to the community unless a row says otherwise, with their matching terms: they show all conditions and
 * symptoms to suggestions.
 */
export async function createVisibleAccounts(
  gateway: TestGateway,
  rows: readonly Record<string, unknown>[] | number,
): Promise<TestAccount[]> {
  const each = typeof rows === 'number' ? Array.from({ length: rows }, () => ({})) : rows;
  const all = await createAccounts(
    gateway,
    each.map(columns => ({
      is_visible_in_community: true,
      conditions_for_suggestions: shownBy(columns),
      ...columns,
    })),
  );
  await refreshMatchingTerms(
    gateway.database.sql,
    all.map(account => account.id),
  );
  return all;
}

function shownBy({ conditions = [], symptoms = [], ...answers }: Record<string, unknown>): string[] {
  const answered = ['diabetes', 'hypertension'].filter(one => answers[`has_${one}`] === 'Y');
  return [...(conditions as string[]), ...(symptoms as string[]), ...answered].map(text =>
    text.trim().replace(/\s+/g, ' ').toLowerCase(),
  );
}

/** Opens another session at the time of the test clock. */
export async function signIn(
  gateway: Pick<TestGateway, 'clock' | 'database'>,
  id: number,
  isGuest = false,
): Promise<Pick<TestAccount, 'access' | 'refresh'>> {
  const now = gateway.clock.now;
  const { accessToken: access, refreshToken: refresh } = await openSession(
    { db: gateway.database.sql, tokens, now },
    { id, isGuest },
  );
  const claims = await tokens.verify('access', access, now);
  const expiresAt = new Date(now.getTime() + 60 * 24 * 3_600_000);
  return { access: await tokens.sign('access', { ...claims, expiresAt }), refresh };
}

/** Connects two users through the API: the first requests, the second accepts. Returns the id of the connection. */
export async function connect(gateway: TestGateway, requester: TestAccount, receiver: TestAccount): Promise<number> {
  const call = (method: string, path: string, body: object, access: string): Promise<{ json: { id: number } }> =>
    gateway.request(`/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
      body: JSON.stringify(body),
    });
  const requested = await call('POST', '/community/peers/connect/', { receiver_id: receiver.id }, requester.access);
  await call('PATCH', `/community/peers/${requested.json.id}/`, { status: 'accepted' }, receiver.access);
  return requested.json.id;
}

/** Records that people have consented to the sending of their messages to the model server at this base URL. */
export async function allowModel(
  gateway: Pick<TestGateway, 'clock' | 'database'>,
  people: readonly Pick<TestAccount, 'id'>[],
  baseUrl: string,
): Promise<void> {
  await sql`insert into consent (user_id, purpose, text_version, provider, given_at)
    select unnest(${people.map(({ id }) => id)}::bigint[]), 'messages_to_model', 'test', ${new URL(baseUrl).host}, ${gateway.clock.now}`.execute(
    gateway.database.sql,
  );
}

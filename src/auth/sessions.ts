import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Person } from '../../schema/health/person.ts';
import type { Session } from '../../schema/health/session.ts';
import { isoInstant } from '../../schema/vocabulary/scalars.ts';
import type { Read } from '../db/read.ts';
import { badCredential } from '../errors/errors.ts';
import type { SessionTokens, TokenClaims } from './session-tokens.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Lifetimes in milliseconds. Each rotation extends the refresh token, never beyond the end of the session. */
export const lifetimes = {
  person: { access: 15 * minuteMs, refresh: 14 * dayMs, session: 90 * dayMs },
  // A guest cannot log in again, so losing the session means losing the account.
  guest: { access: dayMs, refresh: 30 * dayMs, session: 365 * dayMs },
} as const;

/** Milliseconds for which a rotated refresh token still returns its successor, for parallel requests and lost responses. */
export const rotationGraceMs = 30_000;

type SessionRow = Pick<Session, 'id' | 'userId'> & Pick<Person, 'isGuest'>;

/** `db` is the transaction of the change that the session belongs to. */
export interface SessionDependencies {
  db: Kysely<unknown>;
  tokens: SessionTokens;
  now: Date;
}

/** The error for a suspended person, who knows the password: it says until when. */
export const suspendedError = (until: string): Error =>
  badCredential({ reason: 'account_suspended' }, `This account is suspended until ${isoInstant(until)}.`);

/**
 * Inserts a session and returns its first tokens.
 * @param device what the person recognises it by: see `deviceName`
 * @throws `account_suspended` (401)
 */
export async function openSession(
  dependencies: SessionDependencies,
  user: { id: number; isGuest: boolean },
  { device = '' }: { device?: string } = {},
): Promise<{ accessToken: string; refreshToken: string }> {
  const { db, tokens, now } = dependencies;
  const session: SessionRow = { id: randomUUID(), userId: user.id, isGuest: user.isGuest };
  const life = lifetimes[user.isGuest ? 'guest' : 'person'];
  const ends = new Date(now.getTime() + life.session);
  // The row is locked, so that a suspension ends this session or prevents it.
  const suspended = await sql<{ until: string | null }>`
    select case when suspended_until > ${now} then suspended_until end as until from users where id = ${user.id} for share`.execute(
    db,
  );
  const until = suspended.rows[0]?.until;
  if (until) throw suspendedError(until);
  await sql`insert into session (id, user_id, device, created_at, last_used_at, expires_at)
    values (${session.id}, ${user.id}, ${device}, ${now}, ${now}, ${ends})`.execute(db);
  const refresh = refreshClaims(session, now, ends);
  await sql`insert into refresh_token (id, session_id, issued_at, expires_at)
    values (${refresh.id}, ${session.id}, ${refresh.issuedAt}, ${refresh.expiresAt})`.execute(db);
  return {
    accessToken: await tokens.sign('access', accessClaims(session, now, ends)),
    refreshToken: await tokens.sign('refresh', refresh),
  };
}

/** Truncates to seconds: a JWT holds no fraction, and the row must reproduce the same JWT. */
function truncateToSeconds(time: number): Date {
  return new Date(Math.floor(time / 1000) * 1000);
}

function refreshClaims(session: SessionRow, now: Date, ends: Date): TokenClaims {
  const life = lifetimes[session.isGuest ? 'guest' : 'person'].refresh;
  return {
    id: randomUUID(),
    userId: session.userId,
    sessionId: session.id,
    issuedAt: truncateToSeconds(now.getTime()),
    expiresAt: truncateToSeconds(Math.min(now.getTime() + life, ends.getTime())),
  };
}

function accessClaims(session: SessionRow, now: Date, ends: Date): TokenClaims {
  const life = lifetimes[session.isGuest ? 'guest' : 'person'].access;
  const expiresAt = truncateToSeconds(Math.min(now.getTime() + life, ends.getTime()));
  return {
    id: randomUUID(),
    userId: session.userId,
    sessionId: session.id,
    issuedAt: truncateToSeconds(now.getTime()),
    expiresAt,
  };
}

/** The result of a renewal. `reused`: the token was rotated before the grace period, so the session has been ended. */
export type RenewalResult =
  | { kind: 'renewed'; accessToken: string; refreshToken: string }
  | { kind: 'refused'; reason: 'blacklisted' | 'no-account' }
  | { kind: 'reused'; userId: number };

/**
 * Renews a session with a refresh token whose signature has been verified. The row serialises the rotation: of several
 * concurrent requests one update finds the token unrotated, and the others get the same successor within the grace period.
 */
export async function renewSession(
  dependencies: SessionDependencies,
  token: TokenClaims,
  rotate: boolean,
): Promise<RenewalResult> {
  const { db, tokens, now } = dependencies;
  const found = await sql<{ userId: number; isGuest: boolean; usable: boolean; endedAt: string | null; ends: string }>`
    select u.id as "userId", u.is_guest as "isGuest", u.is_active and u.deleted_at is null as usable,
      s.ended_at as "endedAt", s.expires_at as ends
    from session s join users u on u.id = s.user_id where s.id = ${token.sessionId} and s.user_id = ${token.userId}`.execute(
    db,
  );
  const session = found.rows[0];
  if (!session) return { kind: 'refused', reason: 'no-account' };
  if (!session.usable) return { kind: 'refused', reason: 'no-account' };
  if (session.endedAt !== null || new Date(session.ends) <= now) return { kind: 'refused', reason: 'blacklisted' };
  const row: SessionRow = { id: token.sessionId, userId: session.userId, isGuest: session.isGuest };
  const ends = new Date(session.ends);
  const refresh = rotate ? await rotateRefreshToken(dependencies, row, token, ends) : token;
  if (refresh === 'reused') {
    await endSessions(dependencies, { sessionId: row.id }, 'token_reused');
    return { kind: 'reused', userId: row.userId };
  }
  // Lock order: the row of the user before the session, as in activation and password change; otherwise they could deadlock.
  await sql`update users set last_seen_at = ${now} where id = ${row.userId}`.execute(db);
  await sql`update session set last_used_at = ${now} where id = ${row.id}`.execute(db);
  return {
    kind: 'renewed',
    accessToken: await tokens.sign('access', accessClaims(row, now, ends)),
    refreshToken: await tokens.sign('refresh', refresh),
  };
}

async function rotateRefreshToken(
  { db, now }: SessionDependencies,
  session: SessionRow,
  token: TokenClaims,
  ends: Date,
): Promise<TokenClaims | 'reused'> {
  const next = refreshClaims(session, now, ends);
  await sql`insert into refresh_token (id, session_id, issued_at, expires_at)
    values (${next.id}, ${session.id}, ${next.issuedAt}, ${next.expiresAt})`.execute(db);
  const won = await sql`update refresh_token set rotated_at = ${now}, successor_id = ${next.id}
    where id = ${token.id} and session_id = ${session.id} and rotated_at is null returning id`.execute(db);
  if (won.rows.length === 1) return next;
  await sql`delete from refresh_token where id = ${next.id}`.execute(db);
  const found = await sql<{ id: string; issuedAt: string; expiresAt: string }>`
    select n.id, n.issued_at as "issuedAt", n.expires_at as "expiresAt"
    from refresh_token t join refresh_token n on n.id = t.successor_id
    where t.id = ${token.id} and t.rotated_at > ${new Date(now.getTime() - rotationGraceMs)}`.execute(db);
  const before = found.rows[0];
  if (!before) return 'reused';
  return { ...next, id: before.id, issuedAt: new Date(before.issuedAt), expiresAt: new Date(before.expiresAt) };
}

/** Ends one session, or all sessions of a user except optionally one. Their access tokens are refused from then on. */
export async function endSessions(
  { db, now }: Pick<SessionDependencies, 'db' | 'now'>,
  which: { sessionId: string } | { userId: number; except?: string },
  reason: string,
): Promise<void> {
  const condition =
    'sessionId' in which
      ? sql`id = ${which.sessionId}`
      : sql`user_id = ${which.userId} and id is distinct from ${which.except ?? null}::uuid`;
  await sql`update session set ended_at = ${now}, end_reason = ${reason} where ${condition} and ended_at is null`.execute(
    db,
  );
}

/**
 * Whether the session is still open, at the beginning of a transaction that changes its user. Reading the body of an
 * authenticated request can take minutes, in which activation may give the account of a guest to another person. The row of
 * the user is locked first: activation updates it before it ends the sessions, so one of the two sees the other's change.
 */
export async function lockOpenSession(
  { db, now }: Pick<SessionDependencies, 'db' | 'now'>,
  { userId, sessionId }: { userId: number; sessionId: string },
): Promise<boolean> {
  await sql`select 1 from users where id = ${userId} for no key update`.execute(db);
  const open = await sql`select 1 from session
    where id = ${sessionId} and user_id = ${userId} and ended_at is null and expires_at > ${now}`.execute(db);
  return open.rows.length > 0;
}

/** The state of the user and the session that an access token names. */
export interface SessionState {
  userExists: boolean;
  userActive: boolean;
  isGuest: boolean;
  isModerator: boolean;
  /** End of a suspension, as PostgreSQL prints it; null for none. */
  suspendedUntil: string | null;
  isOpen: boolean;
}

/** Loads the state with one statement by primary key. Not cached, so that a logout takes effect at once in every process. */
export async function loadSessionState(read: Read, token: TokenClaims, now: Date): Promise<SessionState> {
  const [row] = await read(sql<{
    isGuest: boolean;
    isModerator: boolean;
    suspendedUntil: string | null;
    active: boolean;
    open: boolean;
  }>`
    select u.is_guest as "isGuest", u.is_moderator as "isModerator",
      case when u.suspended_until > ${now.toISOString()} then u.suspended_until end as "suspendedUntil", u.is_active and u.deleted_at is null as active,
      s.id is not null and s.ended_at is null and s.expires_at > ${now.toISOString()} as open
    from users u left join session s on s.id = ${token.sessionId} and s.user_id = u.id
    where u.id = ${token.userId}`);
  return {
    userExists: row !== undefined,
    userActive: row?.active === true,
    isGuest: row?.isGuest === true,
    isModerator: row?.isModerator === true,
    suspendedUntil: row?.suspendedUntil ?? null,
    isOpen: row?.open === true,
  };
}

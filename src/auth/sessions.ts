import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Read } from '../db/read.ts';
import type { SessionTokens, TokenClaims } from './session-tokens.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How long tokens and sessions live. A refresh token slides; the session ends whatever happens. */
export const lifetimes = {
  person: { access: 15 * minuteMs, refresh: 14 * dayMs, session: 90 * dayMs },
  // A guest has no way to log in again: the session is the account.
  guest: { access: dayMs, refresh: 30 * dayMs, session: 365 * dayMs },
} as const;

/** Time in which a rotated refresh token is answered with its successor again: requests in parallel, a lost answer. */
export const rotationGraceMs = 30_000;

interface SessionRow {
  id: string;
  userId: number;
  isGuest: boolean;
}

/** The services sessions are made with. `db` is the transaction of the change a session belongs to. */
export interface SessionDependencies {
  db: Kysely<unknown>;
  tokens: SessionTokens;
  now: Date;
}

/** Opens a session and gives its first tokens. */
export async function openSession(
  dependencies: SessionDependencies,
  user: { id: number; isGuest: boolean },
): Promise<{ access: string; refresh: string }> {
  const { db, tokens, now } = dependencies;
  const session: SessionRow = { id: randomUUID(), userId: user.id, isGuest: user.isGuest };
  const life = lifetimes[user.isGuest ? 'guest' : 'person'];
  const ends = new Date(now.getTime() + life.session);
  await sql`insert into session (id, user_id, created_at, last_used_at, expires_at)
    values (${session.id}, ${user.id}, ${now}, ${now}, ${ends})`.execute(db);
  const refresh = refreshClaims(session, now, ends);
  await sql`insert into refresh_token (id, session_id, issued_at, expires_at)
    values (${refresh.id}, ${session.id}, ${refresh.issuedAt}, ${refresh.expiresAt})`.execute(db);
  return {
    access: await tokens.sign('access', accessClaims(session, now, ends)),
    refresh: await tokens.sign('refresh', refresh),
  };
}

/** Whole seconds: a token holds no fraction, and a row must make the same token again. */
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

/** How a renewal ended. `reused`: somebody holds a token that was rotated long ago, and the session has been ended for it. */
export type RenewalResult =
  | { kind: 'renewed'; access: string; refresh: string }
  | { kind: 'refused'; reason: 'blacklisted' | 'no-account' }
  | { kind: 'reused'; userId: number };

/**
 * Renews a session by a refresh token whose signature has been read. The row decides who rotates: of any number of
 * requests at once one update finds the token unrotated, and the others, within the grace, get the same successor.
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
  // The row of the user first, as activation and a new password have it: the other way round they would deadlock with renewals.
  await sql`update users set last_seen_at = ${now} where id = ${row.userId}`.execute(db);
  await sql`update session set last_used_at = ${now} where id = ${row.id}`.execute(db);
  return {
    kind: 'renewed',
    access: await tokens.sign('access', accessClaims(row, now, ends)),
    refresh: await tokens.sign('refresh', refresh),
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

/** Ends one session, or all of a person but perhaps one. Access tokens of an ended session are refused from then on. */
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
 * Whether the session is open, at the beginning of a transaction that changes its user. A request is let in before its body
 * is read, which can take minutes, and activation can make the account of a guest another person's meanwhile. The row of the
 * user is locked first: activation changes it before it ends the sessions, so one of the two sees the other.
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

/** What the database says of the session an access token names. */
export interface SessionState {
  userExists: boolean;
  userActive: boolean;
  isGuest: boolean;
  isOpen: boolean;
}

/** One statement by primary keys, for every request: a logout then holds at once and everywhere, which a cache cannot promise. */
export async function loadSessionState(read: Read, token: TokenClaims, now: Date): Promise<SessionState> {
  const [row] = await read(sql<{ isGuest: boolean; active: boolean; open: boolean }>`
    select u.is_guest as "isGuest", u.is_active and u.deleted_at is null as active,
      s.id is not null and s.ended_at is null and s.expires_at > ${now.toISOString()} as open
    from users u left join session s on s.id = ${token.sessionId} and s.user_id = u.id
    where u.id = ${token.userId}`);
  return {
    userExists: row !== undefined,
    userActive: row?.active === true,
    isGuest: row?.isGuest === true,
    isOpen: row?.open === true,
  };
}

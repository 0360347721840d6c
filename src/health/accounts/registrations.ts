import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';

/**
 * One transaction at a time for each address, until it ends: registering, activating and sending a link again decide by the
 * registrations there are. A row cannot be the lock: of an address that only guests have registered there is none in `users`.
 */
export async function lockAddress(db: Kysely<unknown>, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('registrations of ' || lower(${email}::text), 0))`.execute(
    db,
  );
}

/** The registrations of an address that wait for its activation. */
export interface PendingRegistrationCounts {
  attempts: number;
  /**
   * How many different passwords they have. One: repeated registrations had the same password, and count as one
   * registrant. More: another person may have set any of them, so activation adopts none.
   */
  passwords: number;
}

/**
 * Counts what waits for an address, to be called with its lock. An expired registration counts until it is purged: a new
 * link can be sent for it. So nobody's password becomes the only one because the owner's link has expired.
 */
export async function countPendingRegistrations(
  db: Kysely<unknown>,
  email: string,
): Promise<PendingRegistrationCounts> {
  const counted = await sql<PendingRegistrationCounts>`
    select count(*)::int as attempts, count(distinct r.password_hash)::int as passwords
    from registration r join users u on u.id = r.user_id
    where lower(r.email) = lower(${email}) and u.deleted_at is null and (not u.is_active or u.is_guest)`.execute(db);
  return counted.rows[0] ?? { attempts: 0, passwords: 0 };
}

/**
 * Salt of the passwords that an address is registered with, 16 bytes. It is the same for one address, so the same password
 * gives the same hash, and `pendingRegistrations` can tell a form that was sent twice from a second registrant, also when both
 * come at once. A random salt would need a hash of each new password against each that waits, which anybody can make many.
 * The key makes it as unpredictable as a random one, and no two addresses share it.
 */
export function registrationSalt(keys: Pick<DerivedKeys, 'registrationSalt'>, email: string): Uint8Array {
  return createHmac('sha256', keys.registrationSalt).update(email.toLowerCase()).digest().subarray(0, 16);
}

import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';

/**
 * Advisory lock of an address until the transaction ends: registering, activating and resending a link decide by the
 * pending registrations. A row lock does not work: `users` has no row for an address that only guests have registered.
 */
export async function lockAddress(db: Kysely<unknown>, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('registrations of ' || lower(${email}::text), 0))`.execute(
    db,
  );
}

/** Pending registrations of an address. */
export interface PendingRegistrationCounts {
  attempts: number;
  /**
   * Number of different passwords. One: the registrations are repetitions and count as one registrant. More: any of
   * them may be from another person, so activation uses none.
   */
  passwords: number;
}

/**
 * Counts the pending registrations of an address. The caller holds its lock. Expired registrations count until they are
 * purged, because a new link can be sent for them; so nobody's password becomes the only one because the owner's link
 * expired.
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
 * Salt for the passwords registered with an address, 16 bytes. It is the same for all registrations of an address, so
 * that equal passwords have equal hashes and `countPendingRegistrations` can tell a repeated form from a second
 * registrant. With random salts, each new password would have to be hashed against every pending one, whose number an
 * attacker controls. The key makes the salt unpredictable, and no two addresses share one.
 */
export function registrationSalt(keys: Pick<DerivedKeys, 'registrationSalt'>, email: string): Uint8Array {
  return createHmac('sha256', keys.registrationSalt).update(email.toLowerCase()).digest().subarray(0, 16);
}

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { ownedBy } from './credentials.queries.ts';

/**
 * Revokes tokens; returns their number. Their rows are kept for a while: a failed attempt with one counts against its
 * owner.
 */
export async function revokeWhere(db: Kysely<unknown>, condition: RawBuilder<unknown>, now: Date): Promise<number> {
  const revoked = await sql`update host_credential set revoked_at = ${now}, updated_at = ${now}
    where ${condition} and revoked_at is null returning id`.execute(db);
  return revoked.rows.length;
}

/**
 * Revokes a token that the caller manages, and those created with it, from the next request. Other gateways are
 * notified at commit.
 *
 * @throws 404 when the caller manages no such token.
 */
export async function revokeToken(context: Context, id: number): Promise<void> {
  const user = callingUser(context.actor);
  await context.transaction(async db => {
    const count = await revokeWhere(db, sql`id = ${id} and ${ownedBy(user)}`, context.now());
    if (count === 0) throw notFound();
  });
  context.credentials.invalidate();
}

/** Revokes the installation token of the request. Returns its number. */
export async function revokeInstallationToken(context: Context): Promise<number> {
  const { actor } = context;
  if (actor.kind !== 'installation')
    throw new TypeError('The access scope of this field must admit installations only.');
  await context.transaction(db => revokeWhere(db, sql`id = ${actor.credential.id}`, context.now()));
  context.credentials.invalidate();
  return actor.credential.id;
}

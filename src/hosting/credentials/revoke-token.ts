import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { ownedBy } from './credentials.queries.ts';

/** Takes tokens back. Their rows stay for a while: a bad attempt with one of them counts for its owner. */
export async function revokeWhere(db: Kysely<unknown>, condition: RawBuilder<unknown>, now: Date): Promise<number> {
  const gone = await sql`update host_credential set revoked_at = ${now}, updated_at = ${now}
    where ${condition} and revoked_at is null returning id`.execute(db);
  return gone.rows.length;
}

/**
 * Takes back a token that the caller looks after. It is worth nothing from the next request on, and neither is what was made
 * with it: other gateways hear of it as soon as it is committed.
 */
export async function revokeToken(context: Context, id: number): Promise<void> {
  const user = callingUser(context.actor);
  await context.transaction(async db => {
    const count = await revokeWhere(db, sql`id = ${id} and ${ownedBy(user)}`, context.now());
    if (count === 0) throw notFound();
  });
  context.credentials.invalidate();
}

/** Takes back the token that an app calls with. */
export async function revokeInstallationToken(context: Context): Promise<void> {
  const { actor } = context;
  if (actor.kind !== 'installation') throw new TypeError('The access word of this field lets installations alone in.');
  await context.transaction(db => revokeWhere(db, sql`id = ${actor.credential.id}`, context.now()));
  context.credentials.invalidate();
}

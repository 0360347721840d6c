import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { newClientSecret } from './client-secret.ts';
import { findOwnedOauthApp, requireDelegableApp } from './owned-app.ts';

/**
 * Puts a new secret in the place of that of an app or OAuth app. The secret ends with the credential that makes it, so this is
 * also how an app goes on once the credential that made the last one was taken back. It is shown once.
 */
export async function resetClientSecret(
  context: Context,
  clientId: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const [app] = await context.read(sql<{ id: number }>`select id from app where client_id = ${clientId}`);
  const owned = app ? await requireDelegableApp(context, app.id) : await findOwnedOauthApp(context, clientId);
  if (!owned) throw notFound();
  const { secret, hash } = newClientSecret();
  const table: RawBuilder<unknown> = app ? sql`app` : sql`oauth_app`;
  await context.transaction(db =>
    sql`update ${table} set client_secret_hash = ${hash}, secret_by_id = ${owned.parentId} where id = ${owned.id}`.execute(
      db,
    ),
  );
  return { clientId, clientSecret: secret };
}

import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { newClientSecret } from './client-secret.ts';
import { findOwnedOauthApp, requireDelegableApp } from './owned-app.ts';

/**
 * Replaces the client secret of an app or OAuth app and returns it once. A secret is revoked with the credential that
 * created it, so this also restores an app whose secret was revoked that way.
 *
 * @throws 422 for a public client, which has none
 */
export async function resetClientSecret(
  context: Context,
  clientId: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const [app] = await context.read(sql<{ id: number }>`select id from app where client_id = ${clientId}`);
  const owned = app ? await requireDelegableApp(context, app.id) : await findOwnedOauthApp(context, clientId);
  if (!owned) throw notFound();
  if ('isPublic' in owned && owned.isPublic)
    throw validationFailed([
      { resource: 'OauthApp', field: 'clientId', code: 'custom', message: 'A public client has no secret.' },
    ]);
  const { secret, hash } = newClientSecret();
  const table: RawBuilder<unknown> = app ? sql`app` : sql`oauth_app`;
  await context.transaction(db =>
    sql`update ${table} set client_secret_hash = ${hash}, secret_by_id = ${owned.parentId} where id = ${owned.id}`.execute(
      db,
    ),
  );
  return { clientId, clientSecret: secret };
}

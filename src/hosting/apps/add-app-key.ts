import { createHash, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { AppKey } from '../../../schema/hosting/app.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { requireDelegableApp, requireOwnedApp } from './owned-app.ts';

const generateKeyPairAsync = promisify(generateKeyPair);

export type AppKeyRow = Pick<AppKey, 'id' | 'publicKey' | 'fingerprint' | 'createdAt'>;

/** Of the table `app_key` itself. */
export const keyColumns = columnsOf(AppKey, null)('all');

/**
 * Adds a key with which an app signs its JWTs: the given public key, or a generated pair, whose private key is returned
 * once and not stored.
 *
 * @throws 404 for an app that the caller does not manage; 422 for an invalid key or one in use.
 */
export async function addAppKey(
  context: Context,
  { appId, publicKey }: { appId: number; publicKey?: string | null | undefined },
): Promise<{ key: AppKeyRow; privateKey: string | null }> {
  const { id, parentId } = await requireDelegableApp(context, appId);
  const sent = publicKey == null ? undefined : parseRsaKey(publicKey);
  const generated = sent ? undefined : await generateKeyPairAsync('rsa', { modulusLength: 2048 });
  try {
    const key = await context.transaction(db =>
      insertAppKey(db, { appId: id, addedById: parentId }, sent ?? (generated?.publicKey as KeyObject), context.now()),
    );
    return {
      key,
      privateKey: generated ? String(generated.privateKey.export({ type: 'pkcs1', format: 'pem' })) : null,
    };
  } catch (error) {
    if (!isUniqueViolation(error, 'app_key_fingerprint_key')) throw error;
    throw validationFailed([{ resource: 'AppKey', field: 'publicKey', code: 'already_exists' }]);
  }
}

/**
 * Inserts a public key of an app. `addedById` is the credential with which the key ends; null when the operator adds
 * it.
 */
export async function insertAppKey(
  db: Kysely<unknown>,
  { appId, addedById = null }: { appId: number; addedById?: number | null },
  key: KeyObject,
  now: Date,
): Promise<AppKeyRow> {
  const fingerprint = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const inserted = await sql<AppKeyRow>`
    insert into app_key (app_id, public_key, fingerprint, added_by_id, created_at)
    values (${appId}, ${String(key.export({ type: 'spki', format: 'pem' }))}, ${fingerprint}, ${addedById}, ${now})
    returning ${keyColumns}`.execute(db);
  return inserted.rows[0] as AppKeyRow;
}

/** Parses an RSA public key of at least 2,048 bits: app tokens are RS256. */
function parseRsaKey(text: string): KeyObject {
  const invalid = (message: string): Error =>
    validationFailed([{ resource: 'AppKey', field: 'publicKey', code: 'custom', message }]);
  if (/PRIVATE KEY/.test(text)) throw invalid('This is a private key. Never give it away; send the public one.');
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw invalid('This is no public key in PEM.');
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw invalid('It must be an RSA key of at least 2048 bits.');
  }
  return key;
}

/**
 * Deletes a key of an app. Tokens that it signed are invalid from the next request.
 *
 * @throws 404 for a key of an app that the caller does not manage.
 */
export async function removeAppKey(context: Context, keyId: number): Promise<void> {
  const [key] = await context.read(sql<{ appId: number }>`select app_id as "appId" from app_key where id = ${keyId}`);
  if (!key) throw notFound();
  const id = await requireOwnedApp(context, key.appId);
  await context.transaction(async db => {
    const deleted = await sql`delete from app_key where id = ${keyId} and app_id = ${id} returning id`.execute(db);
    if (deleted.rows.length === 0) throw notFound();
  });
  context.credentials.invalidate();
}

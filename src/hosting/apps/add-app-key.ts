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

export type AppKeyRow = Pick<AppKey, 'databaseId' | 'publicKey' | 'fingerprint' | 'createdAt'>;

const keySelectList = columnsOf(AppKey, null, { computed: { databaseId: 'id' } });

/**
 * Gives an app a key to sign its tokens with: the public one that is sent, or else a new pair, of which the private key is
 * shown once and kept nowhere.
 */
export async function addAppKey(
  context: Context,
  { appId, publicKey }: { appId: number; publicKey?: string | null | undefined },
): Promise<{ key: AppKeyRow; privateKey: string | null }> {
  const { id, parentId } = await requireDelegableApp(context, appId);
  const sent = publicKey == null ? undefined : parseRsaKey(publicKey);
  const made = sent ? undefined : await generateKeyPairAsync('rsa', { modulusLength: 2048 });
  try {
    const key = await context.transaction(db =>
      insertAppKey(db, { appId: id, addedById: parentId }, sent ?? (made?.publicKey as KeyObject), context.now()),
    );
    return { key, privateKey: made ? String(made.privateKey.export({ type: 'pkcs1', format: 'pem' })) : null };
  } catch (error) {
    if (!isUniqueViolation(error, 'app_key_fingerprint_key')) throw error;
    throw validationFailed([{ resource: 'AppKey', field: 'publicKey', code: 'already_exists' }]);
  }
}

/** Stores a public key of an app. `addedById`: the credential that the key ends with; none where the operator adds it. */
export async function insertAppKey(
  db: Kysely<unknown>,
  { appId, addedById = null }: { appId: number; addedById?: number | null },
  key: KeyObject,
  now: Date,
): Promise<AppKeyRow> {
  const fingerprint = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const made = await sql<AppKeyRow>`
    insert into app_key (app_id, public_key, fingerprint, added_by_id, created_at)
    values (${appId}, ${String(key.export({ type: 'spki', format: 'pem' }))}, ${fingerprint}, ${addedById}, ${now})
    returning ${keySelectList('all')}`.execute(db);
  return made.rows[0] as AppKeyRow;
}

/** An RSA key of 2,048 bits or more: tokens of apps are RS256. */
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

/** Takes a key from an app. Tokens it signed are worth nothing from the next request on. */
export async function removeAppKey(context: Context, appId: number, keyId: number): Promise<void> {
  const id = await requireOwnedApp(context, appId);
  await context.transaction(async db => {
    const gone = await sql`delete from app_key where id = ${keyId} and app_id = ${id} returning id`.execute(db);
    if (gone.rows.length === 0) throw notFound();
  });
  context.credentials.invalidate();
}

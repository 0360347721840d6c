import { sql } from 'kysely';
import { SigningKey } from '../../../schema/hosting/signing-key.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { parsePublicKey } from './parse-public-key.ts';

export type SigningKeyRow = Omit<SigningKey, 'accountId' | 'keyIds' | 'revokedAt'>;

/** Of the table `signing_key` itself. */
export const signingKeyColumns = columnsOf(SigningKey, null)('all');

/**
 * Adds a public key that verifies signatures of the caller.
 *
 * @throws 422 for an invalid key, and for one that any account uses already.
 */
export async function addSigningKey(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  { kind, title, publicKey }: { kind: 'ssh' | 'pgp'; title: string; publicKey: string },
): Promise<SigningKeyRow> {
  const { accountId } = callingUser(context.actor);
  const { text, fingerprint, keyIds } = await parsePublicKey(kind, publicKey);
  try {
    return await context.transaction(async db => {
      const inserted = await sql<SigningKeyRow>`
        insert into signing_key (account_id, kind, title, public_key, fingerprint, key_ids, created_at)
        values (${accountId}, ${kind}, ${title.trim() || 'Key'}, ${text}, ${fingerprint}, ${keyIds}, ${context.now()})
        returning ${signingKeyColumns}`.execute(db);
      return inserted.rows[0] as SigningKeyRow;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'signing_key_fingerprint')) throw error;
    throw validationFailed([{ resource: 'SigningKey', field: 'publicKey', code: 'already_exists' }]);
  }
}

/**
 * Revokes a key. The row remains, because its earlier verifications stay valid.
 *
 * @throws 404 when the caller has no such key.
 */
export async function removeSigningKey(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  id: number,
): Promise<void> {
  const { accountId } = callingUser(context.actor);
  await context.transaction(async db => {
    const revoked = await sql`update signing_key set revoked_at = ${context.now()}
      where id = ${id} and account_id = ${accountId} and revoked_at is null returning id`.execute(db);
    if (revoked.rows.length === 0) throw notFound();
  });
}

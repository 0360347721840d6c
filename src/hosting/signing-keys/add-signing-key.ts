import { sql } from 'kysely';
import { SigningKey } from '../../../schema/hosting/signing-key.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { parsePublicKey } from './parse-public-key.ts';

export type SigningKeyRow = Omit<SigningKey, 'id' | 'accountId' | 'keyIds' | 'revokedAt'>;

/** Of the table `signing_key` itself. */
export const signingKeyColumns = columnsOf(SigningKey, null, { computed: { databaseId: 'id' } })('all');

/** Adds a public key with which the caller signs. A key that is in use already, by whomever, is refused. */
export async function addSigningKey(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  { kind, title, publicKey }: { kind: 'ssh' | 'pgp'; title: string; publicKey: string },
): Promise<SigningKeyRow> {
  const { accountId } = callingUser(context.actor);
  const { text, fingerprint, keyIds } = await parsePublicKey(kind, publicKey);
  try {
    return await context.transaction(async db => {
      const made = await sql<SigningKeyRow>`
        insert into signing_key (account_id, kind, title, public_key, fingerprint, key_ids, created_at)
        values (${accountId}, ${kind}, ${title.trim() || 'Key'}, ${text}, ${fingerprint}, ${keyIds}, ${context.now()})
        returning ${signingKeyColumns}`.execute(db);
      return made.rows[0] as SigningKeyRow;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'signing_key_fingerprint')) throw error;
    throw validationFailed([{ resource: 'SigningKey', field: 'publicKey', code: 'already_exists' }]);
  }
}

/** Takes a key away. What it verified before stays verified, so the row stays. */
export async function removeSigningKey(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  id: number,
): Promise<void> {
  const { accountId } = callingUser(context.actor);
  await context.transaction(async db => {
    const gone = await sql`update signing_key set revoked_at = ${context.now()}
      where id = ${id} and account_id = ${accountId} and revoked_at is null returning id`.execute(db);
    if (gone.rows.length === 0) throw notFound();
  });
}

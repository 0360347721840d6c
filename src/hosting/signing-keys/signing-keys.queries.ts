import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type SigningKeyRow, signingKeyColumns } from './add-signing-key.ts';

/** Signing keys of a user, oldest first. */
export function signingKeysOf({ read }: Pick<Context, 'read'>, accountId: number): Promise<SigningKeyRow[]> {
  return read(sql<SigningKeyRow>`
    select ${signingKeyColumns}
    from signing_key where account_id = ${accountId} and revoked_at is null order by id`);
}

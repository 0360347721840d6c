import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type CredentialRow, credentialColumns } from './insert-credential.ts';

/** The tokens that act for a user and are good now, newest first. */
export function credentialsOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  accountId: number,
): Promise<CredentialRow[]> {
  return read(sql<CredentialRow>`select ${credentialColumns} from host_credential
    where account_id = ${accountId} and revoked_at is null and (expires_at is null or expires_at > ${now().toISOString()})
    order by id desc`);
}

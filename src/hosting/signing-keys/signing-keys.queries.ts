import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { type SigningKeyRow, signingKeyColumns } from './add-signing-key.ts';

/** Signing keys of users, oldest first. */
export function signingKeysOf({ read }: Pick<Context, 'read'>): BatchedSource<number, SigningKeyRow> {
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => signingKeyColumns,
    from: sql`signing_key`,
    where: key => [sql`account_id = ${key}`, sql`revoked_at is null`],
    order: sql`id`,
  });
}

/** Signing keys by id, in the order of the ids; null for those that are revoked. */
export async function signingKeysByIds(
  { read }: Pick<Context, 'read'>,
  ids: readonly number[],
): Promise<(SigningKeyRow | null)[]> {
  const found = await read(sql<SigningKeyRow>`
    select ${signingKeyColumns} from signing_key where id = any(${[...ids]}::bigint[]) and revoked_at is null`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

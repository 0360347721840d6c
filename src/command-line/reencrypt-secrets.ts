import { type Kysely, sql } from 'kysely';
import { DecryptionError, decrypt, type EncryptionKeys, encrypt, isCurrent } from '../auth/encryption.ts';

/** A column of encrypted values that outlive `SECRET_KEY_PREVIOUS`. What lives for days, such as a queued mail, is not listed. */
interface EncryptedColumn {
  table: string;
  column: string;
  /** The key of the row, as text. */
  id: string;
  /** The purpose of a value; `$id` in it is the key of the row, or of what the row belongs to. */
  purpose: string;
  /** Column that `$id` stands for. */
  purposeId?: string;
}

const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'app', column: 'webhook_secret_sealed', id: 'id', purpose: 'webhook secret' },
  { table: 'hook', column: 'secret_sealed', id: 'id', purpose: 'webhook secret' },
  { table: 'service_signing_key', column: 'encrypted_key', id: 'email', purpose: 'service signing key' },
  { table: 'source_import', column: 'credentials', id: 'id', purpose: 'source-import:$id', purposeId: 'repository_id' },
];

/** Counts of encrypted values. */
export interface ReencryptedCounts {
  /** Values that had another key and have the current one now. */
  changed: number;
  /** Values that had the current key. */
  current: number;
  /** Values that no accepted key decrypts, by column. */
  unreadable: Map<string, number>;
}

interface StoredValue {
  id: string;
  purposeId: string;
  value: string;
}

/** Encrypts every stored value with the current key. `db` is a transaction: the rows stay locked until it ends. */
export async function reencryptSecrets(db: Kysely<unknown>, keys: EncryptionKeys): Promise<ReencryptedCounts> {
  const counts: ReencryptedCounts = { changed: 0, current: 0, unreadable: new Map() };
  for (const { table, column, id, purpose, purposeId = id } of encryptedColumns) {
    const names = { table: sql.table(table), column: sql.ref(column), id: sql.ref(id), purposeId: sql.ref(purposeId) };
    const { rows } = await sql<StoredValue>`
      select ${names.id}::text as id, ${names.purposeId}::text as "purposeId", ${names.column} as value
      from ${names.table} where ${names.column} is not null for update`.execute(db);
    for (const row of rows) {
      const ownPurpose = purpose.replace('$id', row.purposeId);
      if (isCurrent(keys, row.value, ownPurpose)) counts.current++;
      else {
        const renewed = reencrypt(keys, row.value, ownPurpose);
        if (renewed === undefined) {
          const name = `${table}.${column}`;
          counts.unreadable.set(name, (counts.unreadable.get(name) ?? 0) + 1);
          continue;
        }
        await sql`update ${names.table} set ${names.column} = ${renewed} where ${names.id}::text = ${row.id}`.execute(
          db,
        );
        counts.changed++;
      }
    }
  }
  return counts;
}

function reencrypt(keys: EncryptionKeys, value: string, purpose: string): string | undefined {
  try {
    return encrypt(keys, decrypt(keys, value, purpose), purpose);
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

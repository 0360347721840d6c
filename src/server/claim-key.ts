import { createHash, hkdfSync } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyClaim, StoredResponse } from 'operation-rest';
import { DecryptionError, decrypt, type EncryptionKeys, encrypt } from '../auth/encryption.ts';
import type { Context } from '../context/context.ts';
import { ownerOf } from '../limits/caller-quotas.ts';

/** How long a response is stored. */
const lifetimeMs = 24 * 60 * 60 * 1_000;
/** A request that runs longer has been lost with its process; no request may take as long. */
const maxRunMs = 5 * 60 * 1_000;
/** Keys of a caller; the oldest give way to new ones. */
const maxKeys = 1_000;
/** Of a stored response, in bytes of JSON. */
const maxResponseBytes = 256 * 1_024;

const purpose = 'response of an idempotent request';

interface StoredRequest {
  fingerprint: string | null;
  isWritten: boolean;
  response: string | null;
}

/**
 * Claims a key of `Idempotency-Key` for a request of the caller. The key itself is not stored, and the response is encrypted by it: who
 * reads the table alone reads no response. A request that has committed no transaction is forgotten: its repetition changes nothing.
 */
export async function claimKey(
  context: Context,
  product: string,
  key: string,
  fingerprint: () => string,
): Promise<KeyClaim | 'in-flight'> {
  const { owner } = ownerOf(context.actor);
  const caller = `${product} ${owner}`;
  const id = createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest();
  const keys = responseKeys(context.keys.encryption, key);
  const now = context.now();
  const abandoned = new Date(now.getTime() - maxRunMs).toISOString();
  const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString();
  const { rows: claimed } = await sql`
    with surplus as (
      delete from idempotent_request where id in (
        select id from idempotent_request where caller = ${caller} order by begun_at desc offset ${maxKeys - 1})
        and id <> ${id} and (response is not null or begun_at < ${abandoned}))
    insert into idempotent_request as r (id, caller, begun_at, expires_at)
    values (${id}, ${caller}, ${now.toISOString()}, ${expiresAt})
    on conflict (id) do update set fingerprint = null, is_written = false, response = null,
        begun_at = excluded.begun_at, expires_at = excluded.expires_at
      where r.expires_at < excluded.begun_at or (not r.is_written and r.begun_at < ${abandoned})
    returning id`.execute(context.sql);
  if (claimed.length === 0) {
    const { rows } = await sql<StoredRequest>`
      select fingerprint, is_written as "isWritten", response from idempotent_request
      where id = ${id} and (response is not null or begun_at < ${abandoned})`.execute(context.sql);
    const [first] = rows;
    if (!first) return 'in-flight';
    const response = first.response === null ? undefined : readResponse(keys, first.response);
    return { first: { fingerprint: first.fingerprint ?? '', response }, finish: async () => {} };
  }
  context.recordInTransaction(
    () => sql`update idempotent_request set is_written = true, fingerprint = ${fingerprint()} where id = ${id}`,
  );
  return {
    first: undefined,
    finish: async response => {
      const text = response && JSON.stringify(response);
      const stored = text === undefined || text.length > maxResponseBytes ? null : encrypt(keys, text, purpose);
      // Without a response, the request must not be taken for one that runs.
      await sql`
        with unwritten as (delete from idempotent_request where id = ${id} and not is_written)
        update idempotent_request set response = ${stored},
          begun_at = case when ${stored}::text is null then ${abandoned}::timestamptz - interval '1 second' else begun_at end
        where id = ${id} and is_written`.execute(context.sql);
    },
  };
}

function responseKeys(keys: EncryptionKeys, key: string): EncryptionKeys {
  const [current, ...accepted] = keys.map(one => new Uint8Array(hkdfSync('sha256', one, key, purpose, 32)));
  return [current as Uint8Array, ...accepted];
}

/** Undefined for one that was encrypted with a secret that is not accepted any more. */
function readResponse(keys: EncryptionKeys, encrypted: string): StoredResponse | undefined {
  try {
    return JSON.parse(decrypt(keys, encrypted, purpose)) as StoredResponse;
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

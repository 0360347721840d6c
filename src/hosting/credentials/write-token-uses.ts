import { type Kysely, sql } from 'kysely';

/** Use of a token; `at` in milliseconds since 1970. */
export interface TokenUse {
  credentialId: number;
  at: number;
}

/** Milliseconds within which further uses of a token are not written. */
export const tokenUseIntervalMs = 60 * 60_000;

/**
 * Writes when tokens were used, in one statement. Another gateway may have written a use within the hour, which stays. Rows are
 * written in the order of their keys, so that gateways cannot deadlock; tokens that are deleted meanwhile are left out.
 */
export async function writeTokenUses(db: Kysely<unknown>, uses: readonly TokenUse[]): Promise<void> {
  const ids = uses.map(({ credentialId }) => credentialId);
  const times = uses.map(({ at }) => new Date(at).toISOString());
  await sql`insert into token_use as known (credential_id, used_at)
    select c.id, u.used_at from unnest(${ids}::bigint[], ${times}::timestamptz[]) as u (id, used_at)
      join host_credential c on c.id = u.id
    order by c.id for key share of c
    on conflict (credential_id) do update set used_at = excluded.used_at
      where excluded.used_at >= known.used_at + ${tokenUseIntervalMs}::float8 * interval '1 millisecond'`.execute(db);
}

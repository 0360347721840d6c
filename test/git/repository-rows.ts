import { type Kysely, sql } from 'kysely';

/** Inserts repositories 1 to `count`, which the objects and refs refer to. */
export async function insertRepositories(db: Kysely<unknown>, count: number): Promise<void> {
  await sql`
    with owner as (insert into account (kind, login, created_at, updated_at)
      values ('organization', 'git-tests', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z') returning id, created_at)
    insert into repository (id, owner_id, name, created_at, updated_at)
    select n, owner.id, 'repository-' || n, owner.created_at, owner.created_at
    from owner, generate_series(1, ${count}::int) as n`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** A name of a repository under an owner. */
interface OwnedName {
  ownerId: number;
  name: string;
}

/**
 * Makes the old name of a repository redirect to it, until another repository takes that name; the new one no longer redirects.
 * The repository has its new name already.
 */
export async function redirectFormerName(
  db: Kysely<unknown>,
  { repositoryId, from, to, at }: { repositoryId: number; from: OwnedName; to: OwnedName; at: Date },
): Promise<void> {
  const [before, key] = [from.name.toLowerCase(), to.name.toLowerCase()];
  await sql`delete from former_repository_name where owner_id = ${to.ownerId} and name = ${key}`.execute(db);
  if (from.ownerId === to.ownerId && before === key) return;
  await sql`insert into former_repository_name (owner_id, name, repository_id, left_at)
    values (${from.ownerId}, ${before}, ${repositoryId}, ${at})
    on conflict (owner_id, name) do update set repository_id = excluded.repository_id, left_at = excluded.left_at`.execute(
    db,
  );
}

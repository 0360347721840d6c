import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../src/db/database.ts';
import { moveRefs } from '../../src/git/refs.ts';
import { writeObjects } from '../../src/git/write-objects.ts';
import type { AttackedGateway } from './attacked-gateway.ts';
import { type HostileObjects, nonce } from './hostile-objects.ts';

/** A public repository of the attacker. */
export interface HostileRepository {
  id: number;
  /** `owner/name`. */
  path: string;
  owner: string;
  name: string;
  refs: HostileObjects['refs'];
}

/**
 * Stores a repository as it may be in a database that is older than the limits of pushes, or from an import: the objects are
 * written without a push, which would refuse them.
 */
export async function storeRepository(
  { database, login }: Pick<AttackedGateway, 'database' | 'login'>,
  { objects, refs }: HostileObjects,
): Promise<HostileRepository> {
  const name = `hostile-${nonce()}`;
  const now = new Date();
  const { rows } = await sql<{ id: number }>`
    insert into repository (owner_id, name, created_at, updated_at)
    select id, ${name}, now(), now() from account where login = ${login} returning id`.execute(database.sql);
  const id = rows[0]?.id ?? 0;
  await inTransaction(database, async db => {
    await writeObjects({ db, repositoryId: id, now }, objects);
    const moves = Object.entries(refs).map(([ref, to]) => ({ name: ref, old: undefined, to }));
    await moveRefs(db, id, moves);
  });
  return { id, path: `${login}/${name}`, owner: login, name, refs };
}

/** A fork of the attacker whose upstream is another repository of the attacker: `side` of `made` is the upstream's `main`. */
export async function forkOf(
  gateway: Pick<AttackedGateway, 'database' | 'login'>,
  { objects, refs }: HostileObjects,
): Promise<HostileRepository> {
  const upstream = await storeRepository(gateway, {
    objects,
    refs: { 'refs/heads/main': refs['refs/heads/side'] ?? '' },
  });
  const fork = await storeRepository(gateway, { objects, refs: { 'refs/heads/main': refs['refs/heads/main'] ?? '' } });
  await sql`update repository set parent_id = ${upstream.id} where id = ${fork.id}`.execute(gateway.database.sql);
  return fork;
}

/** The global id of a repository. */
export const globalRepositoryId = (id: number): string => encodeGlobalId('Repository', id);

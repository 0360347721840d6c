import { deflateSync } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { chunkBytes } from '../chunk-rows.ts';
import type { Oid } from '../object.ts';
import { compression } from '../object-rows.ts';
import { openBlob } from '../open-blob.ts';
import { missingObject, readObject, statObject } from '../read-objects.ts';
import { oidBytes, type Repository } from '../repository.ts';
import { writeChunks } from '../write-blob.ts';

/**
 * Stores an object as a whole, or in chunks, that is stored as a delta: its base is about to be deleted.
 * @throws GitError `missing`, `corrupt`
 */
export async function storeWhole(db: Kysely<unknown>, repository: Repository, oid: Oid): Promise<void> {
  const found = await statObject(repository, oid);
  if (!found) throw missingObject(oid);
  let [z, chunks]: [Buffer | null, string | null] = [null, null];
  if (found.type === 'blob' && found.size > chunkBytes) {
    const blob = await openBlob(repository, oid);
    if (!blob) throw missingObject(oid);
    chunks = await writeChunks({ db, repositoryId: repository.id }, blob.size, blob.pieces(), () => {});
  } else {
    z = deflateSync((await readObject(repository, oid)).content, compression);
  }
  await sql`update git_object set z = ${z}, chunks = ${chunks}, delta = null, delta_base = null, delta_size = null
    where repository_id = ${repository.id} and oid = ${oidBytes(oid)} and delta is not null`.execute(db);
}

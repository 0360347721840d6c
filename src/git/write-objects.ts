import { sql } from 'kysely';
import { type GitObject, LargeBlob, type Oid, sizeOf } from './object.ts';
import { insertRows, type ObjectRow, type ObjectTarget, rowOf } from './object-rows.ts';
import { chunkSize } from './read-objects.ts';
import { bytesOf } from './repository.ts';
import { largestBlob, storeBlob, tooLarge } from './write-blob.ts';

/** Of one statement: enough that the way there no longer counts, and little enough to be held twice. */
const most = { rows: 2000, bytes: 4 * 1024 * 1024 };

/**
 * Stores objects; those that are there already stay as they are. An object with the id of a stored one and other content,
 * which is an attack on SHA-1, is refused. Gives how many bytes were not there before, without compression.
 */
export async function writeObjects(target: ObjectTarget, objects: Iterable<GitObject>): Promise<number> {
  let stored = 0;
  const rows: ObjectRow[] = [];
  const seen = new Set<Oid>();
  for (const object of objects) {
    if (seen.has(object.oid)) continue;
    seen.add(object.oid);
    const size = sizeOf(object);
    if (size > largestBlob) throw tooLarge(object.oid);
    if (object instanceof LargeBlob || (object.type === 'blob' && size > chunkSize)) {
      const pieces = object instanceof LargeBlob ? object.source.pieces() : [object.content];
      if ((await storeBlob(target, size, pieces)).isNew) stored += size;
    } else {
      rows.push(rowOf(object));
    }
  }
  // Two transactions that store the same objects wait for each other; in one order for all they cannot do so in a circle.
  rows.sort((one, other) => one.oid.compare(other.oid));
  for (let at = 0; at < rows.length; ) {
    let end = at;
    for (let bytes = 0; end < rows.length && end - at < most.rows && bytes < most.bytes; end++) {
      bytes += rows[end]?.z.length ?? 0;
    }
    stored += await insertRows(target, rows.slice(at, end));
    at = end;
  }
  return stored;
}

/** Takes away again what this very transaction has stored of them: what others have stored stays. */
export async function removeOwn({ db, repositoryId }: ObjectTarget, oids: readonly Oid[]): Promise<void> {
  if (oids.length === 0) return;
  await sql`
    with gone as (delete from git_object where repository_id = ${repositoryId} and oid = any(${oids.map(bytesOf)}::bytea[])
      and xmin = pg_current_xact_id()::xid returning chunks)
    delete from git_chunk using gone where git_chunk.chunks = gone.chunks`.execute(db);
}

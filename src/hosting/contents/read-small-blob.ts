import type { Oid } from '../../git/object.ts';
import { openBlob } from '../../git/open-blob.ts';
import type { Repository } from '../../git/repository.ts';

/** Reads a blob of at most `maxBytes` bytes; undefined for a larger one and for one that does not exist. */
export async function readSmallBlob(repository: Repository, oid: Oid, maxBytes: number): Promise<Buffer | undefined> {
  const blob = await openBlob(repository, oid);
  if (!blob || blob.size > maxBytes) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of blob.pieces()) pieces.push(piece);
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}

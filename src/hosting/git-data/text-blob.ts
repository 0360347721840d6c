import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { encodeGitText } from '../../git/git-text.ts';
import { createLargeBlob, createObject, type GitObject } from '../../git/object.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { gitProblems } from '../git-problems.ts';

/**
 * Creates a blob from text, which may come in pieces; then only one piece of a large blob is in memory.
 * @throws GitError `bad-text`; 422 for more than `maxBlobBytes`
 */
export async function blobFromText(text: string | TextInPieces): Promise<GitObject> {
  if (typeof text === 'string') return createObject('blob', encodeGitText(text, 'content'));
  let size = 0;
  for await (const bytes of encodePieces(text)) size += bytes.length;
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToStore();
  if (size > chunkBytes) return createLargeBlob({ size, pieces: () => encodePieces(text) });
  const all: Buffer[] = [];
  for await (const bytes of encodePieces(text)) all.push(bytes);
  return createObject('blob', Buffer.concat(all));
}

/** The two halves of a surrogate pair may be in different pieces. */
async function* encodePieces(text: TextInPieces): AsyncGenerator<Buffer> {
  let half = '';
  for await (const piece of text.pieces()) {
    const joined = half + piece;
    const isSplit = (joined.charCodeAt(joined.length - 1) & 0xfc00) === 0xd800;
    half = isSplit ? joined.slice(-1) : '';
    yield encodeGitText(isSplit ? joined.slice(0, -1) : joined, 'content');
  }
  if (half !== '') yield encodeGitText(half, 'content');
}

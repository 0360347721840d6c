import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { encodeGitText } from '../../git/git-text.ts';
import { createLargeBlob, createObject, type GitObject } from '../../git/object.ts';
import { hashInTurns } from '../../git/stored-content.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';

/**
 * Creates a blob from text, which may come in pieces; then only one piece of a large blob is in memory.
 * @throws GitError `bad-text`; 422 for more than `maxBlobBytes`; WorkBudgetError
 */
export async function blobFromText(text: string | TextInPieces, budget: WorkBudget): Promise<GitObject> {
  if (typeof text === 'string') {
    // One call: 40 MB are encoded in 20 ms.
    const content = encodeGitText(text, 'content');
    return { oid: await hashInTurns('blob', content, budget), type: 'blob', content };
  }
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

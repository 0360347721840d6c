import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { createLargeBlob, createObject, type GitObject } from '../../git/object.ts';
import { hashInTurns } from '../../git/stored-content.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';
import { sliced } from './sliced-text.ts';

/**
 * Creates a blob from padded Base64 of the standard alphabet, which may come in pieces. White space is ignored, and so are the unused bits
 * of the last character. Of a large blob in pieces only one piece is in memory.
 * @throws the published 422 for anything else, and for more than `maxBlobBytes`; WorkBudgetError
 */
export async function blobFromBase64(base64: string | TextInPieces, budget: WorkBudget): Promise<GitObject> {
  if (typeof base64 === 'string') {
    const content = await decodeBase64(base64, budget);
    return { oid: await hashInTurns('blob', content, budget), type: 'blob', content };
  }
  let size = 0;
  for await (const bytes of decodePieces(base64)) size += bytes.length;
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToStore();
  if (size > chunkBytes) return createLargeBlob({ size, pieces: () => decodePieces(base64) });
  const all: Buffer[] = [];
  for await (const bytes of decodePieces(base64)) all.push(bytes);
  return createObject('blob', Buffer.concat(all));
}

/** With turns of the event loop: 40 MB, of which half are blanks, take two seconds. */
async function decodeBase64(base64: string, budget: WorkBudget): Promise<Buffer> {
  const decoded: Buffer[] = [];
  let size = 0;
  for await (const bytes of decodePieces(sliced(base64, budget))) {
    size += bytes.length;
    if (size > maxBlobBytes) throw gitProblems.blobTooLargeToStore();
    decoded.push(bytes);
  }
  return Buffer.concat(decoded);
}

async function* decodePieces(base64: TextInPieces): AsyncGenerator<Buffer> {
  /** Less than four characters. */
  let rest = '';
  let isPadded = false;
  for await (const piece of base64.pieces()) {
    const text = rest + stripWhitespace(piece);
    const whole = text.slice(0, text.length - (text.length % 4));
    rest = text.slice(whole.length);
    if ((isPadded && text !== '') || !isBase64(whole)) throw gitProblems.contentNotBase64();
    isPadded ||= paddingStart(whole) < whole.length;
    yield Buffer.from(whole, 'base64');
  }
  if (rest !== '') throw gitProblems.contentNotBase64();
}

function stripWhitespace(text: string): string {
  return /\s/.test(text) ? text.replace(/\s+/g, '') : text;
}

/** Not one regular expression for the whole: V8 keeps a backtracking position per character, up to a limit. */
function isBase64(text: string): boolean {
  const end = paddingStart(text);
  return !/[^A-Za-z0-9+/=]/.test(text) && /^={0,2}$/.test(text.slice(end, end + 4));
}

/** Index of the first padding character. */
function paddingStart(text: string): number {
  const padding = text.indexOf('=');
  return padding < 0 ? text.length : padding;
}

import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import { ruleBroken } from '../../errors/errors.ts';
import { type GitObject, largeBlobOf, objectOf } from '../../git/object.ts';
import { chunkSize } from '../../git/read-objects.ts';
import { largestBlob } from '../../git/write-blob.ts';

/**
 * The bytes of a Base64 text of the standard alphabet, padded; white space is left out, and what the last bits say is not looked
 * at. Anything else, and what is larger than a blob may be, is the published 422.
 */
export function bytesOfBase64(base64: string): Buffer {
  const text = withoutSpace(base64);
  if (text.length % 4 !== 0 || !isBase64(text)) throw notBase64();
  // Before as many bytes are asked for.
  if ((text.length / 4) * 3 - (text.length - endOf(text)) > largestBlob) throw tooLarge();
  return Buffer.from(text, 'base64');
}

/** The blob of such a text, which may come in pieces: then no more of it is in memory than one, unless it is small. */
export async function blobOfBase64(base64: string | TextInPieces): Promise<GitObject> {
  if (typeof base64 === 'string') return objectOf('blob', bytesOfBase64(base64));
  let size = 0;
  for await (const bytes of decoded(base64)) size += bytes.length;
  if (size > largestBlob) throw tooLarge();
  if (size > chunkSize) return largeBlobOf({ size, pieces: () => decoded(base64) });
  const all: Buffer[] = [];
  for await (const bytes of decoded(base64)) all.push(bytes);
  return objectOf('blob', Buffer.concat(all));
}

async function* decoded(base64: TextInPieces): AsyncGenerator<Buffer> {
  /** Less than four characters. */
  let rest = '';
  let isOver = false;
  for await (const piece of base64.pieces()) {
    const text = rest + withoutSpace(piece);
    const whole = text.slice(0, text.length - (text.length % 4));
    rest = text.slice(whole.length);
    if ((isOver && text !== '') || !isBase64(whole)) throw notBase64();
    isOver ||= endOf(whole) < whole.length;
    yield Buffer.from(whole, 'base64');
  }
  if (rest !== '') throw notBase64();
}

function withoutSpace(text: string): string {
  return /\s/.test(text) ? text.replace(/\s+/g, '') : text;
}

/** Not one pattern for the whole: V8 keeps every character that it may have to step back to, up to a limit. */
function isBase64(text: string): boolean {
  const end = endOf(text);
  return !/[^A-Za-z0-9+/=]/.test(text) && /^={0,2}$/.test(text.slice(end, end + 4));
}

/** Where the padding begins. */
function endOf(text: string): number {
  const padding = text.indexOf('=');
  return padding < 0 ? text.length : padding;
}

function notBase64(): Error {
  return ruleBroken([], 'content is not valid Base64');
}

function tooLarge(): Error {
  return ruleBroken([{ resource: 'Blob', field: 'content', code: 'too_large' }]);
}

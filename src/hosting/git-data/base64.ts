import { ruleBroken } from '../../errors/errors.ts';
import { largestBlob } from '../../git/write-objects.ts';

/**
 * The bytes of a Base64 text of the standard alphabet, padded; white space is left out, and what the last bits say is not looked
 * at. Anything else, and what is larger than a blob may be, is the published 422.
 */
export function bytesOfBase64(base64: string): Buffer {
  const text = /\s/.test(base64) ? base64.replace(/\s+/g, '') : base64;
  const padding = text.indexOf('=');
  const end = padding < 0 ? text.length : padding;
  // Not one pattern for the whole: V8 keeps every character that it may have to step back to, up to a limit.
  const isBase64 = text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text) && /^={0,2}$/.test(text.slice(end, end + 4));
  if (!isBase64) throw ruleBroken([], 'content is not valid Base64');
  // Before as many bytes are asked for.
  if ((text.length / 4) * 3 - (text.length - end) > largestBlob) {
    throw ruleBroken([{ resource: 'Blob', field: 'content', code: 'too_large' }]);
  }
  return Buffer.from(text, 'base64');
}

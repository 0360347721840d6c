import { ruleBroken } from '../../errors/errors.ts';

/** The bytes of a Base64 text of the usual alphabet, padded; white space is left out. Anything else is the published 422. */
export function bytesOfBase64(text: string): Buffer {
  const digits = text.replace(/\s+/g, '');
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw ruleBroken([], 'content is not valid Base64');
  }
  return Buffer.from(digits, 'base64');
}

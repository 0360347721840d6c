/** Code points. At least 64 must be allowed (ASVS 6.2.9); a sentence of a thousand characters fits, a file does not. */
export const maxPasswordLength = 1024;

/**
 * Code points in what was sent, or undefined for more than `longestPassword`, found without walking through all of it.
 * To be asked before anything else is done with a password: see `passwordText`.
 */
export function passwordLength(password: string): number | undefined {
  // A code point is one or two UTF-16 units: beyond twice the limit nothing has to be counted.
  if (password.length > maxPasswordLength * 2) return undefined;
  const length = [...password].length;
  return length > maxPasswordLength ? undefined : length;
}

/**
 * The text that is hashed and judged: the password as it was typed, in normal form C and nothing else: no trimming, no change
 * of case, no cutting (ASVS 6.2.8).
 *
 * C because one key gives é as one code point on one system and as two on another, and both are the same text to whoever typed
 * them; RFC 8265 (OpaqueString) asks for the same. Not KC, which takes ² for 2 and ﬁ for fi: different passwords made equal.
 *
 * @param password no longer than `longestPassword`. Normalising takes time with the square of a run of combining marks:
 *   1,024 of them 3 ms, 8,192 some 160 ms and 65,536 over 6 s, all on the event loop.
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

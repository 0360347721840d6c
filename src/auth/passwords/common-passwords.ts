import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * 19,220 of the most common passwords of 8 characters and more, as published with three password meters (sources and licence
 * in common-passwords.license.txt). All three are needed: the two larger ones omit what their own matchers find without a list,
 * such as 987654321 and p@ssword. ASVS 6.2.4 requires the first 3,000.
 */
let commonPasswords: Set<string> | undefined;

/**
 * Whether `password` is a common one, ignoring case, or one character repeated. Nothing is stripped and no look-alike
 * characters are mapped to letters, so that a refused password can be found in the list (`zgrep`).
 */
export function isCommonPassword(password: string): boolean {
  // Read at first use: it takes 3 ms and 1 MB, which most processes of a test run do not need.
  commonPasswords ??= new Set(
    gunzipSync(readFileSync(join(import.meta.dirname, 'common-passwords.txt.gz')))
      .toString('utf8')
      .trimEnd()
      .split('\n'),
  );
  const folded = password.normalize('NFC').toLowerCase();
  return commonPasswords.has(folded) || new Set(folded).size === 1;
}

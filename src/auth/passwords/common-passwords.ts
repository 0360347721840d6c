import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * 19,220 of the most common passwords of 8 characters and more, as published with three password meters (sources and licence
 * in common-passwords.license.txt). All three are needed: the two larger ones leave out what their own matchers find
 * without a list, such as 987654321 and p@ssword. The first 3,000 are what ASVS 6.2.4 asks for.
 */
let commonPasswords: Set<string> | undefined;

/**
 * Whether `password` is one of the most common ones, in whatever case, or one character again and again.
 * Nothing is stripped and no look-alikes are turned into letters: whoever is refused can look the password up in the list.
 */
export function isCommonPassword(password: string): boolean {
  // Read at the first use: 3 ms and 1 MB that most processes of a test run never need.
  commonPasswords ??= new Set(
    readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  const folded = password.normalize('NFC').toLowerCase();
  return commonPasswords.has(folded) || new Set(folded).size === 1;
}

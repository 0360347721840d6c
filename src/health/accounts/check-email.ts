import {
  canonicalAddress,
  InvalidMailAddressError,
  normalizeAddressText,
  parseMailAddress,
} from '../../mail/mail-address.ts';
import type { InputChecks } from '../input/input-checks.ts';

/**
 * Returns the trimmed address in canonical form, and adds an error when mail cannot be sent to it. Addresses are
 * compared by `lower(email)`; visually similar letters are different addresses because they are different mailboxes.
 */
export function checkEmail(checks: InputChecks, field: string, value: string): string {
  const email = canonicalAddress(checks.text(field, normalizeAddressText(value), { maxLength: 254 }));
  if (email === '') return email;
  try {
    parseMailAddress(email);
  } catch (error) {
    if (!(error instanceof InvalidMailAddressError)) throw error;
    checks.add(field, 'Enter a valid email address.');
  }
  return email;
}

import {
  canonicalAddress,
  InvalidMailAddressError,
  normalizeAddressText,
  parseMailAddress,
} from '../../mail/mail-address.ts';
import type { InputChecks } from '../input/input-checks.ts';

/**
 * An address as it was typed, trimmed and in its canonical spelling, that mail can be sent to. It is compared by
 * `lower(email)`; letters that merely look alike are different addresses, for they are different mailboxes.
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

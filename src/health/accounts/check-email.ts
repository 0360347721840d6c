import {
  canonicalAddress,
  InvalidMailAddressError,
  normalizeAddressText,
  parseMailAddress,
} from '../../mail/mail-address.ts';
import type { InputChecks } from '../input/input-checks.ts';
import { emailLimits } from './account-limits.ts';

/**
 * Returns the trimmed address in canonical form, and adds an error when mail cannot be sent to it. Addresses are
 * compared by `lower(email)`; an international domain is accepted in both of its spellings, and needs a dot like any other; visually similar letters are different addresses because they are different mailboxes.
 */
export function checkEmail(checks: InputChecks, field: string, value: string): string {
  const email = canonicalAddress(checks.text(field, normalizeAddressText(value), emailLimits));
  if (email === '') return email;
  try {
    parseMailAddress(email);
    // Mail is sent to hosts without a dot inside of a network only, and nobody registers from there: `a@b` is a typing error.
    if (!email.slice(email.lastIndexOf('@')).includes('.')) throw new InvalidMailAddressError();
  } catch (error) {
    if (!(error instanceof InvalidMailAddressError)) throw error;
    checks.add(field, 'Enter a valid email address.');
  }
  return email;
}

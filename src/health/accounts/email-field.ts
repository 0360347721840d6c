import type { Checks } from '../../errors/checks.ts';
import { canonicalAddress, composed, MailAddressRefused, mailAddress } from '../../mail/mail-address.ts';

/**
 * An address as it was typed, trimmed and in its canonical spelling, that mail can be sent to. It is compared by
 * `lower(email)`; letters that merely look alike are different addresses, for they are different mailboxes.
 */
export function emailField(checks: Checks, field: string, value: string): string {
  const email = canonicalAddress(checks.text(field, composed(value), { most: 254 }));
  if (email === '') return email;
  try {
    mailAddress(email);
  } catch (error) {
    if (!(error instanceof MailAddressRefused)) throw error;
    checks.add(field, 'Enter a valid email address.');
  }
  return email;
}

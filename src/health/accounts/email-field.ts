import type { Checks } from '../../errors/checks.ts';
import { MailAddressRefused, mailAddress } from '../../mail/mail-address.ts';

/**
 * An address as somebody typed it, trimmed and composed (NFC), that mail can be sent to. It is kept as written and compared
 * by `lower(email)`; letters that merely look alike are different addresses, for they are different mailboxes.
 */
export function emailField(checks: Checks, field: string, value: string): string {
  const email = checks.text(field, value.normalize('NFC'), { most: 254 });
  if (email === '') return email;
  try {
    mailAddress(email);
  } catch (error) {
    if (!(error instanceof MailAddressRefused)) throw error;
    checks.add(field, 'Enter a valid email address.');
  }
  return email;
}

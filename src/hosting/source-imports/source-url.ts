import { validationFailed } from '../../errors/errors.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';

/** Longest address of a source. */
const maxUrlChars = 2_048;

/**
 * The address of a source as it is kept and given to programs: of http or https, without a name, a password, a query or a
 * fragment, in the one spelling of URLs. Whatever else there is throws 422; hosts that may not be reached do so too as far as
 * they can be told without asking anybody.
 */
export function parseSourceUrl(text: string, guard: Pick<AddressGuard, 'parseUrl'>): string {
  // White space and control characters would be dropped silently; then another address is fetched than was shown.
  if (text.length > maxUrlChars || /[^\x21-\x7e]/.test(text))
    throw invalidUrl('The address is too long, or not plain ASCII.');
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || !/^https?:\/\//i.test(text)) {
    throw invalidUrl('The address of a source begins with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidUrl('Send the name and the password as vcs_username and vcs_password, not within the address.');
  }
  if (url.search !== '' || url.hash !== '') throw invalidUrl('The address of a source has no query and no fragment.');
  try {
    guard.parseUrl(url.href);
  } catch (error) {
    throw error instanceof OutboundError ? invalidUrl(error.message) : error;
  }
  return url.href.replace(/\/+$/, '');
}

const invalidUrl = (message: string): Error =>
  validationFailed([{ resource: 'Import', field: 'vcs_url', code: 'custom', message }]);

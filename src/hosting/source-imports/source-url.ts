import { ruleBroken } from '../../errors/errors.ts';
import type { Guard } from '../../outbound/guard.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';

/** Longest address of a source. */
const longest = 2_048;

/**
 * The address of a source as it is kept and given to programs: of http or https, without a name, a password, a query or a
 * fragment, in the one spelling of URLs. Whatever else there is throws 422; hosts that may not be reached do so too as far as
 * they can be told without asking anybody.
 */
export function readSourceUrl(text: string, guard: Pick<Guard, 'urlOf'>): string {
  // White space and control characters would be dropped silently; then another address is fetched than was shown.
  if (text.length > longest || /[^\x21-\x7e]/.test(text)) throw invalid('The address is too long, or not plain ASCII.');
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || !/^https?:\/\//i.test(text)) {
    throw invalid('The address of a source begins with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('Send the name and the password as vcs_username and vcs_password, not within the address.');
  }
  if (url.search !== '' || url.hash !== '') throw invalid('The address of a source has no query and no fragment.');
  try {
    guard.urlOf(url.href);
  } catch (error) {
    throw error instanceof OutboundError ? invalid(error.message) : error;
  }
  return url.href.replace(/\/+$/, '');
}

const invalid = (message: string): Error =>
  ruleBroken([{ resource: 'Import', field: 'vcs_url', code: 'custom', message }]);

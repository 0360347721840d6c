import { validationFailed } from '../../errors/errors.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { isTooLong } from '../text-problems.ts';
import { importLimits } from './import-limits.ts';

/**
 * Validates and normalises the URL of a source: http or https, without user name, password, query and fragment.
 * @throws 422; also for hosts that the guard refuses without a DNS lookup
 */
export function parseSourceUrl(text: string, guard: Pick<AddressGuard, 'parseUrl'>): string {
  // The URL parser drops white space and control characters silently, so the fetched URL would differ from the shown
  // one.
  if (isTooLong(text, importLimits.url.maxLength) || /[^\x21-\x7e]/.test(text))
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
  return url.href.replace(/(?<!\/)\/+$/, '');
}

const invalidUrl = (message: string): Error =>
  validationFailed([{ resource: 'Import', field: 'vcs_url', code: 'custom', message }]);

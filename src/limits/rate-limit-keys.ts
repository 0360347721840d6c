import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/** Maximum length of an e-mail address (RFC 5321). */
const maxEmailLength = 254;

/**
 * Key of an e-mail address: SHA-256, 43 characters, independent of letter case and Unicode normalization form. A longer text is
 * not normalized: that takes seconds for 65,536 combining marks.
 */
export function emailKey(email: string): string {
  const written = email.length > maxEmailLength ? email : email.normalize('NFC').toLowerCase().normalize('NFC');
  return hash('sha256', written, 'base64url');
}

/**
 * Key of an IP address: IPv4 unchanged, also if IPv4-mapped (a dual-stack socket reports `::ffff:192.0.2.1`); IPv6 as its /64,
 * which is usually one customer. Anything else is the key `unknown`.
 */
export function ipKey(ip: string): string {
  const address = ip.split('%', 1)[0] ?? '';
  if (!isIPv6(address)) return isIPv4(address) ? address : 'unknown';
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [before = '', after] = address.split('::');
  const head = parseGroups(before);
  if (after === undefined) return head;
  const tail = parseGroups(after);
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function parseGroups(groups: string): number[] {
  return groups.split(':').flatMap(group => {
    if (group === '') return [];
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

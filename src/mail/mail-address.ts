import { domainToASCII, domainToUnicode } from 'node:url';

/** Not an address that mail can go to. The message does not repeat it. */
export class InvalidMailAddressError extends Error {
  override name = 'InvalidMailAddressError';
  constructor() {
    super('This is not a mail address that can be written to.');
  }
}

/**
 * The address in the form it is sent to: an international domain in its ASCII form; a local part may keep its letters,
 * which mail servers with SMTPUTF8 take. Throws InvalidMailAddressError on everything that is not one plain address: lists,
 * display names, comments, quoted local parts, line breaks and other invisible characters, addresses of machines.
 */
export function parseMailAddress(text: string): string {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = toAsciiDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  const isPlain = at > 0 && !/[\s\p{C}"(),:;<>@[\\\]]/u.test(local) && Buffer.byteLength(local) <= 64;
  if (!isPlain || domain === '' || Buffer.byteLength(address) > 254) throw new InvalidMailAddressError();
  return address;
}

/** UTF-16 units that NFC may shorten to the 254 of an address. NFC of 65,536 combining marks takes seconds, of these 1 ms. */
const maxNormalizedLength = 1016;

/** NFC of a text that may be an address. A longer text is none and stays as it is. */
export function normalizeAddressText(text: string): string {
  return text.length > maxNormalizedLength ? text : text.normalize('NFC');
}

/**
 * One spelling for all spellings of an address that mail delivers to one mailbox, letter case aside: NFC, and the domain in
 * its Unicode form where it is international. IDNA maps full-width letters and `xn--` to the same domain, so without this
 * `ann@ｅxample.org` would be an account of its own whose mails go to ann@example.org. The case stays as it was typed, for
 * the published answers repeat it; the database compares by `lower(email)`. What is no address is returned as NFC.
 */
export function canonicalAddress(text: string): string {
  const address = normalizeAddressText(text);
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ascii = at < 0 ? '' : toAsciiDomain(domain);
  if (ascii === '' || (ascii === domain.toLowerCase() && !ascii.includes('xn--'))) return address;
  return `${address.slice(0, at)}@${domainToUnicode(ascii)}`;
}

/** Empty for what is no domain. The characters come first: the conversion follows browsers and forgives too much. */
function toAsciiDomain(text: string): string {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return '';
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  const good = labels.every(label => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  return good && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : '';
}

/** Who a mail is from. */
export interface Sender {
  name: string;
  address: string;
}

/** Reads `Portico <no-reply@example.org>` or a bare address. Throws InvalidMailAddressError. */
export function parseSender(text: string): Sender {
  const [, name = '', address = text] = /^([^<>\p{C}]*)<([^<>]+)>$/u.exec(text) ?? [];
  return { name: name.trim(), address: parseMailAddress(address.trim()) };
}

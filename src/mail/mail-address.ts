import { domainToASCII, domainToUnicode } from 'node:url';

/** The text is not a mail address that can be sent to. The message does not repeat it. */
export class InvalidMailAddressError extends Error {
  override name = 'InvalidMailAddressError';
  constructor() {
    super('This is not a mail address that can be written to.');
  }
}

/**
 * Parses an address into the form that it is sent to: an international domain becomes ASCII, the local part is unchanged, because
 * mail servers with SMTPUTF8 accept any letters in it.
 *
 * @throws InvalidMailAddressError for anything but one plain address: lists, display names, comments, quoted local parts, control
 *   and invisible characters, IP addresses
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

/**
 * UTF-16 units. NFC can shorten a text of this length to the 254 of an address. NFC of 65,536 combining marks takes seconds, of
 * these 1 ms.
 */
const maxNormalizedLength = 1016;

/** NFC of a text that may be an address. A longer text is returned unchanged. */
export function normalizeAddressText(text: string): string {
  return text.length > maxNormalizedLength ? text : text.normalize('NFC');
}

/**
 * The canonical spelling of an address: NFC, and an international domain in its Unicode form. IDNA maps full-width letters and
 * `xn--` to the same domain, so otherwise `ann@ｅxample.org` would be a separate account whose mail goes to ann@example.org. The
 * letter case is kept, because published responses contain it; the database compares by `lower(email)`. A text that is no address
 * is returned in NFC.
 */
export function canonicalAddress(text: string): string {
  const address = normalizeAddressText(text);
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ascii = at < 0 ? '' : toAsciiDomain(domain);
  if (ascii === '' || (ascii === domain.toLowerCase() && !ascii.includes('xn--'))) return address;
  return `${address.slice(0, at)}@${domainToUnicode(ascii)}`;
}

/** UTF-16 units. The 254 bytes of an address in ASCII have fewer before the conversion, but for letters with separate marks. */
const maxDomainLength = 512;

/**
 * The domain in ASCII, or an empty string for a text that is none. The characters are checked first, because the conversion
 * follows browsers and accepts too much.
 */
function toAsciiDomain(text: string): string {
  // Punycode is quadratic: 2,000 characters of one label took 40 ms.
  if (text.length > maxDomainLength || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return '';
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  const good = labels.every(label => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  return good && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : '';
}

/** The sender of a mail. */
export interface Sender {
  name: string;
  address: string;
}

/** Parses `Portico <no-reply@example.org>` or a bare address. @throws InvalidMailAddressError */
export function parseSender(text: string): Sender {
  const [, name = '', address = text] = /^([^<>\p{C}]*)<([^<>]+)>$/u.exec(text) ?? [];
  return { name: name.trim(), address: parseMailAddress(address.trim()) };
}

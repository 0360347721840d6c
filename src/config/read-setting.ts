import { isIP } from 'node:net';
import { type AllowedHost, parseAllowedHost } from './host-name.ts';

/*
 * Parsers for the text of one setting. Each returns the value or throws an Error whose message completes «NAME must be …».
 */

export const invalid = (what: string): never => {
  throw new Error(what);
};

export const wholeNumber = (low: number, high: number) => (text: string) => {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= low && value <= high ? value : invalid(`a whole number from ${low} to ${high}`);
};
export const oneOf =
  <const W extends string>(...words: W[]) =>
  (text: string): W =>
    words.find(one => one === text) ?? invalid(`one of ${words.join(', ')}`);
export const optional =
  <T>(read: (text: string) => T) =>
  (text: string): T | undefined =>
    text === '' ? undefined : read(text);
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

export function url(...protocols: string[]) {
  const example = `an address such as ${protocols[0]}//name:secret@host.example.org`;
  return (text: string): string =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : invalid(example);
}

export function origin(text: string): string {
  const expected = 'an address without a path at its end, such as https://api.example.org';
  if (!URL.canParse(text)) return invalid(expected);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    return invalid(expected);
  return url.origin;
}

export function allowedHosts(text: string): AllowedHost[] {
  const hosts = commaSeparated(text).map(parseAllowedHost);
  return hosts.every(host => host !== undefined)
    ? hosts
    : invalid('host names, comma separated, such as api.example.org, api.example.org:8443, .example.org or *');
}

export function urlTemplate(text: string): string {
  return text.includes('{token}') && URL.canParse(text.replace('{token}', 'x'))
    ? text
    : invalid('an address with {token} in it, such as https://app.example.org/activate#{token}');
}

export const aiBaseUrl = (text: string): string => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text) || new URL(text).search || new URL(text).hash) {
    return invalid('an address without a query, such as https://models.example.org/v1');
  }
  return text.replace(/(?<!\/)\/+$/, '');
};

/** The value is sent in an HTTP header. */
export const headerText = (text: string): string =>
  /^[\x21-\x7e]{1,4096}$/.test(text) ? text : invalid('printable ASCII without white space');

export const countryCodes = (text: string): string[] => {
  const codes = commaSeparated(text.toUpperCase());
  return codes.every(code => /^[A-Z]{2}$/.test(code))
    ? codes
    : invalid('two-letter country codes, comma separated, such as US,CA');
};

export function rateLimitFactor(text: string): number {
  if (text === 'on') return 1;
  if (text === 'off') return 0;
  return /^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : invalid('«on», «off» or a whole number from 1');
}

export function publisherCodes(text: string): string[] {
  const codes = commaSeparated(text);
  const good = codes.every(code => /^[a-z][a-z0-9_]{0,31}$/.test(code) && code !== 'other');
  if (!good || new Set(codes).size !== 6 || codes.length !== 6) {
    return invalid('exactly six different lower-case codes, comma separated, none of them «other»');
  }
  return [...codes, 'other'];
}

export function trustedProxies(text: string): number | string[] | false {
  if (text === 'no') return false;
  if (/^\d$/.test(text)) return Number(text);
  const ranges = commaSeparated(text);
  const good = ranges.every(range => {
    const [ip, bits] = range.split('/');
    const version = isIP(ip ?? '');
    if (['loopback', 'linklocal', 'uniquelocal'].includes(range)) return true;
    return (
      version !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
    );
  });
  return good && ranges.length > 0
    ? ranges
    : invalid('«no», the number of proxies in front (1 to 9), or their addresses, comma separated');
}

export function outboundHosts(text: string): string[] {
  const hosts = commaSeparated(text.toLowerCase());
  const good = hosts.every(host => {
    const [net = '', prefix, ...more] = host.split('/');
    const version = isIP(net);
    if (version === 0) return /^[\p{L}\p{N}_.-]{1,253}$/u.test(host);
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
    return isPrefix && more.length === 0;
  });
  return good ? hosts : invalid('host names, addresses and ranges such as 10.1.0.0/16, comma separated');
}

/** A URL of a service over HTTP, without a query: paths are appended. */
export const httpBaseUrl = (text: string): string =>
  URL.canParse(text) && /^https?:\/\//.test(text) && !/[?#]/.test(text)
    ? text
    : invalid('an address without a query, such as http://collector.example.org:4318');

/** Names and values of the environment variables of OpenTelemetry. The message does not repeat them: headers hold tokens. */
export const keyValuePairs = (text: string): string =>
  commaSeparated(text).every(pair => /^[^=\s]+[ \t]*=[\t\x20-\x7e]*$/.test(pair))
    ? text
    : invalid('pairs of a name and a value, comma separated, such as name=value; other characters percent-encoded');

export const ratio = (text: string): number => {
  const value = Number(text);
  return /^(?:\d+|\d*\.\d+)$/.test(text) && value <= 1 ? value : invalid('a number from 0 to 1, such as 0.05');
};

/** Whether W3C Trace Context is among the propagators. */
export const propagators = (text: string): boolean => {
  const names = commaSeparated(text);
  if (names.length === 1 && names[0] === 'none') return false;
  return names.length > 0 && names.every(name => name === 'tracecontext' || name === 'baggage')
    ? names.includes('tracecontext')
    : invalid('tracecontext, which may be followed by baggage, or none');
};

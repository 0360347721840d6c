import { isIPv4 } from 'node:net';

/** Host name and port, as in a Host header, a setting or a URL. */
export interface HostName {
  /** Lower case, without a trailing dot; an IPv6 address in brackets and in its shortest form. */
  name: string;
  /** Undefined if the text has no port. */
  port: number | undefined;
}

/** Length of a DNS name (RFC 1035, 253) with a colon and a port. */
const maxLength = 253 + 1 + 6;

/**
 * Parses `name`, `name:port`, `192.0.2.1:port` or `[::1]:port`. Returns undefined for anything else: user information, a path,
 * white space, an empty port, non-ASCII letters. Texts that a resolver treats as one host give the same name.
 */
export function parseHostName(text: string): HostName | undefined {
  if (text.length > maxLength) return undefined;
  const [, host, digits] = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined) return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  const name = host.startsWith('[') ? canonicalIpv6(host) : host.toLowerCase().replace(/\.$/, '');
  if (!name || /^\.|\.\.|\.$/.test(name) || (port !== undefined && port > 65_535)) return undefined;
  return { name, port };
}

function canonicalIpv6(address: string): string | undefined {
  return URL.parse(`http://${address}/`)?.hostname;
}

/** Whether `name`, as parsed by this module, is a loopback name: `localhost`, 127.0.0.0/8, ::1, IPv4-mapped IPv6 included. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name === '[::1]') return true;
  return (isIPv4(name) && name.startsWith('127.')) || /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(name);
}

/** Whether an address to listen at or of a connection, an IP or a name without a port, is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopback(parseHostName(formatIpForUrl(address))?.name ?? '');
}

/** An IP address as a URL writes it: IPv6 in brackets. */
export const formatIpForUrl = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);

/** One entry of `ALLOWED_HOSTS`. */
export interface AllowedHost extends HostName {
  /** `exact`: `name`; `subdomains`: names below it; `domain`: both; `any`: every host. */
  match: 'exact' | 'subdomains' | 'domain' | 'any';
}

/** Parses `example.org`, `example.org:8080`, `.example.org`, `*.example.org` or `*`; returns undefined for anything else. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  if (text === '*') return { match: 'any', name: '', port: undefined };
  const [match, written] = text.startsWith('*.')
    ? (['subdomains', text.slice(2)] as const)
    : text.startsWith('.')
      ? (['domain', text.slice(1)] as const)
      : (['exact', text] as const);
  const host = parseHostName(written);
  return host && { ...host, match };
}

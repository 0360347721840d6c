import { isIPv4 } from 'node:net';

/** A host as Host headers, settings and addresses name it. */
export interface HostName {
  /** Lower case, without a trailing dot; an IPv6 address in brackets and in its shortest form. */
  name: string;
  /** Undefined where none is written. */
  port: number | undefined;
}

/** A DNS name (RFC 1035) and a port: anything longer is no host. */
const maxLength = 253 + 1 + 6;

/**
 * Reads `name`, `name:port`, `192.0.2.1:port` or `[::1]:port`. Undefined for anything else: user information, paths, white
 * space, an empty port, letters beyond ASCII. Two texts that a resolver takes for one host give the same name.
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

/** Whether `name`, as `readHostName` gives it, is this machine to itself: `localhost`, 127.0.0.0/8, ::1, also mapped into IPv6. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name === '[::1]') return true;
  return (isIPv4(name) && name.startsWith('127.')) || /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(name);
}

/** An IP address as it is written in an address of the web: IPv6 in brackets. */
export const formatIpForUrl = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);

/** One entry of `ALLOWED_HOSTS`. */
export interface AllowedHost extends HostName {
  /** `name` alone, names below it alone, both of them, or every host there is. */
  reach: 'exact' | 'below' | 'under' | 'any';
}

/** `example.org`, `example.org:8080`, `.example.org` (and all below), `*.example.org` (all below alone), `*`; undefined for others. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  if (text === '*') return { reach: 'any', name: '', port: undefined };
  const [reach, written] = text.startsWith('*.')
    ? (['below', text.slice(2)] as const)
    : text.startsWith('.')
      ? (['under', text.slice(1)] as const)
      : (['exact', text] as const);
  const host = parseHostName(written);
  return host && { ...host, reach };
}
